import { expect, test } from 'vitest';
import { alignLines, editedLines, refineLines } from '../../src/write/edited-lines.ts';
import { tableOfLines } from '../../src/write/line-table.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The edited lines as `first: removed → added`. */
function check(
  text: string,
  changes: readonly [start: number, end: number, replace: string][],
  ends: 'any' | 'lf' = 'any',
): string[] {
  const all = bytes(text);
  const made = changes.map(([start, end, replace]) => ({ start, end, bytes: bytes(replace) }));
  return editedLines(all, tableOfLines(all, ends), made).map(
    ({ first, removed, added }) => `${first}: ${JSON.stringify(removed)} → ${JSON.stringify(added)}`,
  );
}

test('whole lines are what a change touches', () => {
  expect(check('ab\ncd\nef\n', [[4, 5, 'X']])).toEqual(['1: ["cd\\n"] → ["cX\\n"]']);
  expect(check('ab\ncd\nef\n', [[3, 6, '']])).toEqual(['1: ["cd\\n"] → []']);
  expect(check('ab\ncd\nef\n', [[3, 6, 'x']])).toEqual(['1: ["cd\\n","ef\\n"] → ["xef\\n"]']);
  expect(check('ab\ncd', [[2, 5, '']])).toEqual(['0: ["ab\\n","cd"] → ["ab"]']);
  expect(check('ab\n', [[3, 3, 'cd\n']])).toEqual(['1: [] → ["cd\\n"]']);
  expect(check('ab', [[2, 2, '\n']])).toEqual(['0: ["ab"] → ["ab\\n"]']);
  expect(check('', [[0, 0, 'a\n']])).toEqual(['0: [] → ["a\\n"]']);
});

test('changes that share a line are one, neighbours are two', () => {
  expect(
    check('a b\nc\n', [
      [0, 1, 'x'],
      [2, 3, 'y'],
    ]),
  ).toEqual(['0: ["a b\\n"] → ["x y\\n"]']);
  expect(
    check('a\nb\nc\n', [
      [0, 1, 'x'],
      [2, 3, 'y'],
    ]),
  ).toEqual(['0: ["a\\n"] → ["x\\n"]', '1: ["b\\n"] → ["y\\n"]']);
  expect(
    check('a\nb\nc\n', [
      [0, 2, 'x'],
      [2, 3, 'y'],
    ]),
  ).toEqual(['0: ["a\\n","b\\n"] → ["xy\\n"]']);
});

test('a lone CR ends a line for editors and none for diff tools', () => {
  expect(check('a\rb\n', [[2, 3, 'x']])).toEqual(['1: ["b\\n"] → ["x\\n"]']);
  expect(check('a\rb\n', [[2, 3, 'x']], 'lf')).toEqual(['0: ["a\\rb\\n"] → ["a\\rx\\n"]']);
  expect(check('a\nb\n', [[0, 1, 'x\r']], 'lf')).toEqual(['0: ["a\\n"] → ["x\\r\\n"]']);
});

test('refined edits leave out lines that both sides share', () => {
  const all = bytes('a\nb\nc\nd\n');
  const [edit] = editedLines(all, tableOfLines(all, 'lf'), [{ start: 0, end: 8, bytes: bytes('A\nb\nc\nD\nE\n') }]);
  const refined = refineLines(edit === undefined ? [] : [edit]);
  expect(refined.map(({ first, removed, added }) => [first, removed, added])).toEqual([
    [0, ['a\n'], ['A\n']],
    [3, ['d\n'], ['D\n', 'E\n']],
  ]);
});

test('texts with little in common are aligned as one replacement, in bounded time', () => {
  const lines = (letter: string) => Array.from({ length: 3000 }, (_, i) => `${letter}${i}`);
  expect(alignLines(lines('a'), lines('b'))).toEqual([{ kept: false, old: lines('a'), next: lines('b') }]);
});
