import {
  createStatementInjector,
  type InjectableLanguage,
  type InjectOptions,
  type StatementInjector,
} from '@h/agents';
import {
  type ArtifactStore,
  getTree,
  type ObserveOptions,
  type Sha,
  SYMBOLIC_LINK,
  type TreeChange,
  type TreeEntry,
} from '@h/contracts';
import { inFolder, nameOf } from './detection.ts';

/** The table that gives a statement number its place; the Node agent reads it. */
export interface CoverageMap {
  /** Numbers run from 0 to `total - 1`. */
  readonly total: number;
  readonly files: readonly {
    readonly file: string;
    /** Number of the file's first statement. */
    readonly first: number;
    /** First line per statement. */
    readonly lines: readonly number[];
    /** Indexes of the statements that run while the module is loaded. */
    readonly top: readonly number[];
  }[];
  /** Sources speak of threads of Node: they take part. */
  readonly threads?: true;
}

/** Sources whose part their names do not tell. */
export interface SourceRoles {
  /** Test files whose names need not say so. */
  readonly tests?: readonly string[];
  /** The script that a command runs, where it is what is tested. */
  readonly program?: string;
  /** The modules live in a realm of their own, where the global object is slow to reach. */
  readonly isHeld?: boolean;
}

const FOREIGN = /(?:^|\/)(?:node_modules|\.[^/]+|__tests__|__mocks__|__snapshots__)\//;
const INSTALLED = /(?:^|\/)(?:node_modules|\.[^/]+)\//;
const NOT_SOURCE =
  /\.d\.[cm]?ts$|\.(?:test|spec|bench|test-d|stories)\.[^/]*$|\.config\.[cm]?[jt]s$|^(?:vitest|jest)\.[^/]*$|^\./;
const LARGE_BYTES = 1_000_000;

/** The changes that put a probe before each statement of the JavaScript and TypeScript sources of a tree. */
export async function instrumentTree(
  tree: Sha,
  cwd: string,
  artifacts: ArtifactStore,
  options: ObserveOptions = {},
  { tests = [], program, isHeld = false }: SourceRoles = {},
): Promise<{ changes: TreeChange[]; notes: string[] }> {
  const injector = await createStatementInjector();
  const files: CoverageMap['files'][number][] = [];
  const changes: TreeChange[] = [];
  const notes: string[] = [];
  let total = 0;
  const entries = await getTree(tree, artifacts, options);
  const isHelper = helpersOf(
    entries.map(({ path }) => path),
    new Set(tests),
  );
  const threads = await speakOfThreads(entries, artifacts, options);
  for (const { path, mode, sha } of entries) {
    const language = sourceLanguage(path);
    if (language === undefined || mode === SYMBOLIC_LINK || isHelper(path)) continue;
    options.signal?.throwIfAborted();
    const place = { path, firstId: total, isHeld, inThreads: threads };
    const result = injectFile(injector, await artifacts.get(sha, options), language, place);
    if (typeof result === 'string') {
      notes.push(`No coverage of ${path}: ${result}`);
      continue;
    }
    if (result.statements.length === 0) continue;
    changes.push({ path, bytes: new TextEncoder().encode(result.text) });
    // what a program does at its top level is no loading: it is what the program does
    files.push({ file: path, first: total, lines: result.statements, top: path === program ? [] : result.top });
    total += result.statements.length;
  }
  const map: CoverageMap = { total, files, ...(threads ? { threads } : {}) };
  const path = inFolder(cwd, '.h-agent/coverage-map.json');
  return { changes: [...changes, { path, bytes: new TextEncoder().encode(JSON.stringify(map)) }], notes };
}

/** Whether a source or a test of the project names the module of threads. */
async function speakOfThreads(entries: readonly TreeEntry[], artifacts: ArtifactStore, options: ObserveOptions) {
  for (const { path, mode, sha } of entries) {
    if (INSTALLED.test(path) || !/\.[cm]?[jt]sx?$/.test(path) || mode === SYMBOLIC_LINK) continue;
    if (new TextDecoder().decode(await artifacts.get(sha, options)).includes('worker_threads')) return true;
  }
  return false;
}

function injectFile(
  injector: StatementInjector,
  bytes: Uint8Array,
  language: InjectableLanguage,
  place: InjectOptions,
) {
  if (bytes.length > LARGE_BYTES) return `it has ${bytes.length} bytes, more than ${LARGE_BYTES}`;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'it is not UTF-8';
  }
  const result = injector.inject(text, language, place);
  return 'skipped' in result ? result.skipped : result;
}

/** Whether a path lies in a folder named `test` or `tests` that holds tests: it helps them, and is no part of the program. */
function helpersOf(paths: readonly string[], tests: ReadonlySet<string>): (path: string) => boolean {
  const folderOf = (path: string) => /^(?:.*?\/)??(?:tests?)(?=\/)/.exec(path)?.[0];
  const folders = new Set(paths.filter((path) => TEST_FILE.test(path) || tests.has(path)).map(folderOf));
  return (path) => {
    if (tests.has(path)) return true;
    const folder = folderOf(path);
    return folder !== undefined && folders.has(folder);
  };
}

const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$/;

/** Language of a source that gets probes; tests, configuration, declarations and what is not the project's own get none. */
function sourceLanguage(path: string): InjectableLanguage | undefined {
  if (FOREIGN.test(path) || NOT_SOURCE.test(nameOf(path))) return undefined;
  const extension = /\.([cm]?[jt]sx?)$/.exec(path)?.[1];
  if (extension === undefined) return undefined;
  if (extension === 'tsx') return 'tsx';
  return extension.includes('t') ? 'typescript' : 'javascript';
}
