// A program with its tests in a real sandbox, ready to be observed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type ArtifactStore,
  memoryArtifacts,
  putTree,
  REGULAR_FILE,
  type Sha,
  type SourceReader,
  type TestId,
} from '@h/contracts';
import { createSandbox, defaultPolicy, discoverNode, discoverPython, type Sandbox } from '@h/sandbox';
import { type Detection, detectRunners, planTestRun, runTests } from '@h/test-runners';
import type { TestSetting } from '../src/index.ts';
import { parser } from './program-of.ts';

const root = join(import.meta.dirname, '../../../..');

export interface Target {
  readonly files: Readonly<Record<string, string>>;
  readonly detection: Detection;
  readonly sandbox: Sandbox;
  readonly artifacts: ArtifactStore;
  readonly tree: Sha;
  setting(test: TestId, wallMs?: number): TestSetting;
  /** Outcome by test, without probes. */
  outcomes(tests: readonly TestId[]): Promise<Record<TestId, string>>;
}

/** Every file below a folder of the repository's fixtures. */
export function readFolder(path: string): Record<string, string> {
  const folder = join(root, path);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/__pycache__|\.pyc$/.test(file));
  return Object.fromEntries(paths.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]));
}

/** `executable`: the Python to run with; absent: one that has pytest. */
export async function openTarget(files: Readonly<Record<string, string>>, executable?: string): Promise<Target> {
  const artifacts = memoryArtifacts();
  const tree = await treeOf(files, artifacts);
  const [detection] = await detectRunners(readerOf(files));
  if (detection === undefined) throw new Error('no runner found');
  const isPython = detection.runner === 'pytest' || detection.runner === 'unittest';
  const python = isPython ? await findPython(executable) : undefined;
  const policy = policyFor(isPython);
  const node = discoverNode();
  const packages = join(root, 'node_modules');
  const readOnlyPaths = python === undefined ? [node.prefix, packages] : [python.prefix, python.base_prefix];
  const links = python === undefined ? [{ at: 'node_modules', target: packages }] : [];
  const sandbox = await createSandbox(policy, { artifacts, readOnlyPaths, links, concurrency: 1 });
  const executables = python === undefined ? { node: node.executable } : { python: python.executable };
  return {
    files,
    detection,
    sandbox,
    artifacts,
    tree,
    setting(test, wallMs) {
      const { command, agent_files } = planTestRun(detection, { tests: [test], mode: 'run', ...executables });
      const limited = wallMs === undefined ? policy : { ...policy, wall_ms: wallMs };
      return { executor: sandbox, artifacts, policy: limited, command, agentFiles: agent_files, tree, test, parser };
    },
    async outcomes(tests) {
      const host = { executor: sandbox, artifacts, policy, environment: '0'.repeat(64), tree, ...executables };
      const report = await runTests(detection, host, { tests });
      return Object.fromEntries(report.tests.map(({ test, outcome }) => [test, outcome]));
    },
  };
}

function policyFor(isPython: boolean) {
  return defaultPolicy({ wall_ms: 60_000, ...(isPython ? {} : { memory_bytes: 2 ** 31 }) });
}

/** The oldest and the newest Python that are here. */
export function edgePythons(): string[] {
  const order = (path: string) => Number(/3\.(\d+)/.exec(path)?.[1] ?? 0);
  const all = pyenvPythons().sort((a, b) => order(a) - order(b));
  return all.length === 0 ? ['python3'] : [...new Set([all[0] ?? '', all.at(-1) ?? ''])];
}

function pyenvPythons(): string[] {
  const versions = join(homedir(), '.pyenv/versions');
  if (!existsSync(versions)) return [];
  return readdirSync(versions).flatMap((name) =>
    /^3\.(?:[89]|1[0-3])\./.test(name) ? [join(versions, name, 'bin/python')] : [],
  );
}

async function findPython(wanted?: string) {
  for (const candidate of wanted === undefined ? [...pyenvPythons(), 'python3'] : [wanted]) {
    const found = await discoverPython([candidate]);
    if ('executable' in found && (wanted !== undefined || 'pytest' in found.packages)) return found;
  }
  throw new Error('No Python with pytest is here: pip install pytest');
}

async function treeOf(files: Readonly<Record<string, string>>, artifacts: ArtifactStore): Promise<Sha> {
  const entries = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(new TextEncoder().encode(text)) });
  return putTree(entries, artifacts);
}

function readerOf(files: Readonly<Record<string, string>>): SourceReader {
  return {
    async read(path) {
      const text = files[path];
      if (text === undefined) throw new Error(`no ${path}`);
      return new TextEncoder().encode(text);
    },
    async *list() {
      yield* Object.keys(files).sort();
    },
  };
}
