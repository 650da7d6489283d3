import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  type ArtifactStore,
  type ExecutionRequest,
  type ExecutionResult,
  type IsolationPolicy,
  memoryArtifacts,
  putTree,
  type Sha,
} from '@h/contracts';
import { findTools } from '../src/host/find-tools.ts';
import { type BackendName, createSandbox, defaultPolicy, type Sandbox, type SandboxOptions } from '../src/index.ts';

/** Backends that isolate, strongest first. */
export const NAMESPACES: readonly BackendName[] = ['bubblewrap', 'util-linux'];

/** Bubblewrap and util-linux are part of what the tests need: missing, they fail with the remedy instead of passing by. */
export function requireTools(): void {
  const { bwrap, nsenter, pivot_root } = findTools('');
  if (bwrap === undefined || nsenter === undefined || pivot_root === undefined) {
    throw new Error('tools are missing, so isolation cannot be tested: apt-get install bubblewrap util-linux mount');
  }
}

export async function treeOf(
  artifacts: ArtifactStore,
  files: Readonly<Record<string, string | { text: string; mode: number }>>,
): Promise<Sha> {
  const entries = Object.entries(files).map(async ([path, file]) => {
    const { text, mode } = typeof file === 'string' ? { text: file, mode: 0o100644 } : file;
    return { path, mode, sha: await artifacts.put(new TextEncoder().encode(text)) };
  });
  return putTree(await Promise.all(entries), artifacts);
}

export interface RunOptions {
  readonly policy?: Partial<IsolationPolicy>;
  readonly request?: Partial<ExecutionRequest>;
  readonly signal?: AbortSignal;
  readonly files?: Readonly<Record<string, string | { text: string; mode: number }>>;
}

export interface Opened {
  readonly sandbox: Sandbox;
  readonly artifacts: ArtifactStore;
  /** Runs argv in a tree of the files given, `{ "a.txt": "a\n" }` by default. */
  run(argv: readonly string[], options?: RunOptions): Promise<ExecutionResult>;
  sh(script: string, options?: RunOptions): Promise<ExecutionResult>;
}

export async function openSandbox(
  options: Partial<SandboxOptions> = {},
  policy: IsolationPolicy = defaultPolicy(),
): Promise<Opened> {
  const artifacts = options.artifacts ?? memoryArtifacts();
  const sandbox = await createSandbox(policy, { backend: 'bubblewrap', ...options, artifacts });
  const run: Opened['run'] = async (
    argv,
    { policy: changes = {}, request = {}, signal, files = { 'a.txt': 'a\n' } } = {},
  ) => {
    const tree = await treeOf(artifacts, files);
    return sandbox.run(
      {
        mode: 'verdict',
        argv: [...argv],
        cwd: '',
        policy: defaultPolicy({ ...policy, wall_ms: 20_000, memory_bytes: 2 ** 30, ...changes }),
        tree,
        artifact_version: tree,
        ordinal: 0,
        collect: [],
        ...request,
      },
      signal === undefined ? {} : { signal },
    );
  };
  return { sandbox, artifacts, run, sh: (script, more) => run(['/bin/sh', '-c', script], more) };
}

/** Node run inside with a script whose last expression, awaited, is printed as JSON. */
export function nodeScript(body: string): string[] {
  return [process.execPath, '-e', `(async () => { ${body} })().then((value) => console.log(JSON.stringify(value)))`];
}

/** Private folders and control groups that sandboxes of this process have left. */
export function leftovers(): string[] {
  const mine = (name: string) => name.startsWith('h-sandbox-') && name.split('-')[3] === String(process.pid);
  const groups = ['memory', 'pids', 'cpu', 'cpuacct'].flatMap((controller) =>
    findGroups(`/sys/fs/cgroup/${controller}`),
  );
  const places = [tmpdir(), '/dev/shm'].filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
  return [...places, ...groups].filter(mine);
}

function findGroups(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return below.flatMap((entry) => [entry.name, ...findGroups(`${folder}/${entry.name}`)]);
}
