import type { MatchTier } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { openQuery } from '../../src/locate/block-query.ts';
import { matchTolerantly } from '../../src/locate/match-tolerantly.ts';
import { openSnapshot } from '../../src/open-snapshot.ts';

/** The unified text after the match was replaced, the reason of a refusal, or `miss`. */
function outcome(text: string | Uint8Array, search: string, replace: string, tier: MatchTier): string {
  const file = openSnapshot({ a: text }).file('a');
  if (file === undefined) throw new Error('no file');
  const query = openQuery(file, { search, replace });
  const found = matchTolerantly(query, tier);
  if (found === undefined) return 'miss';
  if (found.status === 'refused') return `${found.reason} ${JSON.stringify(found.matches)}`;
  const [place] = found.places;
  if (place === undefined) throw new Error('no place');
  const unified = new TextDecoder('utf-8', { ignoreBOM: true });
  const before = unified.decode(query.text.subarray(0, place.start));
  const after = unified.decode(query.text.subarray(place.end));
  expect(unified.decode(query.text.subarray(place.start, place.end))).toBe(found.found);
  return `${found.tier}: ${before}${found.replace}${after}`;
}

describe('whitespace', () => {
  test.each([
    [
      'blanks at line ends, those of kept lines kept',
      'a = 1  \nb = 2\t\n',
      'a = 1\nb = 2',
      'a = 1\nb = 3',
      'whitespace: a = 1  \nb = 3\n',
    ],
    ['blanks in the block alone', 'a = 1\nb = 2\n', 'a = 1 \nb = 2 ', 'a = 9\nb = 2 ', 'whitespace: a = 9\nb = 2\n'],
    ['a whole line with its end', 'a = 1 \nb\n', 'a = 1\n', 'a = 2\n', 'whitespace: a = 2\nb\n'],
    ['a deletion', 'a = 1 \nb\n', 'a = 1\n', '', 'whitespace: b\n'],
    [
      'a line that a blank line of the block does not spell',
      'a\n  \nb\n',
      'a\n\nb',
      'a\n\nc',
      'whitespace: a\n  \nc\n',
    ],
    ['two places', 'a = 1 \nb\na = 1\t\n', 'a = 1\nx', 'y', 'miss'],
    ['two places', 'a = 1 \na = 1\t\n', 'a = 1', 'a = 2', 'ambiguous_match [[1,1],[2,2]]'],
    ['another indentation', '    a = 1\n', 'a = 1 ', 'a = 2', 'miss'],
    ['part of a line', 'a = 1 + 2\n', 'a = 1 ', 'a = 2', 'miss'],
    ['a final line end that is not there', 'a = 1 ', 'a = 1\n', 'a = 2\n', 'miss'],
    ['a line end that only one side has', 'a = 1 \nb\n', 'a = 1\n', 'a = 2', 'miss'],
  ])('%s', (_, text, search, replace, expected) => {
    expect(outcome(text, search, replace, 'whitespace')).toBe(expected);
  });

  test('the replacement character stands for no byte', () => {
    expect(outcome(new Uint8Array([0xff, 32, 10]), '\ufffd', 'x', 'whitespace')).toBe('miss');
  });
});

describe('indentation', () => {
  test.each([
    [
      'a block without its outer indentation',
      'class A:\n    def f(self):\n        return 1\n',
      'def f(self):\n    return 1',
      'def f(self):\n    x = 2\n    return x',
      'indentation: class A:\n    def f(self):\n        x = 2\n        return x\n',
    ],
    [
      'a block that is too far in',
      'def f():\n    return 1\n',
      '    def f():\n        return 1',
      '    def f():\n        return 2',
      'indentation: def f():\n    return 2\n',
    ],
    [
      'tabs in the file',
      'if a:\n\tx = 1\n\ty = 2\n',
      '    x = 1\n    y = 2',
      '    x = 5\n    if x:\n        y = 2',
      'indentation: if a:\n\tx = 5\n\tif x:\n\t\ty = 2\n',
    ],
    [
      'tabs in the block',
      'def f():\n    if a:\n        x = 1\n',
      '\tif a:\n\t\tx = 1',
      '\tif a:\n\t\tx = 2\n\t\ty = 3',
      'indentation: def f():\n    if a:\n        x = 2\n        y = 3\n',
    ],
    [
      'tabs one level further in',
      'class A:\n\tdef f():\n\t\tx = 1\n',
      'def f():\n    x = 1',
      'def f():\n    x = 2\n    if x:\n        y()',
      'indentation: class A:\n\tdef f():\n\t\tx = 2\n\t\tif x:\n\t\t\ty()\n',
    ],
    [
      'another width',
      'def f():\n    if a:\n        x = 1\n',
      '  if a:\n    x = 1',
      '  if a:\n    x = 2',
      'indentation: def f():\n    if a:\n        x = 2\n',
    ],
    [
      'a blank line in the replacement',
      '    a = 1\n',
      'a = 1 ',
      'a = 2\n\nb = 3',
      'indentation:     a = 2\n\n    b = 3\n',
    ],
    ['a shift that is not uniform', 'if a:\n    x = 1\n     y = 2\n', 'x = 1\ny = 2', 'x = 3\ny = 2', 'miss'],
    [
      'a new line that cannot be moved out',
      'def f():\n    return 1\n',
      '    def f():\n        return 1',
      '    def f():\n  return 2',
      'miss',
    ],
    ['two places', 'if a:\n    x = 1\nif b:\n    x = 1\n', '  x = 1', '  x = 2', 'ambiguous_match [[2,2],[4,4]]'],
    ['a string over several lines', 'def f():\n    s = """\n    a"""\n', 's = """\na"""', 's = """\nb"""', 'miss'],
    ['continuation lines that count no level', 'if a:\n\tf(x)\n', '    f(x)', '    f(x,\n      y,\n       z)', 'miss'],
    [
      'what blanks at line ends alone decide',
      '  a = 1 \n  b\n',
      '  a = 1\n  b',
      '  a = 2\n  b',
      'whitespace:   a = 2\n  b\n',
    ],
  ])('%s', (_, text, search, replace, expected) => {
    expect(outcome(text, search, replace, 'indentation')).toBe(expected);
  });
});

test('says how much better the place is than the next', () => {
  const margin = (text: string) => {
    const file = openSnapshot({ a: text }).file('a');
    const found =
      file && matchTolerantly(openQuery(file, { search: 'total = 1\nreturn total', replace: 'x' }), 'whitespace');
    return found?.status === 'located' ? found.margin : undefined;
  };
  expect(margin('total = 1 \nreturn total\n')).toBe(1);
  expect(margin('total = 1 \nreturn total\ntotal = 2\nreturn total\n')).toBeCloseTo(0.05, 1);
});

test('is linear on a file of one line over and over', () => {
  const text = 'a = 1 \n'.repeat(20_000);
  expect(outcome(text, `${'a = 1\n'.repeat(5000)}b`, 'x\nx', 'indentation')).toBe('miss');
});
