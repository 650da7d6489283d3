// Runs candidates in their order until the budget, enough plausible ones or the caller ends it. The result is the one the
// sequential order gives, whatever the concurrency.
import {
  type ArtifactStore,
  type CandidateValidation,
  editTree,
  type ObserveOptions,
  type RunBatch,
  type RunTests,
  type Sha,
  type TestCommand,
  type TestId,
  type TestRunReport,
  type TreeChange,
} from '@h/contracts';
import {
  BatchDisagreement,
  type BatchFirst,
  type BatchUse,
  createBatchFirst,
  type RunFirst,
  runAlone,
} from './batch-first.ts';
import { duplicateCandidate, invalidBudget, invalidConcurrency, nothingToCheck } from './errors.ts';
import { type Claim, fundExecutions } from './fund-executions.ts';
import { keepRuns, tellOnce } from './keep-runs.ts';
import { narrowPlan, planTests } from './plan-tests.ts';
import { type TestPlan, type Trial, tryCandidate, validationOf } from './try-candidate.ts';

/** A candidate as the files it changes. */
export interface CandidateChange {
  readonly candidate_id: Sha;
  readonly changes: readonly TreeChange[];
}

export interface ValidateOptions extends ObserveOptions {
  /** In budget order: what comes first is run first. Read to its end before the first run. */
  readonly candidates: Iterable<CandidateChange>;
  /** The whole suite on the unpatched tree. */
  readonly baseline: TestRunReport;
  /** The unpatched tree. */
  readonly tree: Sha;
  readonly artifacts: ArtifactStore;
  /** Tests that must pass on a plausible candidate; empty: only what passed before is checked. */
  readonly failing: readonly TestId[];
  /** How to run some tests, or the whole suite as the baseline ran it. */
  readonly plan: (tests: TestId[] | 'all') => TestCommand;
  readonly runTests: RunTests;
  /**
   * Runs the failing tests of many candidates at once; a candidate that passes there is run alone as well. The validations are the same without
   * it, as far as a batch says what a run alone says: the README says what that is checked by.
   */
  readonly runBatch?: RunBatch;
  /**
   * Which tests a candidate can reach, beside the failing ones (`selectTests` of a selection stage); those that passed before and are
   * not among them are not run for it. Absent: the whole suite for each. Should it be wrong, a broken neighbour goes unseen.
   */
  readonly select?: (candidate: CandidateChange, tree: Sha) => Promise<readonly TestId[] | 'all'>;
  readonly budget: {
    /** Test-runner executions, at most. Never exceeded. */
    readonly executions: number;
    /** Ends after the candidate that makes this many plausible ones; absent: never. */
    readonly stopAfterPlausible?: number;
    /** Ends with the candidate that brings the executions since the first plausible one to this many; absent: never. */
    readonly furtherExecutions?: number;
  };
  /** Runs in flight at once; 1 by default. */
  readonly concurrency?: number;
}

export interface Validation {
  /** In candidate order. */
  readonly validations: readonly CandidateValidation[];
  /** By candidate id: the report of each candidate that reached the whole suite. */
  readonly reports: ReadonlyMap<Sha, TestRunReport>;
  /** Executions spent in the sequential order; runs that were ahead of it when it ended are not counted. */
  readonly executions: number;
  /** `deadline`: the signal aborted with a TimeoutError; `cancelled`: with anything else. */
  readonly stopped: 'exhausted' | 'budget' | 'enough_plausible' | 'cancelled' | 'deadline';
  /** Candidates without a validation, in candidate order. */
  readonly not_validated: readonly Sha[];
  /** How far batches were used; absent: not at all. */
  readonly batch?: BatchUse;
}

interface Started {
  readonly candidate_id: Sha;
  readonly claim: Claim;
  trial?: Trial;
}

/**
 * Validates candidates within a budget: failing tests first, then the whole suite. An aborted signal gives the partial
 * result, never a rejection; it rejects with a `ValidateError` on misuse and with what `runTests` or `artifacts` reject with.
 */
