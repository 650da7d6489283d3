import type { ObservedRun } from '@h/contracts';
import { listEndured, locateFailure } from './locate-failure.ts';
import { type RowSlice, sliceRows } from './slice-rows.ts';

/** What the failure of a run depends on, whole; a body that should have raised and did not is a root, too. */
export function sliceFailure(
  run: ObservedRun,
  { omissions, roots = locateFailure(run) }: { readonly omissions: boolean; readonly roots?: readonly number[] },
): RowSlice {
  const endured = listEndured(run, roots[0]);
  return sliceRows(run.rows, [...roots, ...endured], { events: run.events, omissions, endured });
}
