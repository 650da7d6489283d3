import type { DivergenceRecord, DynamicSlice, RawEvent, Sha, ValueText } from '@h/contracts';
import type { IndexedRun } from './build-observation.ts';

/**
 * The step of the passing run that shows the other side of the divergence: the first at that statement that recorded the passing value.
 * Undefined: no divergence, the statement is not in the slice, or the passing run is not given.
 */
export function findCounterpart(
  { first_divergence, passing_execution_id }: DivergenceRecord,
  { slice }: DynamicSlice,
  runs: ReadonlyMap<Sha, IndexedRun>,
): { readonly execution_id: Sha; readonly sequence: number } | undefined {
  if (first_divergence === null || passing_execution_id === undefined) return undefined;
  const { location, passing_value } = first_divergence;
  if (!slice.some((item) => item.location === location)) return undefined;
  const events = runs.get(passing_execution_id)?.run.events ?? [];
  const found = events.find(
    (event) => event.location === location && recordedValues(event).some(isLike(passing_value)),
  );
  return found && { execution_id: passing_execution_id, sequence: found.sequence };
}

/** Every value an event holds; a decision as a value of type "branch", nothing at all as one of type "none". */
export function recordedValues({ payload }: RawEvent): ValueText[] {
  const { variables = {}, state_delta, return_value, exception, branch_taken } = payload;
  const values = [
    ...Object.values(variables),
    ...Object.values({ ...state_delta?.from }),
    ...Object.values({ ...state_delta?.to }),
  ];
  if (return_value !== undefined) values.push(return_value);
  if (exception !== undefined) values.push(exception);
  else values.push({ type: 'none', text: '', truncated: false });
  if (branch_taken !== undefined) values.push({ type: 'branch', text: branch_taken, truncated: false });
  return values;
}

export function isLike(value: ValueText): (other: ValueText) => boolean {
  return ({ type, text, truncated }) => type === value.type && text === value.text && truncated === value.truncated;
}
