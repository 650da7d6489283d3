import { invalidLineSet } from './errors.ts';

/** More numbers than this are refused, so that a hostile "1-9999999999" cannot exhaust memory. */
const most = 16_777_216;
const notRanges = 'not ascending ranges';
const [zero, hyphen, comma] = [48, 45, 44];

/** Ranges [first, last] of a line set in ascending order: `"1-3,7"` → `[[1, 3], [7, 7]]`. Throws `invalid_line_set`. */
export function parseLineRanges(text: string): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  let [first, value, digits] = [-1, 0, 0];
  let [previous, total] = [-1, 0];
  for (let at = 0; at <= text.length && text !== ''; at += 1) {
    const code = at === text.length ? comma : text.charCodeAt(at);
    if (code >= zero && code <= zero + 9 && (digits === 0 || value > 0) && digits < 15) {
      value = value * 10 + code - zero;
      digits += 1;
    } else if (code === hyphen && digits > 0 && first < 0) {
      [first, value, digits] = [value, 0, 0];
    } else if (code === comma && digits > 0) {
      const start = first < 0 ? value : first;
      if (value < start || start <= previous || (first >= 0 && value === 0)) throw invalidLineSet(text, notRanges);
      total += value - start + 1;
      if (total > most) throw invalidLineSet(text, `more than ${most} numbers`);
      ranges.push([start, value]);
      [previous, first, value, digits] = [value, -1, 0, 0];
    } else throw invalidLineSet(text, notRanges);
  }
  return ranges;
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