export async function validateCandidates(options: ValidateOptions): Promise<Validation> {
  const candidates = [...options.candidates];
  checkOptions(options, candidates);
  if (options.runBatch === undefined) return validateAll(options, candidates);
  const { first, again } = keepRuns(options.runTests);
  const told = options.onEvent === undefined ? {} : { onEvent: tellOnce(options.onEvent) };
  try {
    return await validateAll({ ...options, ...told, runTests: first }, candidates, batchesOf);
  } catch (cause) {
    if (!(cause instanceof BatchDisagreement)) throw cause;
    return await validateAll({ ...options, ...told, runTests: again }, candidates, () => runAlone(cause.message));
  }
}

async function validateAll(
  options: ValidateOptions,
  candidates: readonly CandidateChange[],
  batchFor: typeof batchesOf = () => undefined,
): Promise<Validation> {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const outcome = collectTrials(candidates, options);
  const batch = batchFor(options, candidates, signal);
  const start = createStart(options, signal, batch?.runFirst);
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];

  async function follow(started: Started, trial: Promise<Trial>): Promise<void> {
    try {
      started.trial = await trial;
      if (outcome.advance()) ending.abort();
    } catch (cause) {
      failures.push(cause);
      ending.abort();
    } finally {
      started.claim.settle();
    }
  }

  try {
    for (const [index, candidate] of candidates.entries()) {
      if (inFlight.size >= (options.concurrency ?? 1)) await Promise.race(inFlight);
      if (signal.aborted) break;
      const tree = await editTree(options.tree, candidate.changes, options.artifacts, { signal });
      if (signal.aborted) break;
      const { started, trial } = start(candidate, tree, index);
      outcome.started.push(started);
      const done = follow(started, trial).finally(() => inFlight.delete(done));
      inFlight.add(done);
    }
  } catch (cause) {
    if (!signal.aborted) failures.push(cause);
    ending.abort();
  }
  await Promise.all(inFlight);
  ending.abort();
  await batch?.settled();
  if (failures.length > 0) throw failures[0];
  return { ...outcome.finish(options.signal), ...(batch === undefined ? {} : { batch: batch.use }) };
}

/** Starts candidates in order. A tree that was started before, or that changes nothing, costs no execution. */
function createStart(options: ValidateOptions, signal: AbortSignal, runFirst: RunFirst | undefined) {
  const plan = planTests(options);
  const claimOf = fundExecutions(options.budget.executions, signal);
  const most = [plan.failing, plan.all].filter((command) => command !== undefined).length;
  if (most === 0) throw nothingToCheck();
  const byTree = new Map<Sha, Promise<Trial>>();
  if (options.failing.length > 0) byTree.set(options.tree, Promise.resolve(unchanged(options.failing)));

  async function planFor(candidate: CandidateChange, tree: Sha): Promise<TestPlan> {
    const reached = (await options.select?.(candidate, tree)) ?? 'all';
    return reached === 'all' ? plan : narrowPlan(plan, reached, options.plan);
  }

  return (candidate: CandidateChange, tree: Sha, index: number): { started: Started; trial: Promise<Trial> } => {
    const { candidate_id } = candidate;
    const known = byTree.get(tree);
    const claim = claimOf(known === undefined ? most : 0);
    const started: Started = { candidate_id, claim };
    if (known !== undefined) return { started, trial: known.then((trial) => repeat(trial, candidate_id)) };
    const first = runFirst && { runFirst: (alone: () => Promise<TestRunReport>) => runFirst(index, alone) };
    const how = { claim, runTests: options.runTests, signal, ...first };
    const trial = planFor(candidate, tree).then((own) => tryCandidate({ candidate_id, tree }, own, how));
    byTree.set(tree, trial);
    return { started, trial };
  };
}

function batchesOf(
  options: ValidateOptions,
  candidates: readonly CandidateChange[],
  signal: AbortSignal,
): BatchFirst | undefined {
  const { runBatch, failing, baseline, tree, budget, concurrency = 1 } = options;
  if (runBatch === undefined || failing.length === 0) return undefined;
  const { failing: command, expected } = planTests(options);
  if (command === undefined) return undefined;
  const most = budget.executions;
  return createBatchFirst({
    ...{ runBatch, command, baseline, tree, candidates, most, concurrency, signal },
    expected: { ...expected, passing: [] },
  });
}

