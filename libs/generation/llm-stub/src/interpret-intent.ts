import type { IntentAnnotations, LedgerEntry, Manifest, ModelCall } from '@h/contracts';
import { type CallOptions, type CallResult, callOnce } from './call-once.ts';
import { intentEntry } from './entries/intent-entry.ts';

export interface IntentInput {
  /** The model sees id, behaviour and both results of each entry, never the deterministic marker. */
  readonly manifest: Manifest;
  /** What the patch is meant to do, verbatim. */
  readonly issueIntent: string;
  /** `impact_source` of the obligations: "SessionConfig -> SessionManager". */
  readonly impactContext: readonly string[];
}

export interface InterpretedIntent {
  /** Absent: nothing is annotated, and the deterministic verdict stands. */
  readonly annotations?: IntentAnnotations;
  /** An answer that arrived and was voided, as the ledger records it. */
  readonly violation?: LedgerEntry['violations'][number];
  readonly call: CallResult<IntentAnnotations>;
}

/**
 * The one question of a protection run (seed 19 §4): which divergences are the fix. An unknown divergence, one annotated twice, a
 * status, a third classification or any other text voids the whole answer. Never rejects for what the model does.
 */
export async function interpretIntent(
  { manifest, issueIntent, impactContext }: IntentInput,
  model: ModelCall,
  options: CallOptions = {},
): Promise<InterpretedIntent> {
  const manifest_entries = manifest.entries.map(({ divergence_id, behavior, pinned, candidate }) => ({
    divergence_id,
    behavior,
    pinned,
    candidate,
  }));
  const values = { manifest_entries, issue_intent: issueIntent, impact_context: impactContext };
  const call = await callOnce<IntentAnnotations>(intentEntry, values, { ...options, call: model });
  if (call.status === 'answered') return { annotations: call.answer, call };
  const violation = violationOf(call);
  return violation === undefined ? { call } : { violation, call };
}

/** A model that answered badly broke a rule; a network that did not answer broke none. */
function violationOf(call: CallResult): LedgerEntry['violations'][number] | undefined {
  if (call.status !== 'no_op' || call.outcome === undefined) return undefined;
  if (!['schema', 'json', 'truncated', 'refusal', 'tool_call'].includes(call.kind)) return undefined;
  const kind = call.brokenRule ?? 'malformed_annotations';
  return { source: 'intent', kind, digest: call.answerDigest ?? call.outcome.request_digest };
}
