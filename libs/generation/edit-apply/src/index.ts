export type {
  AppliedCandidate,
  ApplyReason,
  ApplyRejection,
  EditBlock,
  EditPackage,
  MatchTier,
  ProposedEdit,
} from '@h/contracts';
export {
  type ApplyOptions,
  type ApplyResult,
  applyEdits,
  type ChangedFile,
  type Gate,
  type GateChange,
  type GateVerdict,
} from './apply-edits.ts';
export { type CandidateContent, candidateId } from './candidate-id.ts';
export { EditApplyError, type EditApplyErrorCode } from './errors.ts';
export { createGate, type GateLanguage, type GateOptions, type OwnedGate } from './gate/create-gate.ts';
export type { MissCause } from './locate/explain-miss.ts';
export { openSnapshot, type Sha256, type Snapshot, type SnapshotFile, type SourceFiles } from './open-snapshot.ts';
export type { EditInput, FileEdit } from './plan-files.ts';
