import { type AgentEvent, type AgentFile, readAgentEvents, readProbeEvents } from '@h/agents';
import type {
  ArtifactStore,
  CancelOptions,
  ExecutionRequest,
  ExecutionResult,
  Executor,
  IsolationPolicy,
  ObservedRun,
  ObserveOptions,
  ProbePlan,
  RepoPath,
  Sha,
  TestCommand,
  TestFailure,
  TestId,
  TestOutcome,
  TracePlan,
} from '@h/contracts';
import type { Parser } from '@h/syntax';
import type { HitsKept } from './build-probe-table.ts';
import { foldEvents } from './fold-events.ts';
import { type InstrumentedTree, instrumentTree } from './instrument-tree.ts';

/** One test, how to run it, and where. */
export interface TestSetting {
  readonly executor: Executor;
  readonly artifacts: ArtifactStore;
  readonly policy: IsolationPolicy;
  /** Runs this one test: `planTestRun(detection, { tests: [test], mode: 'run' })`, or a harness's own. */
  readonly command: TestCommand;
  /** Agent files of that command, their paths relative to the tree. */
  readonly agentFiles: readonly AgentFile[];
  /** The candidate without agents and probes. */
  readonly tree: Sha;
  readonly test: TestId;
  /** Tells runs of the same test apart, from 0. */
  readonly ordinal?: number;
  readonly parser?: Parser;
  readonly maxEvents?: number;
  readonly keep?: HitsKept;
  readonly maskSecrets?: boolean;
  readonly hooked?: readonly RepoPath[];
}

export interface ObserveInput extends TestSetting {
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
}

/**
 * Runs one test on an instrumented copy and gives what the probes saw (seed 12 §3.4, §3.5). What the run does is never thrown:
 * a crash, a time limit or missing events are in `outcome` and `notes`. Run it twice before a value is trusted.
 */
export async function observeTest(input: ObserveInput, options: ObserveOptions = {}): Promise<ObservedRun> {
  const { artifacts, command, plan, trace, tree, agentFiles, parser, maxEvents, keep, maskSecrets, hooked } = input;
  const instrumented = await instrumentTree(
    {
      tree,
      cwd: command.cwd,
      artifacts,
      agentFiles,
      plan,
      trace,
      ...(parser === undefined ? {} : { parser }),
      ...(maxEvents === undefined ? {} : { maxEvents }),
      ...(keep === undefined ? {} : { keep }),
      ...(maskSecrets === undefined ? {} : { maskSecrets }),
      ...(hooked === undefined ? {} : { hooked }),
    },
    options,
  );
  const execution = await input.executor.run(requestFor(input, instrumented), options);
  return readRun(input, instrumented, execution, options);
}

function requestFor({ command, policy, tree, ordinal = 0 }: ObserveInput, copy: InstrumentedTree): ExecutionRequest {
  const [executable = ''] = command.argv;
  const pythonPath = [command.env_set.PYTHONPATH, policy.env_set.PYTHONPATH].filter((part) => part !== undefined);
  return {
    mode: 'instrumented',
    argv: command.argv,
    cwd: command.cwd,
    ...(executable.startsWith('/') ? { interpreter: executable } : {}),
    policy: {
      ...policy,
      env_set: {
        ...policy.env_set,
        ...command.env_set,
        ...(pythonPath.length === 0 ? {} : { PYTHONPATH: pythonPath.join(':') }),
      },
    },
    tree: copy.tree,
    artifact_version: tree,
    ordinal,
    collect: [command.report_path, copy.eventsPath],
  };
}

