// A small executor for these tests: plain processes in a temporary folder, with a wall limit and nothing else enforced.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ArtifactStore,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  getTree,
  hashRecord,
  type IsolationPolicy,
  putTree,
  REGULAR_FILE,
  type Sha,
  type SourceReader,
  type Stream,
} from '@h/contracts';

export interface Link {
  readonly at: string;
  readonly target: string;
}

export function policy(overrides: Partial<IsolationPolicy> = {}): IsolationPolicy {
  return {
    cpu_cores: 1,
    memory_bytes: 536870912,
    wall_ms: 60_000,
    pids_max: 512,
    stream_bytes: 65536,
    disk_bytes: 1e9,
    inodes_max: 1e5,
    network: 'deny',
    filesystem: { workspace: 'private_copy', scratch: 'rw', extra_ro: [] },
    env_allow: [],
    env_set: {},
    determinism: { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: false },
    require: [],
    ...overrides,
  };
}

/** Runs requests one after another; each in a fresh copy of its tree. */
export function processExecutor(artifacts: ArtifactStore, links: readonly Link[] = []): Executor {
  return {
    capabilities: { concurrency: 1, persistent: false, enforces: ['wall_limit'] },
    async run(request, options) {
      const workspace = mkdtempSync(join(tmpdir(), 'h-test-'));
      try {
        for (const { path, sha } of await getTree(request.tree, artifacts)) {
          mkdirSync(dirname(join(workspace, path)), { recursive: true });
          writeFileSync(join(workspace, path), await artifacts.get(sha));
        }
        for (const link of links) linkPackages(join(workspace, link.at), link.target);
        const ended = await runProcess(request, workspace, options?.signal);
        return { ...ended, files: await collect(request, workspace, artifacts) };
      } finally {
        await removeFolder(workspace);
      }
    },
  };
}

/** What outlived its run, as no sandbox would let it, may still be writing while its folder is deleted. */
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export function linkPackages(at: string, target: string): void {
  mkdirSync(at, { recursive: true });
  for (const name of readdirSync(target))
    if (!name.startsWith('.vite')) symlinkSync(join(target, name), join(at, name));
}

async function runProcess(request: ExecutionRequest, workspace: string, signal?: AbortSignal) {
  const [command = '', ...args] = request.argv;
  const child = spawn(command, args, {
    cwd: join(workspace, request.cwd),
    env: {
      PATH: process.env.PATH,
      HOME: workspace,
      PYTHONHASHSEED: '0',
      TZ: 'UTC',
      LC_ALL: 'C.UTF-8',
      ...request.policy.env_set,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let limited = false;
  const kill = () => {
    if (child.pid === undefined) return; // it could not be started; -0 would be our own group
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {}
  };
  const timer = setTimeout(() => {
    limited = true;
    kill();
  }, request.policy.wall_ms);
  signal?.addEventListener('abort', kill);
  const [stdout, stderr] = [read(child.stdout), read(child.stderr)];
  const [code, by] = await new Promise<[number | null, string | null]>((done) => {
    child.on('close', (code, by) => done([code, by]));
    child.on('error', () => done([127, null]));
  });
  clearTimeout(timer);
  kill();
  return {
    execution_id: hashRecord({ request }),
    ended_by: limited ? 'wall_limit' : by === null ? 'exit' : signal?.aborted ? 'cancelled' : 'signal',
    ...(code === null ? {} : { exit_code: code }),
    ...(by === null ? {} : { signal: by }),
    stdout: stream(stdout.join('')),
    stderr: stream(stderr.join('')),
  } satisfies Omit<ExecutionResult, 'files'>;
}

function read(source: NodeJS.ReadableStream): string[] {
  const parts: string[] = [];
  source.on('data', (part) => parts.push(String(part)));
  return parts;
}

function stream(text: string): Stream {
  const bytes = Buffer.byteLength(text);
  return { text, observed_bytes: bytes, retained_bytes: bytes, dropped_bytes: 0 };
}

async function collect(request: ExecutionRequest, workspace: string, artifacts: ArtifactStore) {
  const files = [];
  for (const path of request.collect) {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(join(workspace, path));
    } catch {
      continue;
    }
    files.push({ path, sha: await artifacts.put(bytes), bytes: bytes.length });
  }
  return files;
}

/** A tree of the given texts. */
export async function treeOf(files: Record<string, string>, artifacts: ArtifactStore): Promise<Sha> {
  const entries = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(new TextEncoder().encode(text)) });
  return putTree(entries, artifacts);
}

/** A reader of the given texts; it ignores the glob, as the tests ask for everything. */
export function readerOf(files: Record<string, string>): SourceReader {
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
