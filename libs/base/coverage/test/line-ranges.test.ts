import { formatLines } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineCollector, formatRanges, parseRanges, uniteRanges } from '../src/line-ranges.ts';

const lines = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });

function collect(numbers: readonly number[]) {
  const collector = createLineCollector();
  for (const line of numbers) collector.add(line);
  return collector.ranges();
}

describe('createLineCollector', () => {
  it.each([
    [[], ''],
    [[1], '1'],
    [[1, 2, 3, 7, 7, 8], '1-3,7-8'],
    [[5, 4, 3], '3-5'],
    [[2, 9, 1, 3, 9, 2], '1-3,9'],
    [[100, 1], '1,100'],
    [[2_000_000_000, 1, 2_000_000_001], '1,2000000000-2000000001'],
  ])('%j is %s', (numbers, text) => {
    expect(formatRanges(collect(numbers))).toBe(text);
  });

  it('agrees with the line sets of the contracts', () => {
    fc.assert(
      fc.property(lines, (numbers) => {
        expect(formatRanges(collect(numbers))).toBe(formatLines(numbers));
      }),
    );
  });

  it('may be read between two additions', () => {
    const collector = createLineCollector();
    for (const [line, text] of [
      [3, '3'],
      [1, '1,3'],
      [2, '1-3'],
      [4, '1-4'],
    ] as const) {
      collector.add(line);
      expect(formatRanges(collector.ranges())).toBe(text);
    }
  });
});

describe('uniteRanges', () => {
  it('is the union of sets, and leaves both as they were', () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const [a, b] = [collect(one), collect(other)];
        const before = JSON.stringify([a, b]);
        expect(formatRanges(uniteRanges(a, b))).toBe(formatLines([...one, ...other]));
        expect(JSON.stringify([a, b])).toBe(before);
        expect(uniteRanges(b, a)).toEqual(uniteRanges(a, b));
      }),
    );
  });
});

describe('parseRanges', () => {
  it('reads what formatRanges writes', () => {
    fc.assert(
      fc.property(lines, (numbers) => {
        expect(parseRanges(formatRanges(collect(numbers)))).toEqual(collect(numbers));
      }),
    );
    expect(() => parseRanges('3-1')).toThrow(expect.objectContaining({ code: 'invalid_line_set' }));
  });
});
