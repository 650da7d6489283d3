// The report of one command: its exit code is the test.
import { readAgentEvents } from '@h/agents';
import type { ExecutionResult, Sha, TestFailure, TestOutcome, TestResult, TestRunReport } from '@h/contracts';
import { describeEnd, describePrepareFailure, foldEvents, sortedLines } from './build-report.ts';
import { plainText } from './plain-text.ts';
import { readJUnit } from './read-junit.ts';
import { readStackFrames } from './read-stack-frames.ts';
import type { CommandPlan } from './runners/command.ts';

export interface CommandContext {
  readonly environment: Sha;
  readonly execution: ExecutionResult;
  readonly command: CommandPlan;
  /** Folder the command started in, relative to the root. */
  readonly cwd: string;
  /** Paths of the tree: what a stack names by an absolute path is looked for among them. */
  readonly paths: readonly string[];
  readonly notes?: readonly string[];
  /** What the build step before it printed, where it failed: the command did not run. */
  readonly prepareLog?: string;
  /** JUnit files that it wrote. */
  readonly junit?: readonly string[];
}

/** Lines and characters of output that a failure shows. */
const TAIL_LINES = 40;
const TAIL_UNITS = 4096;

/** The report of a command from how it ended, and from what its agent saw, where it had one. */
export function buildCommandReport(text: string | undefined, context: CommandContext): TestRunReport {
  const { execution, command, environment, notes = [] } = context;
  const run = foldEvents(text === undefined ? [] : readAgentEvents(text));
  const seen = run.ends.get(command.label);
  const outcome = context.prepareLog === undefined ? outcomeOf(execution) : 'error';
  const isFailure = outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
  const result: TestResult = {
    test: command.label,
    file: command.file,
    outcome,
    ...durationOf(execution, seen?.duration_ms),
    ...(isFailure ? { failure: failureOf(context, outcome, seen?.failure) } : {}),
    ...(seen?.coverage === undefined ? {} : { coverage: seen.coverage.map(({ file, lines }) => ({ file, lines })) }),
    ...(isFailure && seen?.last_lines !== undefined ? { last_lines: seen.last_lines } : {}),
  };
  const said = readJUnitFiles(context);
  // a command that fails though no test case of its own does has something else to say
  const isFailureOfItsOwn = isFailure && !said.tests.some((test) => FAILING.has(test.outcome));
  const imports = sortedLines(run.imported);
  const all = [
    ...notes,
    ...said.notes,
    ...run.notes,
    ...run.skipped.map(({ file, reason }) => `No coverage of ${file}: ${reason}`),
    ...(run.start?.coverage === true && seen === undefined
      ? [`No coverage of "${command.label}": its process ended before it could tell.`]
      : []),
  ];
  return {
    runner: 'command',
    environment,
    execution_ids: [execution.execution_id],
    tests: said.tests.length > 0 && !isFailureOfItsOwn ? said.tests : [...said.tests, result],
    collection_errors: [],
    ...(imports.length === 0 ? {} : { import_coverage: imports }),
    ...(all.length === 0 ? {} : { notes: all }),
  };
}

const FAILING = new Set<TestOutcome>(['failed', 'error', 'timeout']);

/** The test cases of the JUnit files, named after the command: `label > id`. */
function readJUnitFiles({ junit = [], command, cwd, paths, prepareLog }: CommandContext): {
  tests: TestResult[];
  notes: string[];
} {
  if (command.junit === undefined || prepareLog !== undefined) return { tests: [], notes: [] };
  const tests: TestResult[] = [];
  const notes =
    junit.length === 0 ? [`"${command.label}" wrote no ${command.junit}: its exit code is its only test.`] : [];
  for (const text of junit) {
    const report = readJUnit(text, { paths, cwd });
    for (const result of report.tests) tests.push({ ...result, test: `${command.label} > ${result.test}` });
    for (const { file, message } of report.collection_errors) {
      const failure = { class: 'CollectionError', message, frames: [] };
      tests.push({ test: `${command.label} > ${file ?? '.'}`, file: file ?? '.', outcome: 'error', failure });
    }
    if (report.problem !== undefined)
      notes.push(`${command.junit} of "${command.label}" ends early: ${report.problem}`);
  }
  return { tests, notes };
}

/** Exit 0 is passed. A limit of time is `timeout`; a limit of anything else, and a program that is not there, `error`. */
function outcomeOf({ ended_by, exit_code }: ExecutionResult): TestOutcome {
  if (ended_by === 'exit') return exit_code === 0 ? 'passed' : isNotStarted(exit_code) ? 'error' : 'failed';
  if (ended_by === 'signal') return 'failed';
  if (ended_by === 'wall_limit' || ended_by === 'cpu_limit') return 'timeout';
  return ended_by === 'cancelled' || ended_by === 'policy_unmet' ? 'not_run' : 'error';
}

/** What shells, and executors after them, answer for a program that cannot be started. */
function isNotStarted(exitCode: number | undefined): boolean {
  return exitCode === 126 || exitCode === 127;
}

function durationOf({ wall_ms }: ExecutionResult, seen: number | undefined): { duration_ms?: number } {
  const duration = wall_ms ?? seen;
  return duration === undefined ? {} : { duration_ms: duration };
}

function failureOf(context: CommandContext, outcome: TestOutcome, seen: TestFailure | undefined): TestFailure {
  if (context.prepareLog !== undefined)
    return { class: 'PrepareFailed', message: describePrepareFailure(context.prepareLog), frames: [] };
  const { execution, cwd, paths, command } = context;
  const output = execution.stderr.text.trim() === '' ? execution.stdout.text : execution.stderr.text;
  const { script } = command;
  const stack = readStackFrames(output, { cwd, paths, ...(script === undefined ? {} : { script }) });
  const frames = seen?.frames.length ? seen.frames : stack.frames;
  const location = frames[0];
  const root = stack.root ?? '\0';
  const tail = tailOf(output).replaceAll(`file://${root}`, '').replaceAll(root, '').replace(PROBE, '');
  return {
    class: outcome === 'timeout' ? 'Timeout' : 'ExitCode',
    message: [outcome === 'timeout' ? describeTimeout(execution, command) : describeEnd(execution), tail]
      .filter((part) => part !== '')
      .join('\n'),
    ...(location === undefined ? {} : { location }),
    frames,
    ...(seen?.expected === undefined ? {} : { expected: plainText(seen.expected) }),
    ...(seen?.actual === undefined ? {} : { actual: plainText(seen.actual) }),
  };
}

function describeTimeout({ ended_by, wall_ms }: ExecutionResult, { label }: CommandPlan): string {
  const limit = ended_by === 'wall_limit' ? 'wall-clock' : 'processor-time';
  const after = wall_ms === undefined ? '' : ` after ${Math.round(wall_ms)} ms`;
  return `Timeout: "${label}" was still running when it reached its ${limit} limit${after}.`;
}

function tailOf(text: string): string {
  const lines = text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const plain = plainText(lines.replace(COLOURS, ''));
  return plain.length <= TAIL_UNITS ? plain : `…${plain.slice(-TAIL_UNITS)}`;
}

/** Probes in the line of source that Node quotes. */
const PROBE = /globalThis\.__h\?\.\(\d+\)[;,]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminal colours are
const COLOURS = /\u001b\[[0-9;]*m/g;
