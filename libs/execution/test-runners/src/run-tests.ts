import {
  type ArtifactStore,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  editTree,
  getTree,
  type IsolationPolicy,
  type ObserveOptions,
  type RunTests,
  type Sha,
  sha256Hex,
  type TestCommand,
  type TestId,
  type TestRunReport,
  type TreeEntry,
} from '@h/contracts';
import { buildCommandReport } from './build-command-report.ts';
import { buildReport } from './build-report.ts';
import type { Detection, PlanOptions } from './detection.ts';
import { instrumentTree, type SourceRoles } from './instrument-tree.ts';
import { failingTests, markFlaky } from './mark-flaky.ts';
import { type AgentPlan, agentFilesFor, furtherFiles, planTestRun, readPlan, variablesOf } from './plan-test-run.ts';
import { prepareLogPath, withoutPrepareStep } from './prepare-step.ts';
import type { CommandPlan } from './runners/command.ts';

/** Where and how commands run. */
export interface TestHost {
  readonly executor: Executor;
  readonly artifacts: ArtifactStore;
  readonly policy: IsolationPolicy;
  /** SHA-256 over what the run depends on besides the tree; it is copied into the report. */
  readonly environment: Sha;
  /** The tree as it is, without agents. */
  readonly tree: Sha;
  /** Absolute path of the Python interpreter; default `python3`. */
  readonly python?: string;
  /** Absolute path of Node; default `node`. */
  readonly node?: string;
  /** Build step before every run, in the same private copy: `npm run build`. */
  readonly prepare?: string;
}

export interface RunTestsOptions extends ObserveOptions {
  /** By id; absent: all. */
  readonly tests?: readonly TestId[];
  readonly coverage?: boolean;
  /** With `coverage`: `last_lines` of the tests that fail, also where they cost extra (`PlanOptions.order`). */
  readonly order?: boolean;
  readonly testTimeoutMs?: number;
  /** How often tests that failed are run again, without coverage; one that passes then is marked `flaky`. Default 0. */
  readonly reruns?: number;
  /** Tells runs of the same command on the same tree apart, from 0. */
  readonly ordinal?: number;
}

/** Runs tests once in a private copy of the tree and reports each. What the run could not show is in `notes`. */
export async function runTests(
  detection: Detection,
  host: TestHost,
  options: RunTestsOptions = {},
): Promise<TestRunReport> {
  const { reruns = 0, ordinal = 0, ...once } = options;
  let report = await runOnce(detection, host, { ...once, ordinal });
  const { coverage: _, order: __, ...again } = once;
  for (let count = 1; count <= reruns; count += 1) {
    const tests = failingTests(report);
    if (tests.length === 0) break;
    report = markFlaky(report, [await runOnce(detection, host, { ...again, tests, ordinal: ordinal + count })]);
  }
  return report;
}

function runOnce(detection: Detection, host: TestHost, options: RunTestsOptions): Promise<TestRunReport> {
  const { command, notes } = planTestRun(detection, {
    mode: 'run',
    coverage: options.coverage ?? false,
    ...(options.order === true ? { order: true } : {}),
    ...(options.tests === undefined ? {} : { tests: options.tests }),
    ...(options.testTimeoutMs === undefined ? {} : { testTimeoutMs: options.testTimeoutMs }),
    hangMs: hangLimit(host),
    ...planningOf(host),
  });
  return runCommand(command, host, host.tree, notes, options);
}

const HANG_SHARE = 0.25;

/** Milliseconds after which a test without a limit of its own hangs: a quarter of the run's wall limit, since the others are to run too. */
export function hangLimit({ policy }: Pick<TestHost, 'policy'>): number {
  return Math.floor(policy.wall_ms * HANG_SHARE);
}

/** The `RunTests` port over a host: runs a command of `planTestRun` on any tree, which need not hold the agents. */
export function createRunTests(host: Omit<TestHost, 'tree'>): RunTests {
  return (command, tree, options) => runCommand(command, host, tree, [], options ?? {});
}

/** What the plan of a run takes from its host. */
export function planningOf(host: Omit<TestHost, 'tree'>): Pick<PlanOptions, 'python' | 'node' | 'prepare'> {
  return {
    ...(host.prepare === undefined ? {} : { prepare: host.prepare }),
    ...(host.python === undefined ? {} : { python: host.python }),
    ...(host.node === undefined ? {} : { node: host.node }),
  };
}

/** Runs a planned command on a tree and builds its report. */
export async function runCommand(
  command: TestCommand,
  host: Omit<TestHost, 'tree'>,
  tree: Sha,
  notes: readonly string[],
  options: RunTestsOptions,
): Promise<TestRunReport> {
  options.signal?.throwIfAborted();
  const plan = readPlan(command);
  const coverage = plan?.coverage === true;
  const prepared = await prepareTree(command, host.artifacts, tree, coverage, options);
  const request = requestFor(command, host, tree, prepared.tree, coverage, options.ordinal ?? 0);
  const execution = await host.executor.run(request, options);
  const text = await textOf(command.report_path, execution, host.artifacts);
  const broken = plan?.has_prepare ? await textOf(prepareLogPath(command.cwd), execution, host.artifacts) : undefined;
  const failed = broken === undefined ? {} : { prepareLog: broken };
  if (plan?.command !== undefined) {
    const held = await getTree(tree, host.artifacts, options);
    return buildCommandReport(text, {
      ...failed,
      junit: await junitFiles(plan.command, execution, host.artifacts, held),
      environment: host.environment,
      execution,
      command: plan.command,
      cwd: command.cwd,
      paths: held.map(({ path }) => path),
      notes: [...notes, ...prepared.notes],
    });
  }
  return buildReport(text, {
    ...failed,
    runner: runnerOf(command),
    environment: host.environment,
    execution,
    notes: [...notes, ...prepared.notes],
    ...(coverage ? { tree: await getTree(tree, host.artifacts, options) } : {}),
    ...(plan?.tests === undefined ? {} : { tests: plan.tests }),
  });
}