function unchanged(failing: readonly TestId[]): Trial {
  return { kind: 'validated', validation: validationOf('', 'failing', 0, failing) };
}

function repeat(trial: Trial, candidate_id: Sha): Trial {
  if (trial.kind !== 'validated') return trial;
  return { ...trial, validation: { ...trial.validation, candidate_id, executions: 0 } };
}

/** Reads the trials in candidate order, however they ended, and knows when that order ends. */
function collectTrials(candidates: readonly CandidateChange[], { budget, onEvent }: ValidateOptions) {
  const started: Started[] = [];
  const validated: { validation: CandidateValidation; report?: TestRunReport }[] = [];
  let executions = 0;
  let plausible = 0;
  let firstPlausibleAt: number | undefined;
  let next = 0;
  let stopped: 'budget' | 'enough_plausible' | undefined;

  function take({ trial, claim }: Started): void {
    executions += claim.used();
    if (trial?.kind === 'unfunded') stopped = 'budget';
    if (trial?.kind !== 'validated') return;
    validated.push(trial);
    const { candidate_id, status } = trial.validation;
    if (status === 'plausible') {
      plausible += 1;
      firstPlausibleAt ??= executions;
    }
    if (isEnough()) stopped = 'enough_plausible';
    onEvent?.({
      kind: 'candidate',
      message: `${candidate_id.slice(0, 12)} ${status}`,
      done: executions,
      total: budget.executions,
    });
  }

  function isEnough(): boolean {
    const { stopAfterPlausible = Infinity, furtherExecutions = Infinity } = budget;
    return (
      plausible >= stopAfterPlausible ||
      (firstPlausibleAt !== undefined && executions - firstPlausibleAt >= furtherExecutions)
    );
  }

  return {
    started,
    /** Takes what is decided in order; true when the order has ended. */
    advance(): boolean {
      for (let one = started[next]; one?.trial !== undefined && stopped === undefined; one = started[next]) {
        take(one);
        next += 1;
      }
      return stopped !== undefined;
    },
    finish(signal: AbortSignal | undefined): Validation {
      // Only a cancelled run leaves trials behind a gap; what was decided there still counts.
      if (stopped === undefined) for (const one of started.slice(next)) take(one);
      const done = new Set(validated.map(({ validation }) => validation.candidate_id));
      const reports = validated.flatMap(({ validation, report }) =>
        report === undefined ? [] : [[validation.candidate_id, report] as const],
      );
      const complete = done.size === candidates.length;
      return {
        validations: validated.map(({ validation }) => validation),
        reports: new Map(reports),
        executions,
        stopped: stopped ?? (complete || signal?.aborted !== true ? 'exhausted' : abortedBy(signal)),
        not_validated: candidates.map(({ candidate_id }) => candidate_id).filter((id) => !done.has(id)),
      };
    },
  };
}

function abortedBy(signal: AbortSignal): 'deadline' | 'cancelled' {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'deadline' : 'cancelled';
}

function checkOptions(options: ValidateOptions, candidates: readonly CandidateChange[]): void {
  const { budget, concurrency } = options;
  if (!isCount(budget.executions, 0)) throw invalidBudget('executions', budget.executions);
  if (budget.stopAfterPlausible !== undefined && !isCount(budget.stopAfterPlausible, 1))
    throw invalidBudget('stopAfterPlausible', budget.stopAfterPlausible);
  if (budget.furtherExecutions !== undefined && !isCount(budget.furtherExecutions, 0))
    throw invalidBudget('furtherExecutions', budget.furtherExecutions);
  if (concurrency !== undefined && !isCount(concurrency, 1)) throw invalidConcurrency(concurrency);
  const seen = new Set<Sha>();
  for (const { candidate_id } of candidates) {
    if (seen.has(candidate_id)) throw duplicateCandidate(candidate_id);
    seen.add(candidate_id);
  }
}

function isCount(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
