import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLines, LineSet, parseLineRanges, parseLines } from '../src/index.ts';
import { messageOf } from './check-error.ts';

const numbers = fc.array(fc.nat(300), { maxLength: 80 });

describe('parseLines', () => {
  test.each<[string, number[]]>([
    ['', []],
    ['0', [0]],
    ['7', [7]],
    ['1-3,7', [1, 2, 3, 7]],
    ['1-2,3-4', [1, 2, 3, 4]],
    ['0-2,9-9', [0, 1, 2, 9]],
  ])('%j', (text, expected) => {
    expect(parseLines(text)).toEqual(expected);
    expect(LineSet.safeParse(text).success).toBe(true);
  });

  test.each([
    '3-1',
    '2,1',
    '1,1',
    '1-3,3',
    ',',
    '1,',
    ',1',
    '1-',
    '-1',
    '1 - 2',
    ' 1',
    '01',
    '0-0',
    'a',
    '1.5',
    '1-2-3',
    '１',
    '1-9999999999',
    '99999999999999999999',
    '0-16777216',
  ])('refuses %j', (text) => {
    expect(messageOf('invalid_line_set', () => parseLines(text))).toContain(JSON.stringify(text));
  });
});

describe('formatLines', () => {
  test.each<[number[], string]>([
    [[], ''],
    [[7, 1, 2, 3], '1-3,7'],
    [[5, 5, 5], '5'],
    [[10, 9, 2, 100], '2,9-10,100'],
  ])('%j', (lines, expected) => expect(formatLines(lines)).toBe(expected));

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d', (line) => {
    expect(messageOf('invalid_line_set', () => formatLines([1, line]))).toContain(String(line));
  });
});

describe('laws', () => {
  test('a set comes back as it was, whatever order it is given in', () => {
    fc.assert(
      fc.property(numbers, (lines) => {
        const text = formatLines(lines);
        const sorted = [...new Set(lines)].sort((a, b) => a - b);
        expect(parseLines(text)).toEqual(sorted);
        expect(formatLines([...lines].reverse())).toBe(text);
        expect(formatLines(parseLines(text))).toBe(text);
        expect(LineSet.safeParse(text).success).toBe(true);
      }),
    );
  });

  test('ranges of a formatted set never touch, and cover what parseLines lists', () => {
    fc.assert(
      fc.property(numbers, (lines) => {
        const ranges = parseLineRanges(formatLines(lines));
        for (const [index, [first, last]] of ranges.entries()) {
          expect(first).toBeLessThanOrEqual(last);
          expect(first).toBeGreaterThan((ranges[index - 1]?.[1] ?? -2) + 1);
        }
        expect(ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)).toBe(new Set(lines).size);
      }),
    );
  });

  test('text either is a set or is refused', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9,-]{0,12}$/), (text) => {
        const accepted = accepts(text);
        if (accepted) expect(LineSet.safeParse(text).success).toBe(true);
        if (accepted) expect(parseLines(formatLines(parseLines(text)))).toEqual(parseLines(text));
      }),
    );
  });
});

function accepts(text: string): boolean {
  try {
    return parseLines(text).length >= 0;
  } catch {
    return false;
  }
}