async function readRun(
  { artifacts, command, test }: ObserveInput,
  { sites, eventsPath, notes }: InstrumentedTree,
  execution: ExecutionResult,
  options: CancelOptions,
): Promise<ObservedRun> {
  const report = readAgentEvents((await collected(execution, command.report_path, artifacts, options)) ?? '');
  const wire = await collected(execution, eventsPath, artifacts, options);
  const { events: seen, truncated, thinned: missing = [], notes: said } = readProbeEvents(wire ?? '');
  const { execution_id } = execution;
  const { events, rows, foreign, gaps, thinned } = foldEvents(seen, sites, { execution_id, test, missing });
  const ended = endOf(report, test, execution);
  return {
    execution_id,
    test,
    outcome: ended.outcome,
    ...(ended.failure === undefined ? {} : { failure: ended.failure }),
    events,
    rows,
    truncated,
    ...(thinned.length === 0 ? {} : { thinned }),
    ...(gaps.length === 0 ? {} : { gaps }),
    notes: [
      ...notes,
      ...report.flatMap((event) => noteOf(event)),
      ...said,
      ...ended.notes,
      ...(foreign === 0 ? [] : [`${foreign} ${foreign === 1 ? 'event' : 'events'} of other tests left out.`]),
      ...(events.length > 0 ? [] : [whyEmpty(wire)]),
      ...(truncated ? [whyCut(thinned.length > 0)] : []),
    ],
  };
}

async function collected(
  execution: ExecutionResult,
  path: string,
  artifacts: ArtifactStore,
  options: CancelOptions,
): Promise<string | undefined> {
  const file = execution.files.find((each) => each.path === path);
  return file === undefined ? undefined : new TextDecoder().decode(await artifacts.get(file.sha, options));
}

function whyEmpty(wire: string | undefined): string {
  return wire === undefined
    ? 'The run left no events: no planned file was loaded, or it ended before one was.'
    : 'No planned statement was executed by the test.';
}

function whyCut(isThinned: boolean): string {
  return isThinned
    ? 'A limit of the events was reached: of what came later the first and the last hits of each statement are recorded (see thinned).'
    : 'A limit of the events was reached: what came later is missing.';
}

function noteOf(event: AgentEvent): string[] {
  if (event.event === 'note') return [event.message];
  return event.event === 'skipped-instrumentation' ? [`No probe in ${event.file}: ${event.reason}`] : [];
}

interface End {
  readonly outcome: TestOutcome;
  readonly failure?: TestFailure;
  readonly notes: readonly string[];
}

/** As the agents reported it; a test that began and never ended is told by how the process ended. */
function endOf(report: readonly AgentEvent[], test: TestId, execution: ExecutionResult): End {
  const stopped = execution.ended_by === 'exit' ? [] : [`The run was stopped: ${describeEnd(execution)}.`];
  const end = report.findLast((event) => event.event === 'test-end' && event.test === test);
  if (end?.event === 'test-end')
    return {
      outcome: end.outcome,
      ...(end.failure === undefined ? {} : { failure: plain(end.failure) }),
      notes: stopped,
    };
  if (report.some((event) => event.event === 'test-start' && event.test === test)) {
    const timeout = execution.ended_by === 'wall_limit' || execution.ended_by === 'cpu_limit';
    const message = `The process ended while the test ran: ${describeEnd(execution)}.`;
    const failure = { class: timeout ? 'Timeout' : 'ProcessEnded', message, frames: [] };
    return { outcome: timeout ? 'timeout' : 'error', failure, notes: stopped };
  }
  const error = report.findLast((event) => event.event === 'collection-error');
  const why =
    error?.event === 'collection-error' ? `${error.failure.class}: ${error.failure.message}` : said(execution);
  return { outcome: 'not_run', notes: [...stopped, `The test did not run. ${plainText(why)}`] };
}

function said({ stderr, stdout, ...execution }: ExecutionResult): string {
  const last = (stderr.text.trim() || stdout.text.trim()).split('\n').slice(-6).join('\n');
  return `${describeEnd(execution)}${last === '' ? '' : `\n${last}`}`;
}

function describeEnd({ ended_by, exit_code, signal }: Omit<ExecutionResult, 'stdout' | 'stderr'>): string {
  if (ended_by === 'exit') return `exit code ${exit_code ?? 'unknown'}`;
  return signal === undefined ? ended_by : `${ended_by} (${signal})`;
}

function plain(failure: TestFailure): TestFailure {
  const { expected, actual } = failure;
  return {
    ...failure,
    message: plainText(failure.message),
    ...(expected === undefined ? {} : { expected: plainText(expected) }),
    ...(actual === undefined ? {} : { actual: plainText(actual) }),
  };
}

/** Well-formed UTF-16, without what differs from run to run: memory addresses. */
function plainText(text: string): string {
  return text
    .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\u{FFFD}')
    .replace(/\bat 0x[0-9a-fA-F]{6,16}\b/g, 'at 0x…');
}
