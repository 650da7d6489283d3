import { describe, expect, test } from 'vitest';
import { locateStatements } from '../src/locate-statements.ts';

const locate = locateStatements(
  [
    [1, 1],
    [3, 9],
    [4, 6],
    [5, 6],
    [12, 20],
    [12, 12],
    [30, 32],
    [31, 33],
  ].map(([first = 0, last = 0]) => ({ file: 'a', first, last, kind: 'statement' })),
);

describe('locateStatements', () => {
  test.each<[string, number, number | undefined]>([
    ['the statement that starts there', 4, 2],
    ['the innermost around it', 6, 3],
    ['the outer one where the inner has ended', 8, 1],
    ['its last line', 9, 1],
    ['between statements', 2, undefined],
    ['after all', 99, undefined],
    ['the first of two that start on one line', 12, 4],
    ['of equally long ones the one that starts last', 32, 7],
  ])('%s', (_, line, expected) => {
    expect(locate('a', line)).toBe(expected);
    expect(locate('a', line)).toBe(expected);
  });

  test('another file, and a line that is none', () => {
    expect(locate('b', 1)).toBeUndefined();
    expect(locate('a', Number.NaN)).toBeUndefined();
  });
});
