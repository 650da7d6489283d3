import type { CandidateProbePoints, HypothesisSet, ModelCall, TestFailure, TestId } from '@h/contracts';
import { type CallOptions, type CallResult, callOnce } from './call-once.ts';
import { hypothesisEntry } from './entries/hypothesis-entry.ts';

export interface HypothesisInput {
  /** The failing test and what it said; frames, where given, are left out. */
  readonly failure: { readonly test: TestId } & Pick<TestFailure, 'class' | 'location' | 'message'>;
  /** Ranked statements; the first fifty are sent. */
  readonly candidatePoints: CandidateProbePoints['candidate_probe_points'];
  /** Tests that are there, those nearest to the failure first; as many as fit are sent. */
  readonly existingTests: readonly TestId[];
}

export interface ProposedHypotheses {
  /** Absent: no hypothesis, and planning goes on from the ranked statements alone. */
  readonly hypotheses?: HypothesisSet;
  readonly call: CallResult<HypothesisSet>;
}

/** The one question of a diagnosis (seed 12 §4): at most four hypotheses to observe, or none. Never rejects for what the model does. */
export async function proposeHypotheses(
  { failure, candidatePoints, existingTests }: HypothesisInput,
  model: ModelCall,
  options: CallOptions = {},
): Promise<ProposedHypotheses> {
  const values = {
    failure: {
      test: failure.test,
      class: failure.class,
      location: failure.location,
      message: failure.message,
    },
    candidate_points: candidatePoints,
    existing_tests: existingTests,
  };
  const call = await callOnce<HypothesisSet>(hypothesisEntry, values, { ...options, call: model });
  return call.status === 'answered' ? { hypotheses: call.answer, call } : { call };
}
