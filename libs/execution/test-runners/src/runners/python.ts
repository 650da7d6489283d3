import type { Candidate } from '../detect-runners.ts';
import {
  type Detection,
  folderOf,
  inFolder,
  isInside,
  nameOf,
  type PlanOptions,
  type RunnerCommand,
  type RunnerName,
  type RunnerPlan,
} from '../detection.ts';
import type { Repository } from '../read-repository.ts';

const PYTEST_CONFIG: Record<string, RegExp> = {
  'pytest.ini': /^/,
  '.pytest.ini': /^/,
  'pytest.toml': /^/,
  'pyproject.toml': /^\s*\[tool\.pytest(?:\.ini_options)?\]/m,
  'setup.cfg': /^\[tool:pytest\]/m,
  'tox.ini': /^\[pytest\]/m,
};
const PROJECT_FILES = new Set([...Object.keys(PYTEST_CONFIG), 'setup.py']);
const REQUIREMENTS =
  /^(?:requirements[\w.-]*\.(?:txt|in)|Pipfile|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|environment\.ya?ml)$/;
/** More test files than this tell nothing new. */
const TEST_FILES_READ = 200;

/** What test files of one project show. */
interface Evidence {
  readonly config: string[];
  readonly conftest: string[];
  readonly imports: string[];
  readonly functions: string[];
  readonly classes: string[];
  /** Python files with the names of tests. */
  readonly named: string[];
  /** Configuration of pytest that says which files hold tests. */
  readonly patterns: string[];
  readonly required: string[];
  readonly unittest: string[];
}

/** pytest where it is configured or used, else unittest where its test cases are; one detection per project folder. */
export async function detectPython(repository: Repository, wanted?: RunnerName): Promise<Candidate[]> {
  const python = repository.paths.filter((path) => path.endsWith('.py'));
  if (python.length === 0) return [];
  const found: Candidate[] = [];
  const configured = await configuredFolders(repository);
  for (const folder of new Set(['', ...configured])) {
    // what a configured project below holds speaks for that project only, unless this one is configured itself
    const below = configured.has(folder) ? [] : [...configured];
    const paths = repository.paths.filter(
      (path) => isInside(path, folder) && !below.some((other) => isInside(path, other)),
    );
    const candidate = await judgeProject(repository, folder, paths, wanted);
    if (candidate !== undefined) found.push(candidate);
  }
  return found;
}

/** Folders with a pytest configuration of their own. */
async function configuredFolders(repository: Repository): Promise<Set<string>> {
  const folders = new Set<string>();
  for (const path of repository.paths) if (await isPytestConfig(repository, path)) folders.add(folderOf(path));
  return folders;
}

async function isPytestConfig(repository: Repository, path: string): Promise<boolean> {
  const pattern = PYTEST_CONFIG[nameOf(path)];
  return pattern?.test((await repository.text(path)) ?? '\0') ?? false;
}

async function judgeProject(
  repository: Repository,
  folder: string,
  paths: readonly string[],
  wanted: RunnerName | undefined,
): Promise<Candidate | undefined> {
  const evidence = await gather(repository, folder, paths);
  const roots = await sourceRoots(repository, folder, paths);
  const base = { cwd: folder, source_roots: roots };
  const grounds = wanted === 'unittest' ? undefined : pytestGrounds(evidence, wanted === 'pytest');
  if (grounds !== undefined) {
    const { score, ...why } = grounds;
    return { detection: { runner: 'pytest', ...base, ...why, start_dirs: [] }, score };
  }
  if (evidence.unittest.length === 0 || folder !== '') return undefined;
  const detection: Detection = {
    runner: 'unittest',
    ...base,
    reason: `${count(evidence.unittest.length, 'test file')} with unittest test cases, and ${wanted === 'unittest' ? 'unittest was asked for' : 'no sign of pytest'}`,
    evidence: evidence.unittest.slice(0, 8),
    start_dirs: startDirs(evidence.unittest, new Set(paths)),
  };
  return { detection, score: 50 };
}

function pytestGrounds(
  evidence: Evidence,
  isAskedFor: boolean,
): { reason: string; evidence: string[]; score: number } | undefined {
  const { imports, functions, classes, unittest, conftest, named, patterns } = evidence;
  const isConfigured = evidence.config.length > 0 && (named.length > 0 || patterns.length > 0);
  const shown = imports.length + functions.length + classes.length + unittest.length + conftest.length;
  if (shown === 0 && !isConfigured && !isAskedFor) return undefined;
  const grounds: [string[], string, number][] = [
    [evidence.config, 'pytest is configured', 100],
    [evidence.conftest, 'there is a conftest.py', 80],
    [evidence.imports, 'test files import pytest', 70],
    [evidence.functions, 'there are test functions outside classes, which only pytest runs', 60],
    // beside unittest test cases they may be parts of those
    [unittest.length > 0 ? [] : classes, 'there are test classes without a base, which only pytest runs', 60],
    [evidence.required, 'pytest is among the requirements', 55],
    [isAskedFor ? evidence.unittest : [], 'pytest was asked for, and runs unittest test cases too', 40],
  ];
  for (const [files, reason, score] of grounds)
    if (files.length > 0) return { reason: `${reason}: ${files[0]}`, evidence: files.slice(0, 8).sort(), score };
  return isAskedFor ? { reason: 'pytest was asked for', evidence: named.slice(0, 8), score: 30 } : undefined;
}

