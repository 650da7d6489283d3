import { expect, test } from 'vitest';
import * as defUseLog from '../src/def-use-log.ts';
import * as diagnosis from '../src/diagnosis.ts';
import * as execution from '../src/execution.ts';
import * as generation from '../src/generation.ts';
import * as contracts from '../src/index.ts';
import * as lineSets from '../src/line-sets.ts';
import * as parseLoc from '../src/parse-loc.ts';
import * as ports from '../src/ports.ts';
import * as protection from '../src/protection.ts';
import * as run from '../src/run.ts';
import * as testing from '../src/testing.ts';

test('what @h/contracts exports', () => {
  expect(Object.keys(contracts).join(' ')).toMatchInlineSnapshot(
    `"directoryArtifacts memoryArtifacts canonicalJson hashRecord sha256Hex readDefUseLog writeDefUseLog createDefUseLog leadingCells namesOf Json LineRange LineSet Loc RepoPath Sha Span TestId Text describeIssues CandidateProbePoints Claim ClaimCheck DefUseLogHeader DefUseRow DivergenceRecord DynamicSlice EvidencePack HypothesisSet HypothesisVerdict InstrumentedArtifact ObservedRun ProbePlan RankedStatement RawEvent RefinedRanking Spectrum SpectrumReport SpectrumStatement StatementKind StateObservation TracePlan ValueText envelope openEnvelope readEnvelope schemaName ContractError CollectedFile CollectionError DeterminismVerdict EndedBy ExecutionMode ExecutionRequest ExecutionResult FileLines IsolationPolicy IsolationProperty PropertyState Receipt Stream SubtestResult TestCommand TestDependencies TestFailure TestOutcome TestResult TestRunReport TreeEntry TreeManifest AppliedCandidate ApplyReason ApplyRejection CandidateBatch CandidateSet CandidateValidation ChangeSet Collapse EditBlock EditChoice EditFormat EditOrigin EditPackage GateDiagnostic GateState Hunk IntentPackage MatchTier ModelOutcome ModelRequest ModelUsage MultiEditAnswer ProposedEdit SearchReplaceAnswer WholeFileAnswer jsonSchemaOf formatLines parseLineRanges parseLines parseLoc checkRecord parseRecord BehaviorNet BlastRadius Diagnostic Divergence Evidence FixCompleteness ImpactGraph IntentAnnotations Invariant LedgerEntry Manifest Marker Neighbour Obligation PatchRanking Pin PreservationLedger RegressionSelection RegressionStatus SurfaceVerdict UnexpectedDifference recordRegistry RunOutcome RunSummary EXECUTABLE_FILE editTree getTree putTree REGULAR_FILE SYMBOLIC_LINK"`,
  );
});

test('what its subpaths export', () => {
  const subpaths = { ports, execution, defUseLog, lineSets, parseLoc, diagnosis, generation, protection, run, testing };
  expect(
    Object.fromEntries(Object.entries(subpaths).map(([name, exported]) => [name, Object.keys(exported).join(' ')])),
  ).toMatchInlineSnapshot(`
    {
      "defUseLog": "createDefUseLog namesOf leadingCells firstName",
      "diagnosis": "CandidateProbePoints RankedStatement RefinedRanking Spectrum SpectrumReport SpectrumStatement StatementKind ValueText HypothesisSet ProbePlan TracePlan InstrumentedArtifact RawEvent DefUseLogHeader DefUseRow ObservedRun DivergenceRecord DynamicSlice StateObservation EvidencePack Claim ClaimCheck HypothesisVerdict",
      "execution": "IsolationProperty IsolationPolicy ExecutionMode ExecutionRequest TreeEntry TreeManifest Stream PropertyState Receipt DeterminismVerdict EndedBy CollectedFile ExecutionResult TestCommand TestOutcome TestFailure FileLines TestDependencies SubtestResult TestResult CollectionError TestRunReport",
      "generation": "ModelOutcome ModelRequest ModelUsage MultiEditAnswer SearchReplaceAnswer WholeFileAnswer IntentPackage EditFormat EditChoice EditBlock EditOrigin ProposedEdit CandidateBatch ChangeSet EditPackage GateState MatchTier Hunk AppliedCandidate ApplyReason GateDiagnostic ApplyRejection Collapse CandidateSet CandidateValidation",
      "lineSets": "parseLineRanges parseLines formatLines",
      "parseLoc": "parseLoc",
      "ports": "",
      "protection": "ImpactGraph BlastRadius Evidence Obligation RegressionSelection Pin Invariant BehaviorNet Divergence Neighbour FixCompleteness Diagnostic SurfaceVerdict Marker Manifest IntentAnnotations RegressionStatus UnexpectedDifference PreservationLedger LedgerEntry PatchRanking",
      "run": "RunOutcome RunSummary",
      "testing": "arbitraryOf arbitraries",
    }
  `);
});

test('every export of a topic is an export of the index', () => {
  const topics = { ...ports, ...execution, ...diagnosis, ...generation, ...protection, ...run };
  expect(Object.keys(topics).filter((name) => !(name in contracts))).toEqual([]);
});
