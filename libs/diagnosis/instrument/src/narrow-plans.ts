import { type ObservedRun, type ProbePlan, parseLoc, type TracePlan } from '@h/contracts';

/** Share of the rows that the functions left out made, at least. */
const FLOOD = 0.9;

export interface Plans {
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
}

/**
 * Plans for a run that its bound cut short: without the functions that filled the stream, busiest first, until a tenth of the rows is left, and
 * without the points of the ranked list in them. Functions that hold a place of `keep` (the frames of the failure) stay, and so do points of
 * hypotheses and of the failing statement. `left_out` is empty where nothing can go.
 */
export function narrowPlans(
  { plan, trace }: Plans,
  { rows }: Pick<ObservedRun, 'rows'>,
  keep: readonly string[] = [],
): Plans & { readonly left_out: string[] } {
  const asked = plan.probe_points.filter(({ source }) => source !== 'sbfl').map(({ location }) => location);
  const places = new Set([...keep, ...asked]);
  const counts = new Map<string, number>();
  const stay = new Set<string>();
  const functionAt = new Map<string, string>();
  for (const { location, function: name } of rows) {
    const key = `${parseLoc(location).file}::${name}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    functionAt.set(location, key);
    if (places.has(location)) stay.add(key);
  }
  const dropped = new Set<string>();
  let gone = 0;
  for (const [key, count] of [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
    if (gone >= FLOOD * rows.length) break;
    gone += count;
    if (!stay.has(key)) dropped.add(key);
  }
  const isLeft = (location: string) => dropped.has(functionAt.get(location) ?? '');
  return {
    plan: { ...plan, probe_points: plan.probe_points.filter(({ location }) => !isLeft(location)) },
    trace: { ...trace, functions: trace.functions.filter((name) => !dropped.has(name)) },
    left_out: [...dropped].sort(),
  };
}