/** The runner whose agent a command loads. */
export function runnerOf(command: TestCommand): string {
  const entry = command.agent_entry?.split('/').at(-1) ?? '';
  return RUNNER_OF[entry] ?? 'vitest';
}

const RUNNER_OF: Readonly<Record<string, string>> = {
  'h_agent_pytest.py': 'pytest',
  'h_agent_unittest.py': 'unittest',
  'jest-entry.mjs': 'jest',
  'mocha-entry.mjs': 'mocha',
  'node-test-entry.mjs': 'node:test',
};

async function prepareTree(
  command: TestCommand,
  artifacts: ArtifactStore,
  tree: Sha,
  coverage: boolean,
  options: ObserveOptions,
): Promise<{ tree: Sha; notes: string[] }> {
  const entry = command.agent_entry;
  const encoder = new TextEncoder();
  const files = agentFilesFor(entry, command.cwd).map(({ path, text }) => ({ path, bytes: encoder.encode(text) }));
  const held = new Map((await getTree(tree, artifacts, options)).map(({ path, sha }) => [path, sha]));
  const { junit } = readPlan(command)?.command ?? {};
  // what the command does not write is of an earlier run
  const stale = junit !== undefined && held.has(junit) ? [{ path: junit, bytes: null }] : [];
  const changes = [...files.filter(({ path, bytes }) => held.get(path) !== sha256Hex(bytes)), ...stale];
  if (coverage && entry?.endsWith('.mjs')) {
    const injected = await instrumentTree(tree, command.cwd, artifacts, options, {
      ...sourceRoles(readPlan(command)),
      isHeld: runnerOf(command) === 'jest',
    });
    return { tree: await editTree(tree, [...changes, ...injected.changes], artifacts, options), notes: injected.notes };
  }
  return { tree: changes.length === 0 ? tree : await editTree(tree, changes, artifacts, options), notes: [] };
}

/** Files of the tree that a plan gives a part to. */
function sourceRoles(plan: AgentPlan | undefined): SourceRoles {
  const { script, cover_script } = plan?.command ?? {};
  const tests = plan?.files ?? [];
  if (script === undefined) return { tests };
  return cover_script ? { tests, program: script } : { tests: [...tests, script] };
}

export function requestFor(
  command: TestCommand,
  { policy }: Omit<TestHost, 'tree'>,
  version: Sha,
  tree: Sha,
  coverage: boolean,
  ordinal: number,
): ExecutionRequest {
  const [executable = ''] = withoutPrepareStep(command.argv);
  const plan = readPlan(command);
  // a command is one test: its limit is the run's
  const limit = plan?.command === undefined ? undefined : plan.test_timeout_ms;
  const pythonPath = [command.env_set.PYTHONPATH, policy.env_set.PYTHONPATH].filter((part) => part !== undefined);
  return {
    mode: coverage ? 'instrumented' : 'verdict',
    argv: command.argv,
    cwd: command.cwd,
    ...(executable.startsWith('/') ? { interpreter: executable } : {}),
    policy: {
      ...policy,
      wall_ms: Math.min(policy.wall_ms, limit ?? policy.wall_ms),
      env_set: {
        ...policy.env_set,
        ...variablesOf(command),
        ...(pythonPath.length === 0 ? {} : { PYTHONPATH: pythonPath.join(':') }),
      },
    },
    tree,
    artifact_version: version,
    ordinal,
    collect: [command.report_path, ...(plan === undefined ? [] : furtherFiles(plan, command.cwd))],
  };
}

export async function textOf(
  path: string,
  execution: ExecutionResult,
  artifacts: ArtifactStore,
): Promise<string | undefined> {
  const file = execution.files.find((one) => one.path === path);
  return file === undefined ? undefined : new TextDecoder().decode(await artifacts.get(file.sha));
}

/** The texts of the JUnit files that a command wrote, in order of their paths. Those of a glob that the tree holds as they are it did not write. */
async function junitFiles(
  { junit }: CommandPlan,
  execution: ExecutionResult,
  artifacts: ArtifactStore,
  tree: readonly TreeEntry[],
) {
  if (junit === undefined) return [];
  const before = new Map(tree.map(({ path, sha }) => [path, sha]));
  const paths = execution.files
    .filter(({ path, sha }) => path === junit || (path.endsWith('.xml') && before.get(path) !== sha))
    .map(({ path }) => path);
  const texts = await Promise.all(paths.sort().map((path) => textOf(path, execution, artifacts)));
  return texts.filter((text) => text !== undefined);
}
