// A system that is elsewhere only by its interface: plain child processes in folders of their own.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ForeignSteps } from '../../src/index.ts';

const DRAIN_MS = 500;

/** The command and what it started. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}

export function childProcessSystem(
  root: string,
  capabilities: Partial<ForeignSteps['capabilities']> = {},
): ForeignSteps {
  return {
    name: 'child processes',
    capabilities: { concurrency: 2, persistent: false, enforces: [], ...capabilities },
    async put(files, { place }) {
      mkdirSync(join(root, place), { recursive: true });
      for (const { path, mode = 0o100644, bytes } of files) {
        const file = join(root, place, path);
        mkdirSync(dirname(file), { recursive: true });
        if (mode === 0o120000) symlinkSync(new TextDecoder().decode(bytes), file);
        else writeFileSync(file, bytes, { mode: mode & 0o777 });
      }
    },
    exec: ({ place, argv: [file = '', ...args], cwd, env, stdin, signal, onStdout, onStderr }) =>
      new Promise((resolve, reject) => {
        const child = spawn(file, args, { cwd: join(root, place, cwd), env, detached: true });
        signal.addEventListener('abort', () => endGroup(child.pid), { once: true });
        child.stdout.on('data', onStdout);
        child.stderr.on('data', onStderr);
        child.stdin.on('error', () => undefined).end(stdin ?? '');
        child.once('error', reject);
        const end = (exitCode: number | null, ended: NodeJS.Signals | null) =>
          resolve(ended === null ? { exitCode: exitCode ?? 0 } : { signal: ended });
        child.once('close', end);
        // A child in the background may hold the output for ever. What has come is read before, however late the timer is.
        child.once('exit', (exitCode, ended) => setTimeout(() => setImmediate(end, exitCode, ended), DRAIN_MS));
      }),
    async get(_globs, { place }) {
      const entries = readdirSync(join(root, place), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => ({ path: file.slice(join(root, place).length + 1), bytes: readFileSync(file) }));
    },
    drop: async ({ place }) => rmSync(join(root, place), { recursive: true, force: true }),
  };
}
