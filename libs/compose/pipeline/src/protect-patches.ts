// Distinct candidates → validated ones → a preservation ledger for each → the order to look at them in.
import {
  type CandidateValidation,
  editTree,
  type IntentAnnotations,
  type IsolationPolicy,
  type LedgerEntry,
  type ModelCall,
  type PatchRanking,
  type ProgressEvent,
  type RegressionSelection,
  type Sha,
  type TestId,
  type TestRunReport,
  type TreeChange,
} from '@h/contracts';
import { buildLedger, rankPatches } from '@h/ledger';
import { compareReports, createSuiteRunner, hangLimit, runSuite } from '@h/test-runners';
import { type Validation, validateCandidates } from '@h/validate';
import { askForIntent, type Question } from './ask-model.ts';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';
import type { Candidate, Proposal } from './propose-candidates.ts';
import { createReach, type Reach } from './reach-tests.ts';

export interface ProtectOptions {
  /** Test-runner executions to spend on candidates. */
  readonly budget: number;
  /** Plausible candidates after which validation stops; absent: the budget alone. */
  readonly stopAfterPlausible?: number;
  /** Executions after the first plausible candidate; absent: the budget alone. */
  readonly furtherExecutions?: number;
  /** Also a ledger for candidates that mend the failing tests and break others: for candidates the caller brought. */
  readonly ledgerForBroken: boolean;
  readonly signal?: AbortSignal;
  /** Aborts validation only: what was validated until then counts. */
  readonly deadline?: AbortSignal;
  /** Asked once about the unexpected differences of the best patch, where it has any. */
  readonly model?: ModelCall;
  /** What the change must do, in the caller's words. */
  readonly requirement?: string;
  /** Runs the whole suite on each candidate, whatever it can reach. */
  readonly allTests?: boolean;
  /** False: every candidate starts the test runner anew. What is found is the same as far as a batch says what a run alone says. */
  readonly batch?: boolean;
  readonly onEvent?: (event: ProgressEvent) => void;
}

export interface ProtectedPatch {
  readonly candidate: Candidate;
  readonly validation: CandidateValidation;
  readonly report: TestRunReport;
  /** Tests that were not run on it. */
  readonly skipped: RegressionSelection['skipped'];
  readonly entry: LedgerEntry;
}

export interface Protection {
  readonly validation: Validation;
  readonly patches: readonly ProtectedPatch[];
  readonly ranking: PatchRanking;
  /** What a model was asked, and what became of it; absent where it was not. */
  readonly question?: Question;
  /** Plausible once, but not when everything was run again: never handed over. */
  readonly unconfirmed: readonly string[];
}

