export { directoryArtifacts, memoryArtifacts } from './artifact-stores.ts';
export { canonicalJson, hashRecord, sha256Hex } from './canonical-json.ts';
export { type DefUseFile, readDefUseLog, writeDefUseLog } from './def-use-file.ts';
export {
  createDefUseLog,
  type DefUseLog,
  type DefUseLogWriter,
  type LoggedRow,
  type LoggedStatement,
  leadingCells,
  namesOf,
} from './def-use-log.ts';
export { Json, LineRange, LineSet, Loc, RepoPath, Sha, Span, TestId, Text } from './define-record.ts';
export { describeIssues } from './describe-issues.ts';
export {
  CandidateProbePoints,
  Claim,
  ClaimCheck,
  DefUseLogHeader,
  DefUseRow,
  DivergenceRecord,
  DynamicSlice,
  EvidencePack,
  HypothesisSet,
  HypothesisVerdict,
  InstrumentedArtifact,
  ObservedRun,
  ProbePlan,
  RankedStatement,
  RawEvent,
  RefinedRanking,
  Spectrum,
  SpectrumReport,
  SpectrumStatement,
  StatementKind,
  StateObservation,
  TracePlan,
  ValueText,
} from './diagnosis.ts';
export { type Envelope, envelope, openEnvelope, readEnvelope, schemaName } from './envelope.ts';
export { ContractError, type ContractErrorCode } from './errors.ts';
export {
  CollectedFile,
  CollectionError,
  DeterminismVerdict,
  EndedBy,
  ExecutionMode,
  ExecutionRequest,
  ExecutionResult,
  FileLines,
  IsolationPolicy,
  IsolationProperty,
  PropertyState,
  Receipt,
  Stream,
  SubtestResult,
  TestCommand,
  TestDependencies,
  TestFailure,
  TestOutcome,
  TestResult,
  TestRunReport,
  TreeEntry,
  TreeManifest,
} from './execution.ts';
export {
  AppliedCandidate,
  ApplyReason,
  ApplyRejection,
  CandidateBatch,
  CandidateSet,
  CandidateValidation,
  ChangeSet,
  Collapse,
  EditBlock,
  EditChoice,
  EditFormat,
  EditOrigin,
  EditPackage,
  GateDiagnostic,
  GateState,
  Hunk,
  IntentPackage,
  MatchTier,
  ModelOutcome,
  ModelRequest,
  ModelUsage,
  MultiEditAnswer,
  ProposedEdit,
  SearchReplaceAnswer,
  WholeFileAnswer,
} from './generation.ts';
export { type JsonSchema, jsonSchemaOf } from './json-schemas.ts';
export { formatLines, parseLineRanges, parseLines } from './line-sets.ts';
export { parseLoc } from './parse-loc.ts';
export { checkRecord, parseRecord } from './parse-record.ts';
export type {
  ArtifactStore,
  BatchRun,
  CancelOptions,
  Executor,
  ModelCall,
  ObserveOptions,
  ProgressEvent,
  RunBatch,
  RunTests,
  SourceReader,
} from './ports.ts';
export {
  BehaviorNet,
  BlastRadius,
  Diagnostic,
  Divergence,
  Evidence,
  FixCompleteness,
  ImpactGraph,
  IntentAnnotations,
  Invariant,
  LedgerEntry,
  Manifest,
  Marker,
  Neighbour,
  Obligation,
  PatchRanking,
  Pin,
  PreservationLedger,
  RegressionSelection,
  RegressionStatus,
  SurfaceVerdict,
  UnexpectedDifference,
} from './protection.ts';
export { type RecordName, type RecordOf, recordRegistry } from './record-registry.ts';
export { RunOutcome, RunSummary } from './run.ts';
export { EXECUTABLE_FILE, editTree, getTree, putTree, REGULAR_FILE, SYMBOLIC_LINK, type TreeChange } from './trees.ts';
