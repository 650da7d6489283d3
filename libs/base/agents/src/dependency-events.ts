// What the agents tell of dependencies: what each test read, and what each loaded module of the repository needs.
import type { RepoPath } from '@h/contracts';

/** What was read, by a test or in the body of a module. Lists are sorted, without doubles; absent where empty. */
export interface Reads {
  /** Modules of the repository whose body ran. */
  readonly loaded?: readonly RepoPath[];
  /** Files that were opened and were there. */
  readonly opened?: readonly RepoPath[];
  /** Paths that were looked for and not there. */
  readonly absent?: readonly string[];
  /** Files opened only to be written. */
  readonly written?: readonly RepoPath[];
  /** Folders whose names were listed; `""` is the root. */
  readonly listed?: readonly string[];
  /** Processes started, by the first word of their command. */
  readonly children?: readonly string[];
  /** What may have been read without being seen, in words. */
  readonly unsure?: readonly string[];
  /** Any module that is loaded may be used. */
  readonly wild?: boolean;
  /** It may ask which files are there. */
  readonly looks?: boolean;
}

/** A source file of the repository that was loaded. */
export interface LoadedModule extends Reads {
  readonly file: RepoPath;
  /** Indexes of the modules it may use, ascending. */
  readonly to: readonly number[];
  /** Names of top-level modules it may import that are not the repository's: found elsewhere, or nowhere. */
  readonly tops?: readonly string[];
  /** A file of tests, loaded by the runner itself. */
  readonly entry?: boolean;
}

/** Written at the end of a run: what a process that dies does not tell is unknown. */
export interface ModuleGraph {
  readonly event: 'module-graph';
  /** The tests of this file only; absent: of all files. */
  readonly tests?: RepoPath;
  /** Folders that modules are imported from; `""` is the root. Python only. */
  readonly import_roots: readonly string[];
  readonly modules: readonly LoadedModule[];
  /** Indexes of the modules that every test depends on: plugins, set-up files. */
  readonly everywhere: readonly number[];
}

const LISTS = ['loaded', 'opened', 'absent', 'written', 'listed', 'children', 'unsure', 'tops'];
const FLAGS = ['wild', 'looks', 'entry'];

export function isReads(value: unknown): value is Reads {
  if (!isObject(value)) return false;
  return (
    LISTS.every((name) => value[name] === undefined || isTexts(value[name])) &&
    FLAGS.every((name) => value[name] === undefined || typeof value[name] === 'boolean')
  );
}

export function isModuleGraph(value: Record<string, unknown>): boolean {
  const { tests, import_roots, modules, everywhere } = value;
  if (!(tests === undefined || typeof tests === 'string') || !isTexts(import_roots) || !Array.isArray(modules))
    return false;
  const isIndexes = (list: unknown) =>
    Array.isArray(list) && list.every((index) => Number.isInteger(index) && index >= 0 && index < modules.length);
  const isModule = (module: unknown) => isObject(module) && typeof module.file === 'string' && isIndexes(module.to);
  return isIndexes(everywhere) && modules.every((module) => isModule(module) && isReads(module));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
