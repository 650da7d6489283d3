import type { ObservedRun, RawEvent } from '@h/contracts';
import { endOfRow } from './locate-failure.ts';
import type { RowSlice } from './slice-rows.ts';

/** Events of a centered record, at most. */
export const RECORD_EVENTS = 512;

/**
 * The segment of the probed path around the divergence, up to the end of the failing statement. Where it does not fit, loops are thinned first: of each statement
 * of the slice the execution nearest to the failure and the one nearest before the divergence, up to half of the room; then what lies next to the
 * divergence and to the end, whole.
 */
export function centerRecord({ rows, events }: ObservedRun, slice: RowSlice, divergence?: number): RawEvent[] {
  const roots = slice.rows.filter(({ relation }) => relation === 'root').map(({ sequence }) => sequence);
  const [root = divergence ?? events.length - 1] = roots;
  const end = Math.max(divergence ?? 0, ...[root, ...roots.slice(1)].map((each) => endOfRow(rows, each))) + 1;
  const kept = new Set<number>([root]);
  if (end > RECORD_EVENTS) for (const at of pickExecutions(rows, slice, divergence)) if (at < end) kept.add(at);
  const keepBack = (from: number, most: number) => {
    for (let at = from; at >= 0 && kept.size < most; at -= 1) kept.add(at);
  };
  const half = () => Math.ceil((RECORD_EVENTS + kept.size) / 2);
  if (divergence !== undefined) {
    keepBack(divergence, half());
    if (end - divergence - 1 > RECORD_EVENTS - kept.size) keepBack(end - 1, half());
    for (let at = divergence + 1; at < end && kept.size < RECORD_EVENTS; at += 1) kept.add(at);
  }
  keepBack(end - 1, RECORD_EVENTS);
  return [...kept].sort((a, b) => a - b).flatMap((at) => events[at] ?? []);
}

/** Nearest to the failure first; the slice lists its rows backwards. */
function pickExecutions(rows: ObservedRun['rows'], slice: RowSlice, divergence: number | undefined): Set<number> {
  const picked = new Set<number>();
  const last = new Set<string>();
  const before = new Set<string>();
  const sequences = slice.rows.map(({ sequence }) => sequence).sort((a, b) => b - a);
  for (const sequence of sequences) {
    if (picked.size >= RECORD_EVENTS / 2) break;
    const { location = '', role = '' } = rows[sequence] ?? {};
    const place = `${location} ${role}`;
    const isBefore = divergence !== undefined && sequence <= divergence && !before.has(place);
    if (last.has(place) && !isBefore) continue;
    last.add(place);
    if (isBefore) before.add(place);
    picked.add(sequence);
  }
  return picked;
}
