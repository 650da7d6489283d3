import { expect, test } from 'vitest';
import { applyEdits } from '../../src/index.ts';

function apart(text: string, search: string) {
  const result = applyEdits({ a: text }, { file: 'a', blocks: [{ search, replace: '' }] });
  return result.status === 'rejected' ? result.rejection.apart : undefined;
}

test('each of several matches has a line that no other match has in that place', () => {
  const text = 'def f(a):\n    x = 1\n    return a\n\ndef g(a):\n    x = 1\n    return a\n';
  expect(apart(text, 'x = 1\n    return a')).toEqual([
    { line: 1, text: 'def f(a):' },
    { line: 5, text: 'def g(a):' },
  ]);
});

test('the rest of the matched lines comes first, above comes before below, blank lines tell nothing', () => {
  expect(apart('a = f(1) # one\nb = f(1) # two\n', 'f(1)')).toEqual([
    { line: 1, text: 'a = f(1) # one' },
    { line: 2, text: 'b = f(1) # two' },
  ]);
  expect(apart('x\none\n\nx\ntwo\n', 'x\n')).toEqual([
    { line: 2, text: 'one' },
    { line: 5, text: 'two' },
  ]);
});

test('where no line does, it is the match itself', () => {
  expect(apart('x x\n', 'x')).toEqual([
    { line: 1, text: 'x x' },
    { line: 1, text: 'x x' },
  ]);
});

test('every tolerant tier tells its matches apart too', () => {
  const result = applyEdits(
    { a: 'a:\n  x  \nb:\n  x   \n' },
    { file: 'a', blocks: [{ search: '  x\n', replace: 'y\n' }] },
    { match: 'whitespace' },
  );
  expect(result).toMatchObject({ rejection: { reason: 'ambiguous_match', apart: [{ line: 2 }, { line: 4 }] } });
});
