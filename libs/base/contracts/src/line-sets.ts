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
  const parts: string[] = [];
  let [first, last] = [-2, -2];
  for (const line of ascending(numbers)) {
    if (line === last + 1) last = line;
    else if (line > last) {
      if (first >= 0) parts.push(formatRange(first, last));
      first = last = line;
    }
  }
  if (first >= 0) parts.push(formatRange(first, last));
  return parts.join(',');
}

function formatRange(first: number, last: number): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** The numbers in ascending order, repeated ones still repeated. */
function ascending(numbers: Iterable<number>): ArrayLike<number> & Iterable<number> {
  const given = [...numbers];
  let sorted = true;
  let previous = 0;
  for (const line of given) {
    if (!Number.isSafeInteger(line) || line < 0) throw invalidLineSet(String(line), 'not a whole number from 0');
    sorted &&= line >= previous;
    previous = line;
  }
  return sorted ? given : Float64Array.from(given).sort();
}
