import { LF } from '../write/line-table.ts';
import type { Range } from './block-query.ts';
import { findMatches } from './find-matches.ts';

/**
 * The places in `text[from, to)` where `wanted` stands as whole lines, ascending, at most `limit`.
 *
 * A final line end of `wanted` is also matched by the end of a text that has none there: such a place ends before it. Without a final line
 * end, only the end of such a text is a place.
 */
export function findWholeLines(text: Uint8Array, wanted: string, from: number, to: number, limit: number): Range[] {
  const ended = wanted.endsWith('\n');
  const body = new TextEncoder().encode(ended ? wanted.slice(0, -1) : wanted);
  const isStart = (at: number) => at === from || text[at - 1] === LF;
  const places: Range[] = [];
  const standsAt = (at: number) => at >= from && at + body.length <= to && startsWith(text.subarray(at), body);
  if (ended) {
    // The line end before the lines is part of the pattern, so that the limit counts whole lines only.
    const pattern = new Uint8Array(body.length + 2);
    pattern[0] = LF;
    pattern.set(body, 1);
    pattern[body.length + 1] = LF;
    if (text[from - 1] !== LF && standsAt(from) && text[from + body.length] === LF && from + body.length < to)
      places.push({ start: from, end: from + body.length + 1 });
    for (const at of findMatches(text, pattern, Math.max(0, from - 1), to, limit - places.length))
      places.push({ start: at + 1, end: at + pattern.length });
  }
  const tail = text.length - body.length;
  const isOpen = text.length > 0 && text[text.length - 1] !== LF;
  if (to === text.length && isOpen && body.length > 0 && standsAt(tail) && isStart(tail))
    places.push({ start: tail, end: text.length });
  return places;
}

function startsWith(text: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => text[i] === byte);
}
