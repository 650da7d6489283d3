import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { ForeignCommand, ForeignSystem } from '@h/sandbox';

type Streams = Partial<Pick<ForeignCommand, 'stdin' | 'onStdout' | 'onStderr'>>;

const docker = (args: string[], signal: AbortSignal, { stdin = '', onStdout, onStderr }: Streams = {}) =>
  new Promise<number>((resolve, reject) => {
    const child = spawn('docker', args, { signal }).once('error', reject);
    child.stdout.on('data', (chunk) => onStdout?.(chunk));
    child.stderr.on('data', (chunk) => onStderr?.(chunk));
    child.stdin.on('error', () => undefined).end(stdin);
    child.once('close', (code) => resolve(code ?? 125));
  });

const must = async (args: string[], signal: AbortSignal) => {
  const code = await docker(args, signal);
  if (code !== 0) throw new Error(`docker ${args[0]} ended with ${code}`);
};

/** One container a run: made by `put`, gone, with whatever still runs in it, by `drop`. */
export const dockerSystem = (image: string): ForeignSystem => ({
  name: 'docker',
  // What you have tried on your host, and nothing else.
  capabilities: { concurrency: 2, persistent: false, enforces: ['network_denied', 'pid_namespace', 'mount_namespace'] },
  async put(files, { place, policy, signal }) {
    const folder = await mkdtemp(join(tmpdir(), 'h-docker-'));
    try {
      for (const { path, mode, bytes } of files) {
        const file = join(folder, path);
        await mkdir(dirname(file), { recursive: true });
        if (mode === 0o120000) await symlink(new TextDecoder().decode(bytes), file);
        else await writeFile(file, bytes, { mode: mode ?? 0o644 });
      }
      const limits = ['--memory', `${policy.memory_bytes}`, '--pids-limit', `${policy.pids_max}`, '--network', 'none'];
      await must(['run', '-d', '--name', place, ...limits, image, 'sleep', 'infinity'], signal);
      await must(['cp', `${folder}/.`, `${place}:/work`], signal);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  async exec({ place, argv, cwd, env, signal, ...streams }) {
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const args = ['exec', '-i', '-w', join('/work', cwd), ...variables, place, ...argv];
    const exitCode = await docker(args, signal, streams);
    if (exitCode === 125) throw new Error('docker could not run the command');
    return { exitCode };
  },
  async get(_globs, { place, signal }) {
    const folder = await mkdtemp(join(tmpdir(), 'h-docker-'));
    try {
      await must(['cp', `${place}:/work/.`, folder], signal);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return await Promise.all(
        paths.map(async (file) => ({ path: relative(folder, file), bytes: await readFile(file) })),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  drop: ({ place, signal }) => must(['rm', '-f', place], signal),
});
