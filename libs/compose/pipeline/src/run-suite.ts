// The project's tests as one suite: those its runner finds, and commands that the caller gave as tests.
import type { ObserveOptions, RunTests, TestCommand, TestId, TestRunReport } from '@h/contracts';
import {
  createRunTests,
  type Detection,
  mergeReports,
  planTestRun,
  type RunTestsOptions,
  runTests,
  type TestHost,
} from '@h/test-runners';
import type { Session } from './open-session.ts';

/** Runs the tests, all or by id, and reports them as one run. */
export async function runSuite(
  { detection, commands, host: own }: Session,
  options: RunTestsOptions = {},
  host: TestHost = own,
): Promise<TestRunReport> {
  const reports: TestRunReport[] = [];
  for (const { member, tests } of membersOf(detection, commands, options.tests ?? 'all'))
    reports.push(
      await runTests(member, host, {
        ...withoutTests(options),
        ...timeoutOf(member, host),
        ...(tests === 'all' ? {} : { tests }),
      }),
    );
  return joined(reports, host);
}

/** The detection that a test belongs to: its command's, else the runner's. */
export function memberOf({ detection, commands }: Pick<Session, 'detection' | 'commands'>, test: TestId): Detection {
  return commands.find((one) => one.command?.label === test) ?? detection;
}

/**
 * The suite as the validation of candidates takes it: a plan of some tests as one command, and the port that runs such a plan. Further
 * commands of a plan are known by its first, so a plan is good for this port alone.
 */
export function createSuiteRunner({ detection, commands, host: own }: Session, host: Omit<TestHost, 'tree'>) {
  const further = new WeakMap<TestCommand, TestCommand[]>();
  const runOne = createRunTests(host);
  const plan = (tests: readonly TestId[] | 'all'): TestCommand => {
    const planned = membersOf(detection, commands, tests).map(({ member, tests: chosen }) => {
      const options = { mode: 'run' as const, ...runtimesOf(own), ...timeoutOf(member, host) };
      return planTestRun(member, { ...options, ...(chosen === 'all' ? {} : { tests: chosen }) }).command;
    });
    const [first, ...rest] = planned;
    if (first === undefined) throw new RangeError('no test to run');
    further.set(first, rest);
    return first;
  };
  const run: RunTests = async (command, tree, options?: ObserveOptions) => {
    const reports: TestRunReport[] = [];
    for (const one of [command, ...(further.get(command) ?? [])]) {
      options?.signal?.throwIfAborted();
      reports.push(await runOne(one, tree, options));
    }
    return joined(reports, host);
  };
  return { plan, run };
}

interface Member {
  readonly member: Detection;
  readonly tests: readonly TestId[] | 'all';
}

/** Who runs which of the tests; a member without any is left out. */
function membersOf(detection: Detection, commands: readonly Detection[], tests: readonly TestId[] | 'all'): Member[] {
  if (tests === 'all') return [detection, ...commands].map((member) => ({ member, tests }));
  const labels = new Set(commands.map(({ command }) => command?.label));
  const own = tests.filter((test) => !labels.has(test));
  const chosen = commands.filter(({ command }) => tests.includes(command?.label ?? ''));
  const first: Member[] = own.length === 0 && chosen.length > 0 ? [] : [{ member: detection, tests: own }];
  return [...first, ...chosen.map((member): Member => ({ member, tests: 'all' }))];
}

function joined(reports: readonly TestRunReport[], { environment }: Pick<TestHost, 'environment'>): TestRunReport {
  const [only] = reports;
  if (only !== undefined && reports.length === 1) return only;
  return reports.length > 1
    ? mergeReports(reports)
    : { runner: 'none', environment, execution_ids: [], tests: [], collection_errors: [] };
}

/** A command is ended by its agent before the run is, so that what it executed until then is known. */
function timeoutOf({ runner }: Detection, { policy }: Pick<TestHost, 'policy'>): { testTimeoutMs?: number } {
  return runner === 'command' ? { testTimeoutMs: Math.floor(policy.wall_ms * COMMAND_SHARE) } : {};
}

const COMMAND_SHARE = 0.9;

function withoutTests({ tests: _tests, ...rest }: RunTestsOptions): Omit<RunTestsOptions, 'tests'> {
  return rest;
}

/** The interpreters of a host, as plans take them. */
export function runtimesOf({ python, node }: TestHost): { python?: string; node?: string } {
  return { ...(python === undefined ? {} : { python }), ...(node === undefined ? {} : { node }) };
}
