import type { RepoPath, TestId } from '@h/contracts';
import type { CommandPlan, DetectedCommand } from './runners/command.ts';

export type RunnerName = 'pytest' | 'unittest' | 'vitest' | 'jest' | 'mocha' | 'node:test' | 'command';

/** A runner that a repository uses in one of its folders, and why we think so. */
export interface Detection {
  readonly runner: RunnerName;
  /** Folder the runner starts in, relative to the repository root; `""` is the root. */
  readonly cwd: string;
  /** One sentence: what was found, in words. */
  readonly reason: string;
  /** Files the reason rests on, sorted. */
  readonly evidence: readonly RepoPath[];
  /** Python: folders, relative to the repository root, whose packages must win over installed copies (`src` layouts). */
  readonly source_roots: readonly string[];
  /** unittest: folders to discover from, relative to `cwd`; empty for other runners. */
  readonly start_dirs: readonly string[];
  /** node:test, mocha: the test files, relative to the repository root, sorted. */
  readonly test_files?: readonly RepoPath[];
  /** node:test, jest, mocha: Node's own options that the project's script gives, such as a loader. */
  readonly node_args?: readonly string[];
  /** jest, mocha: arguments that the project's script gives, without those about watching, coverage and reporters. */
  readonly runner_args?: readonly string[];
  /** node:test, jest, mocha: variables that the project's script sets. */
  readonly env?: Readonly<Record<string, string>>;
  /** command: what runs. */
  readonly command?: DetectedCommand;
  /** What is missing for a run, as far as the files show. */
  readonly notes?: readonly string[];
}

/** What a member of `runners/` is asked to put into a command. */
export interface PlanOptions {
  /** Tests to run, by id; absent: all. An empty list runs none. */
  readonly tests?: readonly TestId[];
  readonly mode: 'list' | 'run';
  readonly coverage?: boolean;
  /**
   * With `coverage`: `last_lines` of the tests that fail, also where they cost extra. That is in Python from CPython 3.12 on, in runs of more
   * than fifty tests or of all; everywhere else they are told in any case.
   */
  readonly order?: boolean;
  /** Executable that argv starts with; default `python3`. */
  readonly python?: string;
  /** Executable that argv starts with; default `node`. */
  readonly node?: string;
  /** Build step that runs before the tests in the same private copy, by `sh`, in the repository root: `npm run build`. */
  readonly prepare?: string;
  /** Limit per test, in milliseconds, of every runner. */
  readonly testTimeoutMs?: number;
  /** pytest, unittest, vitest, jest, mocha: a test that runs for longer than this, in milliseconds, is ended with its process, whatever its own limit; the others still run. */
  readonly hangMs?: number;
}

export interface RunnerCommand {
  readonly argv: string[];
  readonly env: Record<string, string>;
  /** Agent file that the command loads, relative to `cwd`; absent: the command runs without an agent. */
  readonly entry?: string;
  readonly notes: string[];
  /** What only this runner's agent is told. */
  readonly plan?: RunnerPlan;
}

/** Parts of the agents' plan that not every runner has. */
export interface RunnerPlan {
  /** node:test: test files, from the repository root. */
  readonly files?: readonly RepoPath[];
  readonly node_args?: readonly string[];
  readonly runner_args?: readonly string[];
  /** Variables of the process that runs the tests alone. */
  readonly env?: Readonly<Record<string, string>>;
  /** Limit per test, in milliseconds. */
  readonly test_timeout_ms?: number;
  /** What ends a test that does not end by itself, in milliseconds. */
  readonly hang_ms?: number;
  readonly command?: CommandPlan;
}

/** Path of `name` in a folder, both relative to the repository root. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Folder of a path; `""` for a file at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function isInside(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}
