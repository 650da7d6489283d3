// What the agents tell of dependencies: what each test read, and what each loaded module of the repository needs.
import type { RepoPath, Sha } from '@h/contracts';

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
  /** Processes started whose own reads are told as those of who started them. */
  readonly followed?: readonly string[];
  /** Environment variables read, by name; `*`: any of them, and which there are. */
  readonly env?: readonly string[];
  /** Installed packages loaded, as `name@version`; what each is, a `packages` event says. */
  readonly packages?: readonly string[];
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

/** The whole environment as it was when the session began, before any of the target's code ran. Written once, before the tests. */
export interface Environment {
  readonly event: 'environment';
  readonly variables: readonly { readonly name: string; readonly value_sha: Sha }[];
}

/** Installed packages that some test or module may use; more may follow in later events. */
export interface Packages {
  readonly event: 'packages';
  /** `sha` is over the file that describes the installed package: `package.json`, or `METADATA` with `RECORD`. */
  readonly packages: readonly { readonly name: string; readonly version: string; readonly sha: Sha }[];
}

const LISTS = [
  'loaded',
  'opened',
  'absent',
  'written',
  'listed',
  'children',
  'followed',
  'env',
  'packages',
  'unsure',
  'tops',
];
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

export function isEnvironment({ variables }: Record<string, unknown>): boolean {
  return isListOf(variables, ({ name, value_sha }) => typeof name === 'string' && isSha(value_sha));
}

export function isPackages({ packages }: Record<string, unknown>): boolean {
  return isListOf(
    packages,
    ({ name, version, sha }) => typeof name === 'string' && typeof version === 'string' && isSha(sha),
  );
}

function isListOf(value: unknown, isItem: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));
}

function isSha(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
