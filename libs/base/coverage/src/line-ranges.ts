import { type LineSet, parseLineRanges } from '@h/contracts';

/** A set of lines as ascending, disjoint, non-adjacent pairs: [first, last, first, last, …]. */
export type LineRanges = readonly number[];

/** Lines in the order they are met. Costs memory by range, not by line, where they ascend. */
export interface LineCollector {
  /** Any whole number from 1, repeated or not. */
  add(line: number): void;
  ranges(): LineRanges;
}

export function createLineCollector(): LineCollector {
  const pairs: number[] = [];
  const loose: number[] = [];
  let [last, end] = [-1, -1];
  return {
    add(line) {
      if (line === last + 1 && end > 0) {
        last = line;
        pairs[end] = line;
      } else if (line > last) {
        last = line;
        end = pairs.push(line, line) - 1;
      } else if (line < last) loose.push(line);
    },
    ranges: () => (loose.length === 0 ? pairs : uniteRanges(pairs, toRanges(loose))),
  };
}

function toRanges(lines: readonly number[]): LineRanges {
  const sorted = createLineCollector();
  for (const line of Float64Array.from(lines).sort()) sorted.add(line);
  return sorted.ranges();
}

/** Linear in the number of ranges. */
export function uniteRanges(one: LineRanges, other: LineRanges): LineRanges {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const united: number[] = [];
  let [a, b] = [0, 0];
  while (a < one.length || b < other.length) {
    const fromOne = b >= other.length || (a < one.length && at(one, a) <= at(other, b));
    const [first, last] = fromOne ? [at(one, a), at(one, a + 1)] : [at(other, b), at(other, b + 1)];
    if (fromOne) a += 2;
    else b += 2;
    const end = united.length - 1;
    if (end > 0 && first <= at(united, end) + 1) united[end] = Math.max(at(united, end), last);
    else united.push(first, last);
  }
  return united;
}

/** Throws `invalid_line_set` of @h/contracts. */
export function parseRanges(lines: LineSet): LineRanges {
  return parseLineRanges(lines).flat();
}

export function formatRanges(ranges: LineRanges): LineSet {
  const parts: string[] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    const [first, last] = [at(ranges, index), at(ranges, index + 1)];
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}

function at(ranges: LineRanges, index: number): number {
  return ranges[index] ?? 0;
}
