import type { ObserveOptions, RunBatch, RunTests, TestCommand, TestId, TestRunReport } from '@h/contracts';
import type { Detection } from './detection.ts';
import { mergeReports } from './merge-reports.ts';
import { planTestRun, type TestPlan } from './plan-test-run.ts';
import { type BatchOptions, createRunBatch } from './run-batch.ts';
import { createRunTests, hangLimit, planningOf, type RunTestsOptions, runTests, type TestHost } from './run-tests.ts';
import { type CommandTest, commandDetection } from './runners/command.ts';

/** A runner's detection, commands as `commandDetections` gives them, or both: what counts as the tests of a project. */
export type Suite = readonly Detection[];

/** Detections of several commands. A script that more than one of them runs is a program, and its statements count. */
export function commandDetections(commands: readonly CommandTest[]): Detection[] {
  const plain = commands.map(commandDetection);
  const scripts = plain.map(({ evidence }) => evidence[0]);
  return commands.map((command, index) => {
    const script = scripts[index];
    const isShared = script !== undefined && scripts.filter((other) => other === script).length > 1;
    return isShared && command.coverScript === undefined
      ? commandDetection({ ...command, coverScript: true })
      : (plain[index] as Detection);
  });
}

/**
 * Runs the members of a suite one after another, each in a private copy of the tree, and reports them as one run. `tests` chooses by id; a
 * member without any of them is not started. A command without a `testTimeoutMs` has nine tenths of the run's limit, so that what it
 * executed until then is known.
 */
export async function runSuite(
  suite: Suite,
  host: TestHost,
  { tests: wanted, ...options }: RunTestsOptions = {},
): Promise<TestRunReport> {
  const reports: TestRunReport[] = [];
  for (const { member, tests } of divide(suite, wanted ?? 'all')) {
    options.signal?.throwIfAborted();
    reports.push(await runTests(member, host, { ...timeoutOf(member, host), ...options, ...chosen(tests) }));
  }
  return join(reports, host);
}

/** How one test of a suite is run, with the agent files it needs. Throws a `RangeError` where no member can have it. */
export function planTest(suite: Suite, test: TestId, host: Omit<TestHost, 'tree'>): TestPlan {
  const [part] = divide(suite, [test]);
  if (part === undefined) throw new RangeError(`The suite cannot have the test ${JSON.stringify(test)}.`);
  return planPart(part, host);
}

/** A plan of some tests as one command, and the port that runs it. */
export interface SuiteRunner {
  readonly plan: (tests: readonly TestId[] | 'all') => TestCommand;
  /** Knows the further commands of a plan by its first: other plans run as they stand. */
  readonly runTests: RunTests;
  /** Runs a plan on many candidates at once, where it is one command of a runner that can. */
  readonly runBatch: RunBatch;
}

/** A suite as the validation of candidates takes it: one command per plan. Throws a `RangeError` for a plan without tests. */
export function createSuiteRunner(suite: Suite, host: Omit<TestHost, 'tree'>, options: BatchOptions = {}): SuiteRunner {
  const further = new WeakMap<TestCommand, TestCommand[]>();
  const runOne = createRunTests(host);
  const runMany = createRunBatch(host, options);
  return {
    plan(wanted) {
      const [first, ...rest] = divide(suite, wanted).map((part) => planPart(part, host).command);
      if (first === undefined) throw new RangeError('The suite has none of the tests to plan.');
      further.set(first, rest);
      return first;
    },
    async runTests(command, tree, options?: ObserveOptions) {
      const reports: TestRunReport[] = [];
      for (const one of [command, ...(further.get(command) ?? [])]) {
        options?.signal?.throwIfAborted();
        reports.push(await runOne(one, tree, options));
      }
      return join(reports, host);
    },
    async runBatch(command, tree, candidates, options) {
      if ((further.get(command) ?? []).length === 0) return runMany(command, tree, candidates, options);
      const reports = candidates.map(() => undefined);
      return {
        reports,
        off: true,
        notes: ['the failing tests are of several runners, which are started for each candidate'],
      };
    },
  };
}

function planPart({ member, tests }: Part, host: Omit<TestHost, 'tree'>): TestPlan {
  return planTestRun(member, {
    mode: 'run',
    hangMs: hangLimit(host),
    ...planningOf(host),
    ...timeoutOf(member, host),
    ...chosen(tests),
  });
}

interface Part {
  readonly member: Detection;
  readonly tests: readonly TestId[] | 'all';
}

/** Who runs which of the tests. Ids that are no command's go to the runner, which says which it does not have. */
function divide(suite: Suite, tests: readonly TestId[] | 'all'): Part[] {
  if (tests === 'all') return suite.map((member) => ({ member, tests }));
  const others = tests.filter((test) => !suite.some((member) => isOfCommand(member, test)));
  return suite.flatMap((member): Part[] => {
    if (member.command !== undefined)
      return tests.some((test) => isOfCommand(member, test)) ? [{ member, tests: 'all' }] : [];
    return others.length > 0 || tests.length === 0 ? [{ member, tests: others }] : [];
  });
}

/** Whether a test is the command, or a test case of a JUnit file that it writes. */
function isOfCommand({ command }: Detection, test: TestId): boolean {
  return (
    command !== undefined &&
    (test === command.label || (command.junit !== undefined && test.startsWith(`${command.label} > `)))
  );
}

function chosen(tests: readonly TestId[] | 'all'): { tests?: readonly TestId[] } {
  return tests === 'all' ? {} : { tests };
}

const COMMAND_SHARE = 0.9;

function timeoutOf({ command }: Detection, { policy }: Pick<TestHost, 'policy'>): { testTimeoutMs?: number } {
  return command === undefined ? {} : { testTimeoutMs: Math.floor(policy.wall_ms * COMMAND_SHARE) };
}

function join(reports: readonly TestRunReport[], { environment }: Pick<TestHost, 'environment'>): TestRunReport {
  if (reports.length > 0) return mergeReports(reports);
  return { runner: 'none', environment, execution_ids: [], tests: [], collection_errors: [] };
}
