import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ArtifactStore,
  DeterminismVerdict,
  ExecutionRequest,
  ExecutionResult,
  Executor,
  ObserveOptions,
} from '@h/contracts';
import { checkComparison } from './check-comparison.ts';
import { compareRecords } from './compare-records.ts';
import { type Difference, findDifference } from './find-difference.ts';
import { guessCause } from './guess-cause.ts';
import { LATER_MS, VARIED_CAUSE, type Variation, varyRequest } from './vary-request.ts';

export interface DeterminismOptions extends ObserveOptions {
  /** Runs at most under the same conditions, 2 by default and at least. A behaviour that appears every other time is seen by 5 with a chance of 94 %. */
  readonly runs?: number;
  /** Conditions that one further run each has otherwise, in this order: what a policy fixes, such as the hash seed, hides what depends on it. */
  readonly vary?: readonly Variation[];
  /** Where collected files are, to show the place in which two differ; absent: their hashes are shown. */
  readonly artifacts?: ArtifactStore;
  /** What in texts, files and records may vary, such as `/in \d+\.\d+s/` or those of `STABLE_MASKS`: each match is left out of the comparison. */
  readonly masks?: readonly RegExp[];
  /** What a run recorded, as plain data, such as its test report or its events: compared too, but for fields that measure or name the run. */
  readonly records?: (result: ExecutionResult) => unknown;
  /** Further fields of records that may vary, by name. */
  readonly ignoreFields?: readonly string[];
}

export interface DeterminismCheck {
  readonly verdict: DeterminismVerdict;
  /** In order, ordinals rising from that of the request. The last differed, or the last but one, where a varied run was followed by a plain one. */
  readonly results: readonly ExecutionResult[];
}

const OWN_ENDS = new Set(['exit', 'signal']);

/**
 * Runs the same request again and compares how it ended, both streams, the collected files and the records given; measured values are not
 * compared. Stops at the first difference. A run that did not end by itself was cut at a moment of chance: it is `not_checked`. Rejects
 * with the signal's reason when that is aborted.
 */
export async function checkDeterminism(
  executor: Executor,
  request: ExecutionRequest,
  options: DeterminismOptions = {},
): Promise<DeterminismCheck> {
  checkComparison(options);
  const { runs = 2, vary = [], signal, onEvent } = options;
  signal?.throwIfAborted();
  const observe = { ...(signal && { signal }), ...(onEvent && { onEvent }) };
  const results: ExecutionResult[] = [];
  const run = async (variation?: Variation) => {
    if (variation === 'time') await pause(signal);
    const changed = variation === undefined ? request : varyRequest(request, variation);
    const result = await executor.run({ ...changed, ordinal: request.ordinal + results.length }, observe);
    signal?.throwIfAborted();
    results.push(result);
    return result;
  };
  const conclude = (verdict: Omit<DeterminismVerdict, 'runs'>): DeterminismCheck => ({
    verdict: { ...verdict, runs: results.length },
    results,
  });
  const compare = compareWith(options);
  const turns = [...Array.from({ length: Math.max(2, runs) }, () => undefined), ...vary];
  for (const variation of turns) {
    const result = await run(variation);
    const [first = result] = results;
    if (wasCut(first, result)) return conclude({ verdict: 'not_checked' });
    const difference = first === result ? undefined : await compare(first, result);
    if (difference === undefined) continue;
    if (variation === undefined) return conclude(describe(difference));
    // Only if it is still the same without the variation is that what makes the difference.
    const again = await run();
    if (wasCut(first, again)) return conclude(describe(difference));
    const other = await compare(first, again);
    return conclude(other === undefined ? describe(difference, VARIED_CAUSE[variation]) : describe(other));
  }
  return conclude({ verdict: 'deterministic' });
}

/** Whether the later of two runs did not end by itself, in the same way as the first, or was none. */
function wasCut(first: ExecutionResult, { ended_by }: ExecutionResult): boolean {
  if (ended_by === 'cancelled' || ended_by === 'policy_unmet') return true;
  return first.ended_by === ended_by && !OWN_ENDS.has(ended_by);
}

function describe(
  { field, first_difference, before, after }: Difference,
  likely_cause = guessCause(before, after),
): Omit<DeterminismVerdict, 'runs'> {
  return { verdict: 'nondeterministic', field, first_difference, ...(likely_cause !== undefined && { likely_cause }) };
}

function compareWith({ artifacts, masks = [], records, ignoreFields = [] }: DeterminismOptions) {
  const ignore = new Set(ignoreFields);
  return async (first: ExecutionResult, other: ExecutionResult): Promise<Difference | undefined> => {
    const difference = await findDifference(first, other, { masks, ...(artifacts && { artifacts }) });
    if (difference !== undefined || records === undefined) return difference;
    return compareRecords(await records(first), await records(other), { masks, ignore });
  };
}

/** Cut short by the signal, whose reason the caller then throws. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await sleep(LATER_MS, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
}
