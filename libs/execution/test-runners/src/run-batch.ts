// Many candidates in one run: the agent stays at the point where a runner looks for tests, and goes on from there once for each.
import {
  type ExecutionResult,
  editTree,
  getTree,
  type ObserveOptions,
  type RunBatch,
  type Sha,
  sha256Hex,
  type TestCommand,
  type TestRunReport,
  type TreeChange,
} from '@h/contracts';
import { buildReport, describeEnd } from './build-report.ts';
import { describeChange, type FileChange } from './describe-change.ts';
import { inFolder, nameOf } from './detection.ts';
import { agentFilesFor, readPlan } from './plan-test-run.ts';
import { type BatchLine, readBatchLines } from './read-batch-lines.ts';
import { requestFor, runnerOf, type TestHost, textOf } from './run-tests.ts';

/** Batches that follow one that ended early. */
const MOST_ROUNDS = 4;
/** What a batch may take for each candidate, as a share of what one run may; the candidates have closer limits of their own. */
const CANDIDATE_SHARE = 0.3;
const LONGEST_BATCH = 10;

export interface BatchOptions {
  /** The suite on the tree itself: how long the tests take that pass. Absent: the measure is what the tests to be run take. */
  readonly baseline?: TestRunReport;
}

/** The `RunBatch` port over a host. What cannot be run in a batch is left to the caller, and the notes say why. */
export function createRunBatch(host: Omit<TestHost, 'tree'>, { baseline }: BatchOptions = {}): RunBatch {
  return async (command, tree, candidates, options = {}) => {
    const reason = whyAlone(command);
    if (reason !== undefined) return { reports: candidates.map(() => undefined), off: true, notes: [reason] };
    const described = await describeAll(tree, candidates, host, options);
    const run: MutableRun = { reports: candidates.map(() => undefined), notes: [] };
    let due = [...described.keys()].filter((index) => described[index] !== undefined);
    const isAny = due.length > 0;
    if (due.length < candidates.length)
      run.notes.push('a candidate that changes other files than programs, or adds or removes one, is run alone');
    for (let round = 0; due.length > 0 && round < MOST_ROUNDS; round += 1) {
      const table = {
        limit_ms: host.policy.wall_ms,
        longest_ms: longestPassing(command, baseline),
        candidates: due.map((index) => described[index]),
      };
      const ended = await runOnce(command, tree, JSON.stringify(table), { host, options, count: due.length });
      options.signal?.throwIfAborted();
      due = takeIn(run, due, ended, { command, host });
    }
    if (isAny && run.control === undefined) run.off = true; // it ended before its control: the next would too
    return run;
  };
}

interface MutableRun {
  reports: (TestRunReport | undefined)[];
  control?: TestRunReport;
  limited?: number[];
  off?: boolean;
  notes: string[];
}

function whyAlone(command: TestCommand): string | undefined {
  const plan = readPlan(command);
  if (plan === undefined || plan.command !== undefined) return 'a command runs once for each candidate';
  if (plan.has_prepare === true) return 'a build step runs before the tests of each candidate';
  return plan.coverage ? 'a run with coverage is of one tree' : undefined;
}

/** How each candidate differs from the tree; undefined for one that cannot be laid in place after the runner has begun. */
async function describeAll(
  tree: Sha,
  candidates: readonly (readonly TreeChange[])[],
  { artifacts }: Pick<TestHost, 'artifacts'>,
  options: ObserveOptions,
): Promise<(Record<string, FileChange> | undefined)[]> {
  const held = new Map((await getTree(tree, artifacts, options)).map((entry) => [entry.path, entry]));
  const bytes = new Map<string, Uint8Array>();
  const described = [];
  for (const changes of candidates) {
    const files: Record<string, FileChange> = {};
    let canBe = changes.length > 0;
    for (const { path, bytes: after, mode } of changes) {
      const entry = held.get(path);
      canBe &&= isProgram(path) && after !== null && entry !== undefined && (mode ?? entry.mode) === entry.mode;
      if (!canBe || entry === undefined || after === null) break;
      const before = bytes.get(path) ?? (await artifacts.get(entry.sha, options));
      bytes.set(path, before);
      files[path] = describeChange(before, after);
    }
    described.push(canBe ? files : undefined);
  }
  return described;
}

/** Configuration is read before a runner looks for tests. */
function isProgram(path: string): boolean {
  return (
    path.endsWith('.py') ||
    (/\.[cm]?[jt]sx?$/.test(path) && !/(?:\.|^|\/)(?:config|workspace|[\w.]*rc)\.[cm]?[jt]s$/.test(path))
  );
}

