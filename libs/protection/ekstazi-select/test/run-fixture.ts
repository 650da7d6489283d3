// Runs the tests of a fixture, whole, in a real sandbox, as it is or with some files changed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import {
  type ArtifactStore,
  getTree,
  memoryArtifacts,
  putTree,
  REGULAR_FILE,
  type Sha,
  type TestRunReport,
  type TreeEntry,
} from '@h/contracts';
import { createSandbox, defaultPolicy, discoverNode, discoverPython } from '@h/sandbox';
import { detectRunners, runTests } from '@h/test-runners';

export type Files = Readonly<Record<string, string>>;
/** New text by path; null deletes. */
export type Change = Readonly<Record<string, string | null>>;

export interface FixtureRun {
  readonly report: TestRunReport;
  readonly tree: readonly TreeEntry[];
}

export function readFixture(name: string): Files {
  const root = join(import.meta.dirname, 'fixtures', name);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return Object.fromEntries(
    paths
      .filter((path) => !path.includes('node_modules/'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
}

export function applyChange(files: Files, change: Change): Files {
  const changed: Record<string, string> = {};
  for (const [path, text] of Object.entries({ ...files, ...change })) if (text !== null) changed[path] = text;
  return changed;
}

export interface FixtureRunner {
  run(files: Files, coverage: boolean): Promise<FixtureRun>;
  close(): Promise<void>;
}

/** Prepares to run the tests of a fixture; under pytest or vitest, as its files say. */
export async function openFixture(base: Files): Promise<FixtureRunner> {
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners({
    read: async (path) => encode(base[path] ?? ''),
    list: () => pathsOf(base),
  });
  if (detection === undefined) throw new Error('no runner found');
  const node = discoverNode();
  const packages = join(import.meta.dirname, '../../../../node_modules');
  const python = detection.runner === 'vitest' ? undefined : await findPython();
  const policy = defaultPolicy({ wall_ms: 60_000, memory_bytes: 2 ** 31 });
  const sandbox = await createSandbox(policy, {
    artifacts,
    readOnlyPaths: python === undefined ? [node.prefix, packages] : [python.prefix, python.base_prefix],
    links: python === undefined ? [{ at: 'node_modules', target: packages }] : [],
    concurrency: 1,
  });
  const executables = python === undefined ? { node: node.executable } : { python: python.executable };
  const host = { executor: sandbox, artifacts, policy, environment: '0'.repeat(64), ...executables };
  return {
    async run(files, coverage) {
      const tree = await putFiles(files, artifacts);
      const report = await runTests(detection, { ...host, tree }, { coverage });
      return { report, tree: await getTree(tree, artifacts) };
    },
    close: () => sandbox.close(),
  };
}

async function* pathsOf(files: Files): AsyncIterable<string> {
  yield* Object.keys(files).sort();
}

async function findPython() {
  const versions = join(homedir(), '.pyenv/versions');
  const own = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin/python')) : [];
  for (const candidate of [...own, 'python3']) {
    const found = await discoverPython([candidate]);
    if ('executable' in found && 'pytest' in found.packages) return found;
  }
  throw new Error('No Python with pytest is here: pip install pytest');
}

async function putFiles(files: Files, artifacts: ArtifactStore): Promise<Sha> {
  const entries: TreeEntry[] = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(encode(text)) });
  return putTree(entries, artifacts);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** `3` → `4`, `'a'` → `'aX'`: one mutant for each literal on a line of its own. */
export function* mutate(path: string, text: string): Generator<[name: string, Change]> {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const changed = mutateLine(line);
    if (changed === undefined) continue;
    yield [`${path}:${index + 1}`, { [path]: lines.with(index, changed).join('\n') }];
  }
}

function mutateLine(line: string): string | undefined {
  if (/^\s*(?:import|from|export \{|export \*|test\(|def |class |#|\/\/)/.test(line)) return undefined;
  const number = line.replace(/(?<![\w.])\d+(?![\w.])/, (digits) => String(Number(digits) + 1));
  if (number !== line) return number;
  const text = line.replace(/(['"])([a-z]{2,})\1/, '$1$2x$1');
  return text === line ? undefined : text;
}
