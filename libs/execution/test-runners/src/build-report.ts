import {
  type AgentEvent,
  type CollectedTest,
  type ModuleGraph,
  type RunStart,
  readAgentEvents,
  type TestEnd,
} from '@h/agents';
import {
  type CollectionError,
  type ExecutionResult,
  type FileLines,
  formatLines,
  parseLines,
  type Sha,
  type SubtestResult,
  type TestDependencies,
  type TestFailure,
  type TestId,
  type TestResult,
  type TestRunReport,
  type TreeEntry,
} from '@h/contracts';
import { plainText } from './plain-text.ts';
import { dependencyReader, type InstalledPackage, nothingKnown, withoutEnd } from './test-dependencies.ts';

/** What a report is built from besides the events. */
export interface ReportContext {
  readonly runner: string;
  readonly environment: Sha;
  readonly execution: ExecutionResult;
  /** Tests that were asked for; absent: all. One that was not found is reported as such. */
  readonly tests?: readonly TestId[];
  readonly notes?: readonly string[];
  /** What the build step before the tests printed, where it failed: no test ran. */
  readonly prepareLog?: string;
  /** The tree that ran, without agents: identities of what tests depend on. Absent: no dependencies are reported. */
  readonly tree?: readonly TreeEntry[];
}

/**
 * The report of one execution from what its agent wrote. A test that started and did not end is `timeout` when a limit of
 * time ended the run, else `error`; a collected test that never started is `not_run`.
 */
