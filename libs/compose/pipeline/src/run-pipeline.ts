// The whole path. Holds no algorithm: it opens a session, calls the stages in order and writes down what each said.
import {
  type CandidateBatch,
  type EditPackage,
  hashRecord,
  type ModelCall,
  type RunOutcome,
  type RunSummary,
} from '@h/contracts';
import { type Diagnosis, type DiagnosisOutcome, diagnoseFailure } from './diagnose-failure.ts';
import { EXIT } from './errors.ts';
import { type Observation, observeFailure } from './observe-failure.ts';
import { openSession, type Session, type SessionOptions } from './open-session.ts';
import { adoptCandidates, type Proposal, proposeCandidates } from './propose-candidates.ts';
import { type Protection, protectPatches } from './protect-patches.ts';
import { renderSummary } from './render-summary.ts';
import { openRunDirectory, type RunDirectory } from './run-directory.ts';
import { summarize } from './summarize-run.ts';
import { VERSION } from './version.ts';
import { writeDiagnosis, writeObservation, writeProposal, writeProtection } from './write-records.ts';

export interface RunOptions extends SessionOptions {
  /** How far to go: `diagnose` ranks statements, `propose` adds distinct candidates, `run` validates and protects. */
  readonly command: 'diagnose' | 'propose' | 'run';
  readonly tests?: readonly string[];
  /** What the change must do, in the caller's words; kept with the run. */
  readonly requirement?: string;
  /** Test-runner executions to spend on candidates; 200 when absent. */
  readonly budget?: number;
  /** Milliseconds after which validation stops; what was validated until then counts. */
  readonly timeBudgetMs?: number;
  /** Plausible candidates after which validation stops; 5 when absent. */
  readonly stopAfterPlausible?: number;
  /** false: no probes, no divergence, no evidence pack. */
  readonly observe?: boolean;
  /** Runs every test on each candidate that mends the failure, not only those it can reach. */
  readonly allTests?: boolean;
  /** False: no batches, one start of the test runner for each candidate. What is found is the same as far as a batch says what a run alone says. */
  readonly batch?: boolean;
  /** Candidates may be lists of blocks: of a model, and pairs of changes that one block cannot hold. */
  readonly multiEdit?: boolean;
  /** Asked at most once per stage; absent: no model is asked, and every stage works. */
  readonly model?: ModelCall;
  /** What tells this model from another in the run id, such as its address and name. */
  readonly modelName?: string;
  /** Candidates the caller brings, in place of those from templates. */
  readonly candidates?: CandidateBatch | EditPackage;
}

export interface RunResult {
  readonly summary: RunSummary;
  /** Absolute path of the run directory. */
  readonly dir: string;
  /** The human summary, as in `summary.md`. */
  readonly text: string;
}

export const DEFAULT_BUDGET = 200;
const DEFAULT_PLAUSIBLE = 5;
/** Executions spent on alternatives once a plausible patch is known. */
const FURTHER_EXECUTIONS = 40;
/** Proposals looked at per validation execution: a candidate takes one at least, and some are rejected or collapsed before. */
const PROPOSALS_PER_EXECUTION = 1.25;

/** Takes a repository with a failing test as far as the command says, and writes a run directory. Throws `PipelineError`; an abort rejects with the signal's reason. */
export async function runPipeline(options: RunOptions): Promise<RunResult> {
  const started = Date.now();
  const session = await openSession(options);
  try {
    const run = await openRunDirectory(session.home, runId(session, options));
    try {
      return await writeRun(session, run, options, started);
    } catch (error) {
      if (options.signal?.aborted === true) options.onEvent?.({ kind: 'partial', message: await abandon(run) });
      else await run.discard();
      throw error;
    }
  } finally {
    await session.close();
  }
}

async function abandon(run: RunDirectory): Promise<string> {
  await run.writeText(
    'INTERRUPTED',
    'This run was interrupted: the records here are whole, the later ones are missing.\n',
  );
  return run.abandon();
}

function runId(session: Session, options: RunOptions): string {
  const { command, tests, requirement, candidates, runner } = options;
  const asked = {
    command,
    tests,
    requirement,
    candidates,
    runner,
    commands: options.commands,
    junit: options.junit,
    python: options.python,
    prepare: options.prepare,
    budget: options.budget,
    timeBudgetMs: options.timeBudgetMs,
    stopAfterPlausible: options.stopAfterPlausible,
    runLimitMs: options.runLimitMs,
    observe: options.observe,
    allTests: options.allTests,
    multiEdit: options.multiEdit,
    model: options.model === undefined ? undefined : (options.modelName ?? 'unnamed'),
  };
  const identity = {
    tree: session.repository.tree,
    options: JSON.parse(JSON.stringify(asked)) as unknown,
    version: VERSION,
    environment: session.environment,
  };
  return hashRecord(identity).slice(0, 16);
}

