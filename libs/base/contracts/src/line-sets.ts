import { invalidLineSet } from './errors.ts';

/** Numbers of a line set in ascending order: `"1-3,7"` → `[1, 2, 3, 7]`. Throws `invalid_line_set`. */
export function parseLines(text: string): number[] {
  if (text === '') return [];
  const numbers: number[] = [];
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    const first = Number(match?.[1]);
    const last = match?.[2] === undefined ? first : Number(match[2]);
    const previous = numbers[numbers.length - 1] ?? -1;
    if (match === null || last < first || first <= previous) throw invalidLineSet(text);
    for (let line = first; line <= last; line += 1) numbers.push(line);
  }
  return numbers;
}

/** The line set of any numbers, in any order, repeated or not: `[7, 1, 2, 3]` → `"1-3,7"`. */
export function formatLines(numbers: Iterable<number>): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    parts.push(start === end ? `${sorted[start]}` : `${sorted[start]}-${sorted[end]}`);
    start = end + 1;
  }
  return parts.join(',');
}