/** Runs the candidates within the budget and proves what it can about those that mend the failing tests. Patches are best first. */
export async function protectPatches(
  session: Session,
  diagnosis: Diagnosis,
  proposal: Proposal,
  options: ProtectOptions,
): Promise<Protection> {
  const { host } = session;
  const limited = { ...host, policy: candidatePolicy(host.policy, diagnosis) };
  const suite = createSuiteRunner(session.suite, limited, { baseline: diagnosis.baseline });
  const stop = [options.signal, options.deadline].filter((signal) => signal !== undefined);
  const reach = options.allTests === true ? allTests : createReach(session, diagnosis);
  options.onEvent?.({ kind: 'stage', message: `validating ${proposal.candidates.length} candidates` });
  const validation = await validateCandidates({
    candidates: proposal.candidates.map((one) => ({
      candidate_id: one.record.candidate_id,
      changes: changesToRun(one, diagnosis),
    })),
    baseline: diagnosis.baseline,
    tree: host.tree,
    artifacts: host.artifacts,
    failing: diagnosis.failing,
    plan: suite.plan,
    select: async (_candidate, tree) => (await reach(tree)).tests,
    runTests: suite.runTests,
    ...(options.batch === false ? {} : { runBatch: suite.runBatch }),
    budget: {
      executions: options.budget,
      ...(options.furtherExecutions === undefined ? {} : { furtherExecutions: options.furtherExecutions }),
      ...(options.stopAfterPlausible === undefined ? {} : { stopAfterPlausible: options.stopAfterPlausible }),
    },
    concurrency: host.executor.capabilities.concurrency,
    ...(stop.length === 0 ? {} : { signal: AbortSignal.any(stop) }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  options.signal?.throwIfAborted();
  const found = mendingCandidates(proposal, validation, options.ledgerForBroken);
  const { confirmed, unconfirmed } = await confirm(session, diagnosis, found, { ...options, reach });
  const patches = confirmed.map((patch) => ({ ...patch, entry: ledgerOf(diagnosis, patch) }));
  const ranking = rankPatches(
    patches.map(({ entry }) => entry),
    { votes: proposal.set.votes },
  );
  const place = new Map(ranking.ranked.map(({ patch_id }, index) => [patch_id, index]));
  const orderOf = ({ candidate }: ProtectedPatch) => place.get(candidate.record.candidate_id) ?? patches.length;
  const sorted = [...patches].sort((a, b) => orderOf(a) - orderOf(b));
  const annotated = await annotateBest(diagnosis, sorted, options);
  return { validation, ranking, unconfirmed, ...annotated };
}

/** An annotation can add to what counts against a patch and clears nothing, so that the order of the patches stands. */
async function annotateBest(
  diagnosis: Diagnosis,
  patches: readonly ProtectedPatch[],
  { model, ...options }: ProtectOptions,
): Promise<Pick<Protection, 'patches' | 'question'>> {
  const [best, ...rest] = patches;
  if (model === undefined || best === undefined || best.entry.ledger.unexpected_differences.length === 0)
    return { patches };
  const { question, annotations, violation } = await askForIntent(best.entry, diagnosis, model, options);
  const entry = ledgerOf(diagnosis, best, annotations);
  const violations = [...entry.violations, ...(violation === undefined ? [] : [violation])];
  return { question, patches: [{ ...best, entry: { ...entry, violations } }, ...rest] };
}

/** Far apart, so that two runs of the same repository take the same one and their execution ids agree. */
const CANDIDATE_LIMITS_MS = [15_000, 60_000];
const SLOWER_THAN_BASELINE = 2.5;

/**
 * The shortest limit that leaves a candidate 2.5 times what the baseline took, all of it and each of its tests, of which one may take a quarter of a
 * run; else as long as the baseline might.
 */
export function candidatePolicy(
  policy: IsolationPolicy,
  { baseline, baselineMs }: Pick<Diagnosis, 'baseline' | 'baselineMs'>,
): IsolationPolicy {
  const longestMs = baseline.tests.reduce((most, { duration_ms = 0 }) => Math.max(most, duration_ms), 0);
  const closer = CANDIDATE_LIMITS_MS.map((ms) => ({ ...policy, wall_ms: Math.min(ms, policy.wall_ms) }));
  const isEnough = (one: IsolationPolicy) =>
    one.wall_ms >= SLOWER_THAN_BASELINE * baselineMs && hangLimit({ policy: one }) >= SLOWER_THAN_BASELINE * longestMs;
  return closer.find(isEnough) ?? policy;
}

/** Files that hold tests: those that hold nothing else, and programs with tests in them, such as modules whose doctests are run. */
export function testFilesOf({ baseline, observed }: Pick<Diagnosis, 'baseline' | 'observed'>) {
  const executed = [...observed.tests.flatMap(({ coverage = [] }) => coverage), ...(observed.import_coverage ?? [])];
  const programs = new Set(executed.map(({ file }) => file));
  const files = [...new Set(baseline.tests.map(({ file }) => file))];
  return {
    tests: new Set(files.filter((file) => !programs.has(file))),
    mixed: new Set(files.filter((file) => programs.has(file))),
  };
}

/** design/seeds.md, spec 19: the tests run as the baseline has them, whatever a candidate makes of them. */
function changesToRun({ changes }: Candidate, diagnosis: Diagnosis): TreeChange[] {
  const { tests } = testFilesOf(diagnosis);
  return changes.filter(({ path }) => !tests.has(path));
}

const allTests = async (): Promise<Reach> => ({ tests: 'all', skipped: [] });

type MendingCandidate = Omit<ProtectedPatch, 'entry'>;

/**
 * Runs the tests it can reach once more on each candidate: a failing test that passes by luck must not make a patch. Another test
 * that wavers is marked flaky, so that the ledger takes it as no evidence.
 */
async function confirm(
  session: Session,
  diagnosis: Diagnosis,
  found: readonly MendingCandidate[],
  { signal, onEvent, reach }: ProtectOptions & { readonly reach: (tree: Sha) => Promise<Reach> },
): Promise<{ confirmed: MendingCandidate[]; unconfirmed: string[] }> {
  const { host } = session;
  const policy = candidatePolicy(host.policy, diagnosis);
  const confirmed: MendingCandidate[] = [];
  const unconfirmed: string[] = [];
  if (found.length > 0)
    onEvent?.({
      kind: 'stage',
      message: `running the tests again on each of them that mends the failure: ${found.length}`,
    });
  for (const one of found) {
    const tree = await editTree(host.tree, changesToRun(one.candidate, diagnosis), host.artifacts);
    const { tests, skipped } = await reach(tree);
    const chosen = tests === 'all' ? {} : { tests: [...new Set([...diagnosis.failing, ...tests])] };
    const options = { ordinal: 1, ...chosen, ...(signal === undefined ? {} : { signal }) };
    const again = await runSuite(session.suite, { ...host, policy, tree }, options);
    signal?.throwIfAborted();
    const wavering = compareReports(one.report, again).disagreeing.map(({ test }) => test);
    const byLuck = wavering.filter((test) => diagnosis.failing.includes(test));
    const id = one.candidate.record.candidate_id.slice(0, 8);
    if (byLuck.length > 0) unconfirmed.push(`${id} (${byLuck.join(', ')})`);
    else confirmed.push({ ...one, skipped, report: markFlaky(one.report, wavering) });
  }
  return { confirmed, unconfirmed };
}

function markFlaky(report: TestRunReport, wavering: readonly TestId[]): TestRunReport {
  if (wavering.length === 0) return report;
  return { ...report, tests: report.tests.map((one) => (wavering.includes(one.test) ? { ...one, flaky: true } : one)) };
}

/** Candidates that mend the failing tests and whose whole suite was run, in candidate order. */
function mendingCandidates(proposal: Proposal, validation: Validation, broken: boolean): MendingCandidate[] {
  const candidateOf = new Map(proposal.candidates.map((candidate) => [candidate.record.candidate_id, candidate]));
  return validation.validations.flatMap((one) => {
    const candidate = candidateOf.get(one.candidate_id);
    const report = validation.reports.get(one.candidate_id);
    const wanted = one.status === 'plausible' || (broken && one.status === 'neighbour_broken');
    return candidate === undefined || report === undefined || !wanted
      ? []
      : [{ candidate, validation: one, report, skipped: [] }];
  });
}

function ledgerOf(
  { baseline, failing }: Diagnosis,
  { candidate, report, skipped }: MendingCandidate,
  annotations?: IntentAnnotations,
): LedgerEntry {
  return buildLedger({
    patch_id: candidate.record.candidate_id,
    baseline,
    candidate: report,
    failing,
    impact: 'not_analysed',
    skipped,
    ...(annotations === undefined ? {} : { annotations }),
    changedFiles: candidate.changes.map(({ path }) => path),
  });
}
