// Distinct candidates → validated ones → a preservation ledger for each → the order to look at them in.
import type {
  CandidateValidation,
  IsolationPolicy,
  LedgerEntry,
  PatchRanking,
  ProgressEvent,
  TestRunReport,
} from '@h/contracts';
import { buildLedger, rankPatches } from '@h/ledger';
import { createRunTests, planTestRun } from '@h/test-runners';
import { type Validation, validateCandidates } from '@h/validate';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';
import type { Candidate, Proposal } from './propose-candidates.ts';

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
  readonly onEvent?: (event: ProgressEvent) => void;
}

export interface ProtectedPatch {
  readonly candidate: Candidate;
  readonly validation: CandidateValidation;
  readonly report: TestRunReport;
  readonly entry: LedgerEntry;
}

export interface Protection {
  readonly validation: Validation;
  readonly patches: readonly ProtectedPatch[];
  readonly ranking: PatchRanking;
}

/** Runs the candidates within the budget and proves what it can about those that mend the failing tests. Patches are best first. */
export async function protectPatches(
  session: Session,
  diagnosis: Diagnosis,
  proposal: Proposal,
  options: ProtectOptions,
): Promise<Protection> {
  const { detection, host } = session;
  const stop = [options.signal, options.deadline].filter((signal) => signal !== undefined);
  options.onEvent?.({ kind: 'stage', message: `validating ${proposal.candidates.length} candidates` });
  const validation = await validateCandidates({
    candidates: proposal.candidates.map(({ record, changes }) => ({ candidate_id: record.candidate_id, changes })),
    baseline: diagnosis.baseline,
    tree: host.tree,
    artifacts: host.artifacts,
    failing: diagnosis.failing,
    plan: (tests) =>
      planTestRun(detection, { mode: 'run', ...runtimesOf(session), ...(tests === 'all' ? {} : { tests }) }).command,
    runTests: createRunTests({ ...host, policy: candidatePolicy(host.policy, diagnosis.baselineMs) }),
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
  const patches = ledgers(diagnosis, proposal, validation, options.ledgerForBroken);
  const ranking = rankPatches(
    patches.map(({ entry }) => entry),
    { votes: proposal.set.votes },
  );
  const place = new Map(ranking.ranked.map(({ patch_id }, index) => [patch_id, index]));
  const orderOf = ({ candidate }: ProtectedPatch) => place.get(candidate.record.candidate_id) ?? patches.length;
  return { validation, ranking, patches: [...patches].sort((a, b) => orderOf(a) - orderOf(b)) };
}

const CANDIDATE_LIMITS_MS = [10_000, 60_000, 300_000];
const SLOWER_THAN_BASELINE = 5;

/**
 * A candidate may run five times as long as the baseline, never longer than the baseline was allowed to. Limits are few and
 * far apart, so that two runs of the same repository take the same one and their execution ids agree.
 */
function candidatePolicy(policy: IsolationPolicy, baselineMs: number): IsolationPolicy {
  const limit = CANDIDATE_LIMITS_MS.find((ms) => ms >= SLOWER_THAN_BASELINE * baselineMs) ?? policy.wall_ms;
  return { ...policy, wall_ms: Math.min(limit, policy.wall_ms) };
}

function runtimesOf({ host }: Session) {
  return {
    ...(host.python === undefined ? {} : { python: host.python }),
    ...(host.node === undefined ? {} : { node: host.node }),
  };
}

function ledgers(
  diagnosis: Diagnosis,
  proposal: Proposal,
  validation: Validation,
  forBroken: boolean,
): ProtectedPatch[] {
  const candidateOf = new Map(proposal.candidates.map((candidate) => [candidate.record.candidate_id, candidate]));
  return validation.validations.flatMap((one) => {
    const candidate = candidateOf.get(one.candidate_id);
    const report = validation.reports.get(one.candidate_id);
    const wanted = one.status === 'plausible' || (forBroken && one.status === 'neighbour_broken');
    if (candidate === undefined || report === undefined || !wanted) return [];
    const entry = buildLedger({
      patch_id: one.candidate_id,
      baseline: diagnosis.baseline,
      candidate: report,
      failing: diagnosis.failing,
      impact: 'not_analysed',
      changedFiles: candidate.changes.map(({ path }) => path),
    });
    return [{ candidate, validation: one, report, entry }];
  });
}
