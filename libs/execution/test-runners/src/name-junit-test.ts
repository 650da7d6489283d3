// Which test a <testcase> is: every writer of JUnit XML spreads the name over other attributes.
import type { RepoPath, TestId } from '@h/contracts';
import { inFolder } from './detection.ts';

/** A `<testcase>` as it stands in the document. */
export interface JUnitCase {
  /** Names of the suites around it, outermost first. */
  readonly suites: readonly string[];
  readonly name: string;
  readonly classname?: string;
  /** Its own `file`, else that of the nearest suite. */
  readonly file?: string;
}

export interface JUnitPlace {
  /** Paths of the repository: a module or an absolute path is looked for among them. Absent: names are taken as they are. */
  readonly paths?: readonly RepoPath[];
  /** Folder the writer ran in, relative to the root; default the root. */
  readonly cwd?: string;
}

/** Gives the id and the file of test cases: as `runTests` would name them where the document tells enough, else `class > name`. */
export function junitNamer({ paths, cwd = '' }: JUnitPlace): (entry: JUnitCase) => { test: TestId; file: RepoPath } {
  const known = paths === undefined ? undefined : new Set(paths);
  const files = new Map<string, string>();
  const resolve = (path: string): string => {
    const held = files.get(path) ?? findFile(path, known, cwd);
    files.set(path, held);
    return held;
  };
  return (entry) => {
    const named = entry.file ?? [...entry.suites, entry.classname ?? ''].find((name) => SCRIPT.test(name));
    const file = named === undefined || named === '' ? undefined : resolve(named);
    if (isPython(entry, file)) return namePython(entry, file, known, cwd);
    const words = [...(file === undefined ? [] : [file]), ...namesOf(entry, named), entry.name];
    return { test: words.filter((word) => word !== '').join(' > ') || 'unnamed', file: file ?? '.' };
  };
}

const SCRIPT = /^[^\s>]+\.[cm]?[jt]sx?$/;

/** The repository's path of a file that a document names: as it is, below the folder of the run, or by the end of an absolute path. */
function findFile(path: string, known: ReadonlySet<string> | undefined, cwd: string): string {
  const plain = path
    .replaceAll('\\', '/')
    .replace(/^file:\/\//, '')
    .replace(/^\.\//, '');
  if (!plain.startsWith('/')) {
    const below = inFolder(cwd, plain);
    return known === undefined || known.has(below) || !known.has(plain) ? below : plain;
  }
  for (let at = plain.indexOf('/'); at !== -1; at = plain.indexOf('/', at + 1))
    if (known?.has(plain.slice(at + 1))) return plain.slice(at + 1);
  return plain;
}

function isPython({ suites, classname = '' }: JUnitCase, file: string | undefined): boolean {
  if (file !== undefined) return file.endsWith('.py');
  return suites.includes('pytest') || /(?:^|\.)(?:test_\w|tests?\.\w)/.test(classname);
}

/** `file::Class::method`, the class after the dotted name of the module. */
function namePython(
  { name, classname = '' }: JUnitCase,
  file: string | undefined,
  known: ReadonlySet<string> | undefined,
  cwd: string,
): { test: TestId; file: RepoPath } {
  const parts = classname === '' ? [] : classname.split('.');
  const pathOf = (length: number) => inFolder(cwd, `${parts.slice(0, length).join('/')}.py`);
  // pytest's `file` is where the function stands, which for an inherited test is another file than that of its class
  const found = [...parts.keys()].map((at) => at + 1).findLast((length) => known?.has(pathOf(length)));
  const length = found ?? (file === undefined ? moduleLength(parts) : sharedLength(parts, file));
  const path = found === undefined && file !== undefined ? file : pathOf(length);
  return { test: [path, ...parts.slice(length), name].join('::'), file: path };
}

/** How many of the parts name the module: all before the first that looks like a class. */
function moduleLength(parts: readonly string[]): number {
  const first = parts.findIndex((part) => /^[A-Z]/.test(part));
  return first <= 0 ? parts.length : first;
}

/** How many of the parts the file's own path ends in. */
function sharedLength(parts: readonly string[], file: string): number {
  const module = file.replace(/(?:\/__init__)?\.py$/, '').split('/');
  for (let length = Math.min(parts.length, module.length); length > 0; length -= 1)
    if (parts.slice(0, length).join('/') === module.slice(-length).join('/')) return length;
  return 0;
}

/** What stands between file and name: the class, or the suites where no class is named. */
function namesOf({ suites, classname = '', name }: JUnitCase, file: string | undefined): string[] {
  const isPlaceholder = classname === '' || classname === 'test' || classname === 'suite';
  if (isPlaceholder) return suites.filter((suite) => suite !== file && !SUMMARY.has(suite));
  // some writers put the whole title into both, or the end of it into the class
  return classname === file || name.endsWith(classname) || name.startsWith(`${classname} `) ? [] : [classname];
}

/** Names that writers give to the whole document. */
const SUMMARY = new Set(['', 'vitest tests', 'jest tests', 'Mocha Tests', 'Root Suite', 'pytest tests', 'pytest']);
