import type { RepoPath, TestId } from '@h/contracts';

export type RunnerName = 'pytest' | 'unittest' | 'vitest';

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
}

/** What a member of `runners/` is asked to put into a command. */
export interface PlanOptions {
  /** Tests to run, by id; absent: all. An empty list runs none. */
  readonly tests?: readonly TestId[];
  readonly mode: 'list' | 'run';
  readonly coverage?: boolean;
  /** Executable that argv starts with; default `python3`. */
  readonly python?: string;
  /** Executable that argv starts with; default `node`. */
  readonly node?: string;
  /** vitest: its own limit per test, in milliseconds. The Python runners have none: there the wall limit of the run ends a test that hangs. */
  readonly testTimeoutMs?: number;
}

export interface RunnerCommand {
  readonly argv: string[];
  readonly env: Record<string, string>;
  readonly entry: string;
  readonly notes: string[];
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
