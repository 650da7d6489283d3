import {
  type CandidateBatch,
  type EditBlock,
  type EditOrigin,
  hashRecord,
  type IntentPackage,
  type ModelCall,
  type MultiEditAnswer,
  type ProposedEdit,
  type SearchReplaceAnswer,
  type Sha,
  type WholeFileAnswer,
} from '@h/contracts';
import { type CallOptions, type CallResult, callOnce } from './call-once.ts';
import { type CandidateForm, multiEditEntry, searchReplaceEntry, wholeFileEntry } from './entries/candidates-entry.ts';
import { invalidCount } from './errors.ts';
import type { ModelEntry } from './model-entry.ts';

export interface CandidatesInput {
  readonly intent: IntentPackage;
  readonly form: CandidateForm;
  /** SHA-256 of the target file's bytes in the snapshot; part of each candidate's id. */
  readonly before: Sha;
  /** Text of the span (for `whole_file`: of the file). Absent: the model is shown none, and has to guess what to search for. */
  readonly targetText?: string;
}

export interface CandidatesOptions extends CallOptions {
  /** 1 to 10; 4 when absent. What is asked for: up to 10 are taken. */
  readonly nCandidates?: number;
  /** 0.8 when absent. */
  readonly temperature?: number;
  /** `recorded` where the model is a replay. */
  readonly origin?: EditOrigin;
}

type Answer = SearchReplaceAnswer | MultiEditAnswer | WholeFileAnswer;

export interface ProposedCandidates {
  /** Without candidates where the model was not asked or its answer is void; `regenerate` tells the latter. */
  readonly batch: CandidateBatch;
  readonly call: CallResult<Answer>;
}

const entries: Readonly<Record<CandidateForm, ModelEntry>> = {
  search_replace: searchReplaceEntry,
  multi_edit: multiEditEntry,
  whole_file: wholeFileEntry,
};
const mostCandidates = 10;

/**
 * The one question of a generation (seed 09 §4): candidates over one target in one form. One malformed candidate, or more than ten,
 * voids the answer: no candidates, `regenerate: true`. Throws `invalid_count`; never rejects for what the model does.
 */
export async function proposeCandidates(
  { intent, form, before, targetText }: CandidatesInput,
  model: ModelCall,
  { nCandidates = 4, temperature, origin = 'model', ...options }: CandidatesOptions = {},
): Promise<ProposedCandidates> {
  if (!Number.isInteger(nCandidates) || nCandidates < 1 || nCandidates > mostCandidates) {
    throw invalidCount(nCandidates, mostCandidates);
  }
  const entry = temperature === undefined ? entries[form] : { ...entries[form], temperature };
  const values = {
    intent_package: intent,
    edit_format: { format: form, ...(targetText === undefined ? {} : { target_text: targetText }) },
    n_candidates: nCandidates,
  };
  const call = await callOnce<Answer>(entry, values, { ...options, call: model });
  const target = { file: intent.target.file, span: intent.target.span };
  const edits = call.status === 'answered' ? call.answer.candidates : [];
  const provenance = call.status === 'answered' ? `${entry.name} ${call.outcome.request_digest}` : '';
  const usage = usageOf(call);
  const batch: CandidateBatch = {
    target,
    format: form === 'whole_file' ? 'whole_file' : 'search_replace',
    candidates: edits.map((edit) => toProposal(edit, target, before, origin, provenance)),
    regenerate: call.status === 'no_op',
    origin,
    ...(usage === undefined ? {} : { usage }),
  };
  return { batch, call };
}

function usageOf(call: CallResult): CandidateBatch['usage'] {
  return call.status === 'answered' || call.status === 'no_op' ? call.outcome?.usage : undefined;
}

function toProposal(
  edit: EditBlock | readonly EditBlock[] | { readonly content: string },
  { file, span }: CandidateBatch['target'],
  before: Sha,
  origin: EditOrigin,
  provenance: string,
): ProposedEdit {
  const change =
    'content' in edit ? { file, content: edit.content } : { file, span, blocks: 'search' in edit ? [edit] : [...edit] };
  return { candidate_id: hashRecord({ ...change, before }), origin, ...change, provenance };
}
