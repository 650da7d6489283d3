// Whether two runs of one test in one environment are one run: a value that is not the same twice is no evidence.
import type { DefUseRow, ObservedRun } from '@h/contracts';
import { differingValues } from './trace-diff.ts';

export type SideVerdict =
  | { readonly status: 'not_checked' }
  | { readonly status: 'nondeterministic'; readonly differs: 'outcome' | 'failure' | 'path' }
  | { readonly status: 'deterministic'; readonly masked: readonly string[] };

/**
 * Compares two runs of one test: another outcome, failure class, failure location or path is `nondeterministic`; values that differ on one path
 * are masked, as "location name". Where a stream was cut short, paths are compared as far as both go, and up to the first gap that only one of them has.
 * The same record given twice is no second run.
 */
export function checkDeterminism(run: ObservedRun, again: ObservedRun | undefined): SideVerdict {
  if (again === undefined || again.execution_id === run.execution_id) return { status: 'not_checked' };
  if (run.outcome !== again.outcome) return { status: 'nondeterministic', differs: 'outcome' };
  if (run.failure?.class !== again.failure?.class || run.failure?.location !== again.failure?.location)
    return { status: 'nondeterministic', differs: 'failure' };
  const cut = run.truncated || again.truncated;
  if (!cut && run.rows.length !== again.rows.length) return { status: 'nondeterministic', differs: 'path' };
  const masked = new Set<string>();
  const end = Math.min(run.rows.length, again.rows.length, unsharedGap(run, again));
  for (let index = 0; index < end; index += 1) {
    const [event, other] = [run.events[index], again.events[index]];
    if (event === undefined || other === undefined || !isSameStep(run.rows[index], again.rows[index]))
      return { status: 'nondeterministic', differs: 'path' };
    if (event.payload.branch_taken !== other.payload.branch_taken)
      return { status: 'nondeterministic', differs: 'path' };
    for (const { name } of differingValues(event, other)) masked.add(`${event.location} ${name}`);
  }
  return { status: 'deterministic', masked: [...masked].sort() };
}

/** Behind a gap that the other run does not have rows are not the same steps. */
function unsharedGap({ gaps: mine = [] }: ObservedRun, { gaps: theirs = [] }: ObservedRun): number {
  const [known, others] = [new Set(mine), new Set(theirs)];
  const unshared = [...mine.filter((gap) => !others.has(gap)), ...theirs.filter((gap) => !known.has(gap))];
  return unshared.reduce((least, gap) => Math.min(least, gap), Number.POSITIVE_INFINITY);
}

function isSameStep(a: DefUseRow | undefined, b: DefUseRow | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const fields = ['location', 'function', 'frame', 'role', 'completed', 'caller', 'control_parent'] as const;
  return fields.every((field) => a[field] === b[field]);
}
