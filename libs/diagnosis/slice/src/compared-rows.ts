// How far a run can be compared: behind a missing event a row is not the one its occurrence number says.
import type { DefUseRow, ObservedRun } from '@h/contracts';

/** Sequence of the first row that stands behind a missing event; infinite: none is missing. */
export function limitOf({ gaps = [], truncated, rows }: ObservedRun): number {
  const [first] = gaps;
  return first ?? (truncated ? rows.length : Number.POSITIVE_INFINITY);
}

/**
 * Whether a row was surely over before the row `limit`: its frame, or one that called it, went on before. What else was still under way may have
 * called what is missing. Linear in rows, and in the depth of calls for the last row of each frame.
 */
export function settledBefore(rows: readonly DefUseRow[], limit: number): (sequence: number) => boolean {
  if (limit === Number.POSITIVE_INFINITY) return () => true;
  const around = new Map<number, number>();
  for (const { frame, role, caller } of rows) {
    const calling = caller === undefined ? undefined : rows[caller];
    if (role === 'entry' && calling !== undefined && calling.frame !== frame) around.set(frame, calling.frame);
  }
  const settled = new Uint8Array(rows.length);
  const wentOn = new Set<number>();
  for (let at = Math.min(limit, rows.length) - 1; at >= 0; at -= 1) {
    const frame = rows[at]?.frame;
    for (let each = frame; each !== undefined && settled[at] === 0; each = around.get(each))
      if (wentOn.has(each)) settled[at] = 1;
    if (frame !== undefined) wentOn.add(frame);
  }
  return (sequence) => settled[sequence] === 1;
}