const UNOBSERVED =
  'nothing was observed: each failing test hangs, or ran no statement of a file that can be read as text and given probes';

interface Stages {
  readonly outcome: DiagnosisOutcome;
  readonly observation?: Observation;
  readonly proposal?: Proposal;
  readonly protection?: Protection;
}

async function writeRun(session: Session, run: RunDirectory, options: RunOptions, started: number): Promise<RunResult> {
  const stages = await runStages(session, run, options);
  if (options.requirement !== undefined) await run.writeText('requirement.txt', options.requirement);
  const outcome = outcomeOf(options, stages);
  const summary = await summarize(session, run, { ...stages, command: options.command, ...outcome });
  const text = renderSummary(summary);
  await run.writeText('summary.md', text);
  await run.writeRecord('run-summary', 'RunSummary', summary);
  await run.writeMeasured('run', { wall_ms: Date.now() - started });
  await run.commit();
  return { summary, dir: run.dir, text };
}

async function runStages(session: Session, run: RunDirectory, options: RunOptions): Promise<Stages> {
  const outcome = await diagnoseFailure(session, options);
  await writeDiagnosis(run, outcome);
  if (outcome.status === 'nothing_failing') return { outcome };
  const observation = options.observe === false ? undefined : await observeFailure(session, outcome.diagnosis, options);
  if (observation !== undefined) await writeObservation(run, observation);
  else if (options.observe !== false) session.warnings.push(UNOBSERVED);
  const diagnosed = { outcome, ...(observation === undefined ? {} : { observation }) };
  if (options.command === 'diagnose') return diagnosed;
  const proposal = await propose(session, outcome.diagnosis, observation, options);
  await writeProposal(run, proposal);
  if (options.command === 'propose') return { ...diagnosed, proposal };
  const protection = await protectPatches(session, outcome.diagnosis, proposal, {
    budget: options.budget ?? DEFAULT_BUDGET,
    ledgerForBroken: options.candidates !== undefined,
    ...(options.allTests === undefined ? {} : { allTests: options.allTests }),
    ...(options.batch === undefined ? {} : { batch: options.batch }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.requirement === undefined ? {} : { requirement: options.requirement }),
    ...(options.candidates === undefined
      ? { stopAfterPlausible: options.stopAfterPlausible ?? DEFAULT_PLAUSIBLE, furtherExecutions: FURTHER_EXECUTIONS }
      : {}),
    ...(options.timeBudgetMs === undefined ? {} : { deadline: AbortSignal.timeout(options.timeBudgetMs) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  await writeProtection(run, protection);
  return { ...diagnosed, proposal, protection };
}

function propose(
  session: Session,
  diagnosis: Diagnosis,
  observation: Observation | undefined,
  options: RunOptions,
): Promise<Proposal> {
  if (options.candidates !== undefined) return adoptCandidates(session, options.candidates);
  const limit = Math.ceil((options.budget ?? DEFAULT_BUDGET) * PROPOSALS_PER_EXECUTION);
  const [observed] = observation?.runs ?? [];
  return proposeCandidates(session, diagnosis, {
    limit,
    ...(observed === undefined ? {} : { observed }),
    ...(options.multiEdit === undefined ? {} : { multiEdit: options.multiEdit }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.requirement === undefined ? {} : { requirement: options.requirement }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
}

function outcomeOf(options: RunOptions, stages: Stages): { outcome_name: RunOutcome; exit_code: number } {
  if (stages.outcome.status === 'nothing_failing')
    return { outcome_name: 'nothing_failing', exit_code: EXIT.nothingFailing };
  if (options.command === 'diagnose') return { outcome_name: 'diagnosed', exit_code: EXIT.patch };
  if (options.command === 'propose') return { outcome_name: 'proposed', exit_code: EXIT.patch };
  const best = stages.protection?.patches[0]?.entry.ledger.regression_status;
  if (best === undefined) return { outcome_name: 'no_patch', exit_code: EXIT.noPatch };
  return best === 'DIVERGENT'
    ? { outcome_name: 'divergent', exit_code: EXIT.divergent }
    : { outcome_name: 'plausible_patch', exit_code: EXIT.patch };
}