/** Of a JavaScript runner another entry is started, which starts the runner for each candidate. */
function batchArguments({ argv, agent_entry }: TestCommand): string[] {
  if (agent_entry === undefined || agent_entry.endsWith('.py')) return argv;
  const entry = argv.findIndex((argument) => /^\.h-agent\/.*-entry\.mjs$/.test(argument));
  const runner = nameOf(argv[entry] ?? '').replace(/-entry\.mjs$/, '');
  return [...argv.slice(0, entry), '.h-agent/node-batch.mjs', runner, ...argv.slice(entry + 1)];
}

interface Round {
  readonly host: Omit<TestHost, 'tree'>;
  readonly options: ObserveOptions;
  readonly count: number;
}

async function runOnce(command: TestCommand, tree: Sha, table: string, { host, options, count }: Round) {
  const encoder = new TextEncoder();
  const files = [
    ...agentFilesFor(command.agent_entry, command.cwd),
    { path: inFolder(command.cwd, '.h-agent/batch.json'), text: table },
  ];
  const held = new Map((await getTree(tree, host.artifacts, options)).map(({ path, sha }) => [path, sha]));
  const changes = files
    .map(({ path, text }) => ({ path, bytes: encoder.encode(text) }))
    .filter(({ path, bytes }) => held.get(path) !== sha256Hex(bytes));
  const request = requestFor(command, host, tree, await editTree(tree, changes, host.artifacts, options), false, 0);
  const path = inFolder(command.cwd, '.h-agent/batch-report.ndjson');
  const { wall_ms: wall } = request.policy;
  const execution = await host.executor.run(
    {
      ...request,
      argv: batchArguments(command),
      policy: {
        ...request.policy,
        wall_ms: Math.min(LONGEST_BATCH * wall, Math.ceil(wall * (1 + CANDIDATE_SHARE * count))),
      },
      collect: [path],
    },
    options,
  );
  return { execution, lines: readBatchLines(await textOf(path, execution, host.artifacts)) };
}

interface Ended {
  readonly execution: ExecutionResult;
  readonly lines: readonly BatchLine[];
}

/** Takes in what a batch told; the candidates that the next one is for. One in which the batch died costs itself. */
function takeIn(
  run: MutableRun,
  due: readonly number[],
  { execution, lines }: Ended,
  { command, host }: { command: TestCommand; host: Omit<TestHost, 'tree'> },
): number[] {
  const tests = readPlan(command)?.tests;
  const reportOf = (line: Extract<BatchLine, { report: string }>) =>
    buildReport(line.report, {
      runner: runnerOf(command),
      environment: host.environment,
      execution: executionOf(execution, line),
      ...(tests === undefined ? {} : { tests }),
    });
  let at = 0;
  for (const line of lines) {
    if (line.kind === 'control') run.control = reportOf(line);
    else if (line.kind === 'start') at = line.index + 1;
    else if (line.kind === 'end') {
      const index = due[line.index];
      if (index === undefined) continue; // the target wrote there
      if (line.limited === true) run.limited = [...(run.limited ?? []), index];
      else run.reports[index] = reportOf(line);
    } else if (line.kind !== 'done') {
      run.notes.push(line.reason);
      if (line.kind === 'off') run.off = true;
    }
  }
  const last = lines.at(-1);
  if (last?.kind === 'done' || last?.kind === 'off') return [];
  if (last?.kind !== 'stopped') run.notes.push(`a batch ended before its last candidate: ${describeEnd(execution)}`);
  return at === 0 ? [] : due.slice(at);
}

/** What the execution of a candidate alone would have been. */
function executionOf(batch: ExecutionResult, line: Extract<BatchLine, { report: string }>): ExecutionResult {
  const { exit_code: _, signal: __, ...rest } = batch;
  const nothing = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };
  return {
    ...rest,
    ended_by: line.ended_by,
    ...(line.exit_code === undefined ? {} : { exit_code: line.exit_code }),
    ...(line.signal === undefined ? {} : { signal: line.signal }),
    wall_ms: line.wall_ms,
    stdout: nothing,
    stderr: nothing,
  };
}

/** The longest test that passes among those of the files that the command runs, in milliseconds. */
function longestPassing(command: TestCommand, baseline: TestRunReport | undefined): number {
  if (baseline === undefined) return 0;
  const tests = new Set(readPlan(command)?.tests);
  const files = new Set(baseline.tests.filter(({ test }) => tests.has(test)).map(({ file }) => file));
  const durations = baseline.tests
    .filter(({ file, outcome }) => outcome === 'passed' && (files.size === 0 || files.has(file)))
    .map(({ duration_ms = 0 }) => duration_ms);
  return durations.reduce((most, one) => Math.max(most, one), 0);
}