async function gather(repository: Repository, folder: string, paths: readonly string[]): Promise<Evidence> {
  const found: Evidence = {
    config: [],
    conftest: [],
    imports: [],
    functions: [],
    classes: [],
    named: [],
    patterns: [],
    required: [],
    unittest: [],
  };
  let read = 0;
  for (const path of paths) {
    const name = nameOf(path);
    if (folderOf(path) === folder && (await isPytestConfig(repository, path))) {
      found.config.push(path);
      if (/^\s*python_files\b/m.test((await repository.text(path)) ?? '')) found.patterns.push(path);
    }
    if (name === 'conftest.py') found.conftest.push(path);
    if (folderOf(path) === folder && REQUIREMENTS.test(name) && /\bpytest\b/.test((await repository.text(path)) ?? ''))
      found.required.push(path);
    if (!/^(?:test.*|.*_tests?)\.py$/.test(name) || read >= TEST_FILES_READ) continue;
    read += 1;
    const text = await repository.text(path);
    if (text === undefined) continue;
    found.named.push(path);
    judgeTestFile(found, path, text);
  }
  return found;
}

function judgeTestFile(found: Evidence, path: string, text: string): void {
  if (/^\s*(?:import|from)\s+pytest\b/m.test(text)) found.imports.push(path);
  else if (/^(?:async\s+)?def test/m.test(text)) found.functions.push(path);
  else if (/^class\s+\w+\s*\([^)]*TestCase/m.test(text) || /\bload_tests\b/.test(text)) found.unittest.push(path);
  else if (/^class\s+Test\w*\s*(?:\(\s*(?:object)?\s*\)\s*)?:/m.test(text) && /^\s+(?:async\s+)?def test/m.test(text))
    found.classes.push(path);
}

/** Folders that `unittest` must discover from: the folder above the topmost package of each test file. */
function startDirs(files: readonly string[], present: ReadonlySet<string>): string[] {
  const starts = new Set<string>();
  for (const file of files) {
    if (!/^test.*\.py$/.test(nameOf(file))) continue;
    let folder = folderOf(file);
    while (folder !== '' && present.has(inFolder(folder, '__init__.py'))) folder = folderOf(folder);
    starts.add(folder === '' ? '.' : folder);
  }
  return [...starts].sort();
}

/** `src` layouts, and what setuptools is told: folders that hold packages and are none. */
async function sourceRoots(repository: Repository, folder: string, paths: readonly string[]): Promise<string[]> {
  const named = new Set(['src']);
  for (const path of paths) {
    if (folderOf(path) !== folder || !PROJECT_FILES.has(nameOf(path))) continue;
    const text = (await repository.text(path)) ?? '';
    for (const [, name] of text.matchAll(
      /(?:package_dir\s*=\s*\n?\s*=\s*|["']{2}\s*[=:]\s*["']|where\s*=\s*\[?\s*["']?)([\w./-]+)/g,
    ))
      if (name !== undefined && name !== '.') named.add(name.replace(/^\.\/|\/$/g, ''));
  }
  return [...named]
    .map((name) => inFolder(folder, name))
    .filter((root) => paths.some((path) => path.endsWith('.py') && isInside(path, root)))
    .filter((root) => !paths.includes(inFolder(root, '__init__.py')))
    .sort();
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

const pytestEntry = '.h-agent/h_agent_pytest.py';

/**
 * `python -m pytest` with our plugin: the project's own configuration, plugins and options stay. Changed on the command
 * line: a failing import of one file does not stop the others, and the cache goes to the agent's folder.
 */
export function pytestCommand(options: PlanOptions): RunnerCommand {
  const argv = [options.python ?? 'python3', '-m', 'pytest', '-p', 'h_agent_pytest'];
  argv.push('--continue-on-collection-errors', '-o', 'cache_dir=.h-agent/pytest-cache');
  if (options.mode === 'list') argv.push('--collect-only', '-q');
  return { argv, env: { PYTHONPATH: '.h-agent' }, entry: pytestEntry, notes: [], plan: limitsOf(options) };
}

const unittestEntry = '.h-agent/h_agent_unittest.py';

/** Our own runner: it discovers and runs as `python -m unittest discover` does, from several start folders. */
export function unittestCommand(options: PlanOptions): RunnerCommand {
  const argv = [options.python ?? 'python3', unittestEntry];
  return { argv, env: {}, entry: unittestEntry, notes: [], plan: limitsOf(options) };
}

function limitsOf({ testTimeoutMs, hangMs }: PlanOptions): RunnerPlan {
  return {
    ...(testTimeoutMs === undefined ? {} : { test_timeout_ms: testTimeoutMs }),
    ...(hangMs === undefined ? {} : { hang_ms: hangMs }),
  };
}
