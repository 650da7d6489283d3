export { type BuiltRequest, buildRequest, type EntryValues, type RequestOptions } from './build-request.ts';
export { type CallOptions, type CallResult, callOnce, type ModelClient, type NoOpKind } from './call-once.ts';
export { type CandidateForm, multiEditEntry, searchReplaceEntry, wholeFileEntry } from './entries/candidates-entry.ts';
export { hypothesisEntry } from './entries/hypothesis-entry.ts';
export { intentEntry } from './entries/intent-entry.ts';
export { LlmStubError, type LlmStubErrorCode } from './errors.ts';
export type { Omission } from './fit-input.ts';
export { type IntentInput, type InterpretedIntent, interpretIntent } from './interpret-intent.ts';
export type { AnswerRule, EntryInput, FiringCondition, JsonValue, ModelEntry } from './model-entry.ts';
export {
  type CandidatesInput,
  type CandidatesOptions,
  type ProposedCandidates,
  proposeCandidates,
} from './propose-candidates.ts';
export { type HypothesisInput, type ProposedHypotheses, proposeHypotheses } from './propose-hypotheses.ts';
export { limitCalls } from './providers/limit-calls.ts';
export { noModel } from './providers/no-model.ts';
export { openAiCompatible, type Parameter, type ProviderOptions } from './providers/openai-compatible.ts';
export type { Pricing } from './providers/price-usage.ts';
export { explainMiss, type MissExplanation, recordModel, replayModel } from './providers/recorded-model.ts';
export { directoryRecordings, memoryRecordings, type Recordings } from './providers/recordings.ts';
export { type ScriptedAnswer, type ScriptedModel, scriptedModel } from './providers/scripted-model.ts';
export { textModel } from './providers/text-model.ts';
