import { invalidLineSet } from './errors.ts';

/** More numbers than this are refused, so that a hostile "1-9999999999" cannot exhaust memory. */
const most = 16_777_216;

/** Ranges [first, last] of a line set in ascending order: `"1-3,7"` → `[[1, 3], [7, 7]]`. Throws `invalid_line_set`. */
export function parseLineRanges(text: string): [first: number, last: number][] {
  if (text === '') return [];
  let previous = -1;
  let total = 0;
  return text.split(',').map((part) => {
    const match = /^(0|[1-9]\d*)(?:-([1-9]\d*))?$/.exec(part);
    const first = Number(match?.[1]);
    const last = match?.[2] === undefined ? first : Number(match[2]);
    if (match === null || last < first || first <= previous) throw invalidLineSet(text, 'not ascending ranges');
    previous = last;
    total += last - first + 1;
    if (total > most || !Number.isSafeInteger(last)) throw invalidLineSet(text, `more than ${most} numbers`);
    return [first, last];
  });
}

/** Numbers of a line set in ascending order: `"1-3,7"` → `[1, 2, 3, 7]`. Throws `invalid_line_set`. */
export function parseLines(text: string): number[] {
  const numbers: number[] = [];
  for (const [first, last] of parseLineRanges(text)) {
    for (let line = first; line <= last; line += 1) numbers.push(line);
  }
  return numbers;
}

/**
 * The line set of any whole numbers from 0, in any order, repeated or not: `[7, 1, 2, 3]` → `"1-3,7"`. One set has one text.
 * Throws `invalid_line_set`.
 */
export function formatLines(numbers: Iterable<number>): string {
  const sorted = Float64Array.from(new Set(numbers)).sort();
  const wrong = sorted.find((line) => !Number.isSafeInteger(line) || line < 0);
  if (wrong !== undefined) throw invalidLineSet(String(wrong), 'not a whole number from 0');
  const parts: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    parts.push(start === end ? `${sorted[start]}` : `${sorted[start]}-${sorted[end]}`);
    start = end + 1;
  }
  return parts.join(',');
}