export function buildReport(text: string | undefined, context: ReportContext): TestRunReport {
  const run = foldEvents(text === undefined ? [] : readAgentEvents(text));
  const wanted = context.tests === undefined ? undefined : new Set(context.tests);
  const tests: TestResult[] = [];
  const dependencies = context.tree === undefined ? () => undefined : dependencyReader(run.graphs, context.tree, run);
  for (const { test, file } of run.order)
    if (wanted === undefined || wanted.has(test)) {
      const result = resultOf(test, file, run, context.execution);
      const seen = context.tree && dependenciesOf(result, dependencies(run.ends.get(test)), context.tree);
      tests.push(seen === undefined ? result : { ...result, dependencies: seen });
    }
  for (const test of wanted ?? []) if (!run.known.has(test)) tests.push(missingTest(test, run));
  const errors = [...run.errors.map(describeError), ...startErrors(run, context)];
  const notes = notesOf(run, context);
  return {
    runner: context.runner,
    environment: context.environment,
    execution_ids: [context.execution.execution_id],
    tests,
    collection_errors: errors,
    ...(run.imported.size === 0 ? {} : { import_coverage: sortedLines(run.imported) }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** A process that a test ended, or that was ended because of it, could not tell all that the test had read. */
function dependenciesOf(
  { file, failure }: TestResult,
  seen: TestDependencies | undefined,
  tree: readonly TreeEntry[],
): TestDependencies | undefined {
  const isLost = failure?.class === 'ProcessEnded' || (seen === undefined && failure?.class === 'Timeout');
  return isLost ? withoutEnd(seen ?? nothingKnown(file, tree)) : seen;
}

/** What an agent's events amount to. */
interface Run {
  start?: RunStart;
  readonly order: CollectedTest[];
  readonly known: Set<TestId>;
  readonly started: Set<TestId>;
  readonly ends: Map<TestId, TestEnd>;
  readonly errors: { file?: string; failure: TestFailure }[];
  /** What processes before this one told of files that did not load: each looks for tests anew. */
  earlier: ReadonlySet<string>;
  readonly imported: Map<string, Set<number>>;
  readonly graphs: ModuleGraph[];
  /** Hash of each variable's value when the session began. */
  variables?: Map<string, Sha>;
  readonly packages: Map<string, InstalledPackage>;
  readonly skipped: { file: string; reason: string }[];
  readonly notes: string[];
  unreadable: number;
  ended: boolean;
}

export function foldEvents(events: readonly AgentEvent[]): Run {
  const run: Run = {
    order: [],
    known: new Set(),
    started: new Set(),
    ends: new Map(),
    errors: [],
    earlier: new Set(),
    imported: new Map(),
    graphs: [],
    packages: new Map(),
    skipped: [],
    notes: [],
    unreadable: 0,
    ended: false,
  };
  for (const event of events) foldEvent(run, event);
  return run;
}

function foldEvent(run: Run, event: AgentEvent): void {
  switch (event.event) {
    case 'run-start':
      if (event.language === 'python') beginAgain(run);
      run.start ??= event;
      break;
    case 'collected':
      for (const test of event.tests) know(run, test);
      break;
    case 'test-start':
      know(run, event);
      run.started.add(event.test);
      break;
    case 'test-end':
      know(run, event);
      run.ends.set(event.test, event);
      break;
    case 'collection-error':
      if (!run.earlier.has(keyOf(event))) run.errors.push(event);
      break;
    case 'import-coverage':
      for (const { file, lines } of event.files) addLines(run.imported, file, lines);
      break;
    case 'module-graph':
      run.graphs.push(event);
      break;
    case 'environment':
      run.variables ??= new Map(event.variables.map(({ name, value_sha }) => [name, value_sha]));
      break;
    case 'packages':
      for (const { name, version, sha } of event.packages)
        run.packages.set(`${name}@${version}`, { name, version, sha });
      break;
    case 'skipped-instrumentation':
      if (!run.skipped.some((one) => one.file === event.file && one.reason === event.reason)) run.skipped.push(event);
      break;
    case 'note':
      run.notes.push(event.message);
      break;
    case 'unreadable':
      if (!event.cut) run.unreadable += 1;
      break;
    case 'run-end':
      run.ended = true;
  }
}

const keyOf = (error: Run['errors'][number]) => JSON.stringify(describeError(error));

/** A process of tests that ended before it told which modules use which: another one follows it, whose modules are not all of its. */
function beginAgain(run: Run): void {
  run.earlier = new Set(run.errors.map(keyOf));
  if (run.start !== undefined && run.graphs.length === 0)
    for (const [test, end] of run.ends)
      if (end.reads !== undefined)
        run.ends.set(test, { ...end, reads: { ...end.reads, unsure: [...(end.reads.unsure ?? []), UNTOLD] } });
}

const UNTOLD = 'the process that ran it ended before it told what its modules use';

function know(run: Run, { test, file }: CollectedTest): void {
  if (run.known.has(test)) return;
  run.known.add(test);
  run.order.push({ test, file });
}

function addLines(into: Map<string, Set<number>>, file: string, lines: string): void {
  const known = into.get(file) ?? new Set();
  for (const line of readLines(lines)) known.add(line);
  into.set(file, known);
}

/** The target may have written into the report: a set that is none counts as empty. */
function readLines(lines: string): number[] {
  try {
    return parseLines(lines);
  } catch {
    return [];
  }
}

export function sortedLines(lines: ReadonlyMap<string, Set<number>>): FileLines[] {
  return [...lines.keys()]
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .map((file) => ({ file, lines: formatLines(lines.get(file) ?? []) }));
}

function resultOf(test: TestId, file: string, run: Run, execution: ExecutionResult): TestResult {
  const end = run.ends.get(test);
  if (end === undefined) return unfinished(test, file, run.started.has(test), execution);
  return {
    test,
    file,
    outcome: end.outcome,
    duration_ms: end.duration_ms,
    ...(end.failure === undefined ? {} : { failure: cleanFailure(end.failure) }),
    ...(end.coverage === undefined ? {} : { coverage: end.coverage.map(({ file, lines }) => ({ file, lines })) }),
    ...(end.last_lines === undefined ? {} : { last_lines: end.last_lines }),
    ...(end.subtests === undefined ? {} : { subtests: end.subtests.map(cleanSubtest) }),
    ...(end.flaky === true ? { flaky: true } : {}),
  };
}

function unfinished(test: TestId, file: string, started: boolean, execution: ExecutionResult): TestResult {
  if (!started) return { test, file, outcome: 'not_run' };
  const { ended_by } = execution;
  const timeout = ended_by === 'wall_limit' || ended_by === 'cpu_limit';
  const message = timeout
    ? `The test was still running when the run reached its ${ended_by === 'wall_limit' ? 'wall-clock' : 'processor-time'} limit.`
    : `The process ended while the test ran: ${describeEnd(execution)}.`;
  const failure = { class: timeout ? 'Timeout' : 'ProcessEnded', message, frames: [] };
  return { test, file, outcome: timeout ? 'timeout' : 'error', failure };
}

/** A test that was asked for and not collected: its file did not load, or there is no such test. */
function missingTest(test: TestId, run: Run): TestResult {
  const file = test.split(/::| > /, 1)[0] ?? test;
  const isLoaded = run.order.some((known) => known.file === file);
  const error = isLoaded ? undefined : run.errors.find((entry) => entry.file === file);
  return error === undefined
    ? { test, file, outcome: 'not_run' }
    : { test, file, outcome: 'error', failure: cleanFailure(error.failure) };
}

function cleanSubtest({ name, outcome, failure }: SubtestResult): SubtestResult {
  return { name: plainText(name), outcome, ...(failure === undefined ? {} : { failure: cleanFailure(failure) }) };
}

function cleanFailure(failure: TestFailure): TestFailure {
  const { class: name, message, location, frames, expected, actual } = failure;
  return {
    class: name,
    message: plainText(message),
    ...(location === undefined ? {} : { location }),
    frames,
    ...(expected === undefined ? {} : { expected: plainText(expected) }),
    ...(actual === undefined ? {} : { actual: plainText(actual) }),
  };
}

function describeError({ file, failure }: Run['errors'][number]): CollectionError {
  const where = failure.location === undefined ? '' : ` (${failure.location})`;
  return {
    ...(file === undefined ? {} : { file }),
    message: `${failure.class}: ${plainText(failure.message)}${where}`,
  };
}

/** A runner that could not start, or died before it had collected, says so on its error stream only. */
function startErrors(run: Run, { execution, prepareLog }: ReportContext): CollectionError[] {
  if (prepareLog !== undefined) return [{ message: describePrepareFailure(prepareLog) }];
  if (run.ended || run.order.length > 0 || run.errors.length > 0) return [];
  const said = (execution.stderr.text.trim() || execution.stdout.text.trim()).split('\n').slice(-12).join('\n');
  const what =
    run.start === undefined ? 'The test runner did not start' : 'The test runner stopped before it found tests';
  return [{ message: `${what}: ${describeEnd(execution)}.${said === '' ? '' : `\n${plainText(said)}`}` }];
}

export function describePrepareFailure(log: string): string {
  const said = plainText(log.trim().split('\n').slice(-24).join('\n'));
  return `The build step before the tests failed${said === '' ? ' and printed nothing' : `:\n${said}`}`;
}

export function describeEnd({ ended_by, exit_code, signal }: ExecutionResult): string {
  if (ended_by === 'exit') return `exit code ${exit_code ?? 'unknown'}`;
  return signal === undefined ? ended_by : `${ended_by} (${signal})`;
}

function notesOf(run: Run, { execution, notes = [] }: ReportContext): string[] {
  const found = [...notes, ...run.notes];
  if (execution.ended_by !== 'exit') found.push(`The run was stopped: ${describeEnd(execution)}.`);
  else if (!run.ended && run.start !== undefined) found.push(`The run ended early: ${describeEnd(execution)}.`);
  for (const { file, reason } of run.skipped) found.push(`No coverage of ${file}: ${plainText(reason)}`);
  if (run.unreadable > 0)
    found.push(`${run.unreadable} lines of the agent's report were not its own and were left out.`);
  return found;
}
