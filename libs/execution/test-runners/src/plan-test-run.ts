import { type AgentFile, nodeAgent, pythonAgent } from '@h/agents';
import type { RepoPath, TestCommand } from '@h/contracts';
import {
  type Detection,
  inFolder,
  type PlanOptions,
  type RunnerCommand,
  type RunnerName,
  type RunnerPlan,
} from './detection.ts';
import { prepareLogPath, withPrepareStep } from './prepare-step.ts';
import { commandCommand } from './runners/command.ts';
import { jestCommand } from './runners/jest.ts';
import { mochaCommand } from './runners/mocha.ts';
import { nodeTestCommand } from './runners/node-test.ts';
import { pytestCommand, unittestCommand } from './runners/python.ts';
import { vitestCommand } from './runners/vitest.ts';

const RUNNERS: Record<RunnerName, (options: PlanOptions, detection: Detection) => RunnerCommand> = {
  pytest: pytestCommand,
  unittest: unittestCommand,
  vitest: (options, { cwd }) => vitestCommand(options, cwd),
  jest: jestCommand,
  mocha: mochaCommand,
  'node:test': nodeTestCommand,
  command: commandCommand,
};

/** A run of a test runner, ready for an executor once its agent files are in the tree. */
export interface TestPlan {
  readonly command: TestCommand;
  /** Paths relative to the tree. `runTests` and `createRunTests` put them there. */
  readonly agent_files: readonly AgentFile[];
  /** Globs for the execution request. */
  readonly collect: readonly string[];
  readonly notes: readonly string[];
}

/** What the agents are told; it travels in the environment of the command, so that the command alone says what will run. */
export interface AgentPlan extends RunnerPlan {
  readonly mode: 'list' | 'run';
  readonly coverage: boolean;
  /** The order of last execution is wanted, whatever it costs. */
  readonly order?: boolean;
  /** The repository root, relative to the folder the runner starts in. */
  readonly root: string;
  readonly report: RepoPath;
  readonly tests?: readonly string[];
  readonly source_roots?: readonly string[];
  readonly start_dirs?: readonly string[];
  /** A build step stands before the command. */
  readonly has_prepare?: boolean;
}

/** What a run leaves besides the report: the log of a build step that failed, JUnit files of a command. */
export function furtherFiles({ has_prepare, command }: AgentPlan, cwd: string): string[] {
  return [
    ...(has_prepare === true ? [prepareLogPath(cwd)] : []),
    ...(command?.junit === undefined ? [] : [command.junit]),
  ];
}

const VARIABLE = 'H_AGENT_PLAN';
/** Linux takes no variable of 128 KiB; UTF-8 may need three bytes for a UTF-16 unit. */
const VARIABLE_UNITS = 40_000;
/** Beyond this the environment itself may be refused. */
const PLAN_BYTES = 1_000_000;

/** The command, the files and the collected paths of a run. Pure: nothing is read or started. Throws a `RangeError` for a `testTimeoutMs` below 1. */
export function planTestRun(detection: Detection, options: PlanOptions): TestPlan {
  const { testTimeoutMs = 1 } = options;
  if (!Number.isFinite(testTimeoutMs) || testTimeoutMs < 1)
    throw new RangeError(`testTimeoutMs is ${testTimeoutMs}: give milliseconds, from 1.`);
  const { argv, env, entry, notes, plan: own } = RUNNERS[detection.runner](options, detection);
  const report = inFolder(detection.cwd, '.h-agent/report.ndjson');
  const plan: AgentPlan = {
    mode: options.mode,
    coverage: options.coverage ?? false,
    ...(options.order === true ? { order: true } : {}),
    root: detection.cwd === '' ? '.' : detection.cwd.replace(/[^/]+/g, '..'),
    report,
    ...(options.tests === undefined ? {} : { tests: [...options.tests] }),
    ...(detection.source_roots.length === 0 ? {} : { source_roots: detection.source_roots }),
    ...(detection.start_dirs.length === 0 ? {} : { start_dirs: detection.start_dirs }),
    ...(options.prepare === undefined ? {} : { has_prepare: true }),
    ...own,
  };
  const written = writePlan(plan);
  const { prepare } = options;
  return {
    command: {
      argv: prepare === undefined ? argv : withPrepareStep(argv, prepare, plan.root),
      cwd: detection.cwd,
      env_set: { ...env, ...written.env },
      report_path: report,
      ...(entry === undefined ? {} : { agent_entry: inFolder(detection.cwd, entry) }),
    },
    agent_files: agentFilesFor(entry, detection.cwd),
    collect: [report, ...furtherFiles(plan, detection.cwd)],
    notes: [...notes, ...written.notes],
  };
}

/** Agent files of the language of an entry, placed in the folder the runner starts in. */
export function agentFilesFor(entry: string | undefined, cwd: string): AgentFile[] {
  if (entry === undefined) return [];
  const files = entry.endsWith('.py') ? pythonAgent() : nodeAgent();
  return files.map(({ path, text }) => ({ path: inFolder(cwd, path), text }));
}

/** The plan that `planTestRun` put into a command; `undefined` when the command is not one of its own. */
export function readPlan(command: TestCommand): AgentPlan | undefined {
  let text = command.env_set[VARIABLE];
  if (text === undefined) return undefined;
  for (let part = 1; command.env_set[`${VARIABLE}_${part}`] !== undefined; part += 1)
    text += command.env_set[`${VARIABLE}_${part}`];
  return JSON.parse(text) as AgentPlan;
}

/** Variables that a command gets: the plan only where an agent takes it away again. */
export function variablesOf({ env_set, agent_entry }: TestCommand): Record<string, string> {
  if (agent_entry !== undefined) return env_set;
  return Object.fromEntries(Object.entries(env_set).filter(([name]) => !name.startsWith(VARIABLE)));
}

function writePlan(plan: AgentPlan): { env: Record<string, string>; notes: string[] } {
  const text = JSON.stringify(plan);
  if (new TextEncoder().encode(text).length > PLAN_BYTES) {
    const { tests: _, ...all } = plan;
    const note = `The list of tests is too long to pass on (${text.length} characters): every test runs.`;
    return { env: writePlan(all).env, notes: [note] };
  }
  const env: Record<string, string> = {};
  for (let start = 0, part = 0; start < text.length; start += VARIABLE_UNITS, part += 1)
    env[part === 0 ? VARIABLE : `${VARIABLE}_${part}`] = text.slice(start, start + VARIABLE_UNITS);
  return { env, notes: [] };
}
