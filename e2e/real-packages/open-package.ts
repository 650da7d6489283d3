// An obtained package as H runs it: its files as a tree, its runner, a sandbox that can read its environment.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ArtifactStore,
  EXECUTABLE_FILE,
  hashRecord,
  memoryArtifacts,
  putTree,
  REGULAR_FILE,
  type SourceReader,
  SYMBOLIC_LINK,
  type TreeEntry,
} from '@h/contracts';
import { createSandbox, defaultPolicy, discoverNode, discoverPython } from '@h/sandbox';
import { type Detection, dependencyRoots, detectRunners, type TestHost } from '@h/test-runners';
import type { ObtainedPackage } from './real-package.ts';

export interface OpenPackage {
  readonly detection: Detection;
  readonly host: TestHost;
  readonly entries: readonly TreeEntry[];
  close(): Promise<void>;
}

const GIBIBYTE = 1024 ** 3;
const RUN_MS = 300_000;

/** Opens an obtained package with the runner its pin names; the caller closes it. Throws where H does not detect that runner. */
export async function openPackage({ pin, folder, python }: ObtainedPackage): Promise<OpenPackage> {
  const artifacts = memoryArtifacts();
  const entries = await readTree(folder, artifacts);
  const [detection] = await detectRunners(readerOf(folder, entries), { runner: pin.runner });
  if (detection === undefined) throw new Error(`${pin.name}: no ${pin.runner} tests found`);
  const node = discoverNode();
  const found = python === undefined ? undefined : await discoverPython([python]);
  if (found !== undefined && 'reason' in found) throw new Error(found.reason);
  const links = found === undefined ? dependencyRoots(folder, detection.cwd, existsSync) : [];
  const readOnlyPaths =
    found === undefined ? [node.prefix, ...links.map(({ target }) => target)] : [found.prefix, found.base_prefix];
  const base = defaultPolicy({ wall_ms: RUN_MS, memory_bytes: 2 * GIBIBYTE });
  const policy = { ...base, filesystem: { ...base.filesystem, extra_ro: readOnlyPaths } };
  const environment = hashRecord({ pin: pin.sha256, install: pin.install, policy });
  const sandbox = await createSandbox(policy, { artifacts, readOnlyPaths, links, environment });
  return {
    detection,
    entries,
    host: {
      executor: sandbox,
      artifacts,
      policy,
      environment,
      tree: await putTree(entries, artifacts),
      node: node.executable,
      ...(found === undefined ? {} : { python: found.executable }),
    },
    close: () => sandbox.close(),
  };
}

const NOT_SOURCES = new Set(['.venv', 'node_modules', '.git', '.h', '__pycache__', '.pytest_cache', '.hypothesis']);

async function readTree(root: string, artifacts: ArtifactStore): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const path of filesBelow(root, '')) {
    const stat = lstatSync(join(root, path));
    const isLink = stat.isSymbolicLink();
    const bytes = isLink ? new TextEncoder().encode(readlinkSync(join(root, path))) : readFileSync(join(root, path));
    const mode = isLink ? SYMBOLIC_LINK : (stat.mode & 0o111) === 0 ? REGULAR_FILE : EXECUTABLE_FILE;
    entries.push({ path, mode, sha: await artifacts.put(bytes) });
  }
  return entries;
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !NOT_SOURCES.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    });
}

function readerOf(root: string, entries: readonly TreeEntry[]): SourceReader {
  return {
    read: async (path) => readFileSync(join(root, path)),
    list: async function* () {
      for (const { path } of entries) yield path;
    },
  };
}
