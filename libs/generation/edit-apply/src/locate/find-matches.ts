/**
 * Offsets of `pattern` in `bytes[from, to)`, ascending, overlapping ones included, at most `limit`.
 *
 * Horspool's search, which skips most bytes of ordinary text; once it has compared more than four times the bytes of the range it goes
 * on as Knuth–Morris–Pratt, so that the work is linear on any input.
 */
export function findMatches(bytes: Uint8Array, pattern: Uint8Array, from: number, to: number, limit: number): number[] {
  const size = pattern.length;
  if (size === 0 || limit <= 0) return [];
  const shift = shiftsByLastByte(pattern);
  const found: number[] = [];
  const lastByte = pattern[size - 1];
  let budget = 4 * (to - from) + 1024;
  let at = from;
  while (at + size <= to) {
    const last = bytes[at + size - 1] ?? 0;
    if (last === lastByte) {
      let matched = 0;
      while (matched < size && bytes[at + matched] === pattern[matched]) matched++;
      budget -= matched;
      if (matched === size && found.push(at) === limit) return found;
      if (budget < 0) return found.concat(findLinearly(bytes, pattern, at + 1, to, limit - found.length));
    }
    at += shift[last] ?? size;
  }
  return found;
}

type Numbers = Uint8Array | Uint32Array;

function shiftsByLastByte(pattern: Uint8Array): Uint32Array {
  const size = pattern.length;
  const shift = new Uint32Array(256).fill(size);
  for (let i = 0; i < size - 1; i++) shift[pattern[i] ?? 0] = size - 1 - i;
  return shift;
}

/** As `findMatches`, by Knuth–Morris–Pratt alone, over any numbers. */
export function findLinearly(bytes: Numbers, pattern: Numbers, from: number, to: number, limit: number): number[] {
  const border = borders(pattern);
  const found: number[] = [];
  let matched = 0;
  for (let at = from; at < to; at++) {
    while (matched > 0 && bytes[at] !== pattern[matched]) matched = border[matched - 1] ?? 0;
    if (bytes[at] === pattern[matched]) matched++;
    if (matched < pattern.length) continue;
    if (found.push(at + 1 - matched) === limit) return found;
    matched = border[matched - 1] ?? 0;
  }
  return found;
}

/** For each prefix of the pattern, the length of its longest proper border. */
function borders(pattern: Numbers): Uint32Array {
  const border = new Uint32Array(pattern.length);
  let length = 0;
  for (let i = 1; i < pattern.length; i++) {
    while (length > 0 && pattern[i] !== pattern[length]) length = border[length - 1] ?? 0;
    if (pattern[i] === pattern[length]) length++;
    border[i] = length;
  }
  return border;
}
