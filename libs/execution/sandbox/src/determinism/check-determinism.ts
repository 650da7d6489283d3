import type {
  ArtifactStore,
  DeterminismVerdict,
  ExecutionRequest,
  ExecutionResult,
  Executor,
  ObserveOptions,
} from '@h/contracts';
import { findDifference } from './find-difference.ts';
import { guessCause } from './guess-cause.ts';

export interface DeterminismOptions extends ObserveOptions {
  /** Runs at most, from 2, the default. A behaviour that appears every other time is seen by 5 with a chance of 94 %. */
  readonly runs?: number;
  /** Where collected files are, to show the place in which two differ; absent: their hashes are shown. */
  readonly artifacts?: ArtifactStore;
  /** What in texts and files may vary, such as `/in \d+\.\d+s/`: each match is left out of the comparison. */
  readonly masks?: readonly RegExp[];
}

export interface DeterminismCheck {
  readonly verdict: DeterminismVerdict;
  /** In order, ordinals rising from that of the request; the first that differed is the last. */
  readonly results: readonly ExecutionResult[];
}

const OWN_ENDS = new Set(['exit', 'signal']);

/**
 * Runs the same request again and compares how it ended, both streams and the collected files; measured values are not compared. Stops at
 * the first difference. A run that did not end by itself was cut at a moment of chance: it is `not_checked`.
 */
export async function checkDeterminism(
  executor: Executor,
  request: ExecutionRequest,
  options: DeterminismOptions = {},
): Promise<DeterminismCheck> {
  const { runs = 2, artifacts, masks = [], ...observe } = options;
  const results: ExecutionResult[] = [];
  const conclude = (verdict: Omit<DeterminismVerdict, 'runs'>): DeterminismCheck => ({
    verdict: { ...verdict, runs: results.length },
    results,
  });
  for (let turn = 0; turn < Math.max(2, runs); turn += 1) {
    const result = await executor.run({ ...request, ordinal: request.ordinal + turn }, observe);
    results.push(result);
    const [first = result] = results;
    if (result.ended_by === 'cancelled' || result.ended_by === 'policy_unmet')
      return conclude({ verdict: 'not_checked' });
    if (first.ended_by === result.ended_by && !OWN_ENDS.has(result.ended_by))
      return conclude({ verdict: 'not_checked' });
    const difference = await findDifference(first, result, { masks, ...(artifacts && { artifacts }) });
    if (difference === undefined) continue;
    const { field, first_difference, before, after } = difference;
    const likely_cause = guessCause(before, after);
    return conclude({
      verdict: 'nondeterministic',
      field,
      first_difference,
      ...(likely_cause === undefined ? {} : { likely_cause }),
    });
  }
  return conclude({ verdict: 'deterministic' });
}
