import type { z } from 'zod';
import * as diagnosis from './diagnosis.ts';
import * as execution from './execution.ts';
import * as generation from './generation.ts';
import * as protection from './protection.ts';
import * as run from './run.ts';

const records = {
  IsolationPolicy: execution.IsolationPolicy,
  ExecutionRequest: execution.ExecutionRequest,
  Stream: execution.Stream,
  Receipt: execution.Receipt,
  TreeManifest: execution.TreeManifest,
  TestCommand: execution.TestCommand,
  ExecutionResult: execution.ExecutionResult,
  DeterminismVerdict: execution.DeterminismVerdict,
  TestRunReport: execution.TestRunReport,
  TestResult: execution.TestResult,
  TestFailure: execution.TestFailure,
  CollectionError: execution.CollectionError,
  TestDependencies: execution.TestDependencies,
  Spectrum: diagnosis.Spectrum,
  SpectrumReport: diagnosis.SpectrumReport,
  RefinedRanking: diagnosis.RefinedRanking,
  CandidateProbePoints: diagnosis.CandidateProbePoints,
  HypothesisSet: diagnosis.HypothesisSet,
  ProbePlan: diagnosis.ProbePlan,
  TracePlan: diagnosis.TracePlan,
  InstrumentedArtifact: diagnosis.InstrumentedArtifact,
  ValueText: diagnosis.ValueText,
  RawEvent: diagnosis.RawEvent,
  DefUseLogHeader: diagnosis.DefUseLogHeader,
  DefUseRow: diagnosis.DefUseRow,
  ObservedRun: diagnosis.ObservedRun,
  DivergenceRecord: diagnosis.DivergenceRecord,
  DynamicSlice: diagnosis.DynamicSlice,
  StateObservation: diagnosis.StateObservation,
  EvidencePack: diagnosis.EvidencePack,
  Claim: diagnosis.Claim,
  ClaimCheck: diagnosis.ClaimCheck,
  HypothesisVerdict: diagnosis.HypothesisVerdict,
  IntentPackage: generation.IntentPackage,
  EditChoice: generation.EditChoice,
  CandidateBatch: generation.CandidateBatch,
  SearchReplaceAnswer: generation.SearchReplaceAnswer,
  WholeFileAnswer: generation.WholeFileAnswer,
  MultiEditAnswer: generation.MultiEditAnswer,
  ProposedEdit: generation.ProposedEdit,
  ChangeSet: generation.ChangeSet,
  EditPackage: generation.EditPackage,
  AppliedCandidate: generation.AppliedCandidate,
  ApplyRejection: generation.ApplyRejection,
  CandidateSet: generation.CandidateSet,
  CandidateValidation: generation.CandidateValidation,
  ModelUsage: generation.ModelUsage,
  ModelRequest: generation.ModelRequest,
  ModelOutcome: generation.ModelOutcome,
  ImpactGraph: protection.ImpactGraph,
  BlastRadius: protection.BlastRadius,
  Obligation: protection.Obligation,
  RegressionSelection: protection.RegressionSelection,
  BehaviorNet: protection.BehaviorNet,
  Pin: protection.Pin,
  Invariant: protection.Invariant,
  Divergence: protection.Divergence,
  FixCompleteness: protection.FixCompleteness,
  SurfaceVerdict: protection.SurfaceVerdict,
  Manifest: protection.Manifest,
  IntentAnnotations: protection.IntentAnnotations,
  PreservationLedger: protection.PreservationLedger,
  LedgerEntry: protection.LedgerEntry,
  PatchRanking: protection.PatchRanking,
  RunSummary: run.RunSummary,
} as const;

export type RecordName = keyof typeof records;
export type RecordOf<Name extends RecordName> = z.output<(typeof records)[Name]>;

/** Every record that may stand in a file, with the major version written today. */
export const recordRegistry = Object.fromEntries(
  Object.entries(records).map(([name, schema]) => [name, { schema, version: 1 }]),
) as { readonly [Name in RecordName]: { readonly schema: (typeof records)[Name]; readonly version: number } };
