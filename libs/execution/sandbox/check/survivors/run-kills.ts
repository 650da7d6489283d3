import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { endProcesses } from '../find-processes.ts';
import { findPython, type Plan } from './run-deadlines.ts';
import { findRunning, findUnburied, HANGING, type Spread, spread } from './runaways.ts';

export interface Kills {
  /** Supervisors that were killed while their runaway stood. */
  readonly runs: number;
  /** Supervisors of which a process, or the private folder, was left. */
  readonly survivors: number;
  /** From the kill to the end of the last process, ms. */
  readonly gone: Spread;
  readonly byShape: Readonly<Record<string, number>>;
  readonly left: readonly string[];
}

/** Marked processes that stand at least, by shape; two where not named: the leader and what it leaves. Of a relay one may see the leader only. */
const LEAST: Readonly<Record<string, number>> = { swarm: 9, relay: 1 };
const START_MS = 60_000;
const PATIENCE_MS = 3000;

/** Starts supervisors, kills each by SIGKILL while its run stands, and looks for what is left. */
export async function runKills({ backend, runs, atOnce, only }: Plan): Promise<Kills> {
  const prefix = `hk${randomBytes(3).toString('hex')}`;
  const python = await findPython();
  const folder = mkdtempSync(join(tmpdir(), 'h-survivors-'));
  const script = join(folder, 'supervisor.mjs');
  const seen = { byShape: {} as Record<string, number>, gone: [] as number[], left: [] as string[] };
  let next = 0;
  const one = async (index: number) => {
    const shape = only ?? HANGING[index % HANGING.length] ?? 'child';
    const mark = `${prefix}-${String(index).padStart(4, '0')}`;
    const args = [script, backend, python.executable, python.paths.join(':'), shape, mark];
    const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((resolve) => supervisor.once('exit', resolve));
    await awaitRunaway(supervisor, mark, LEAST[shape] ?? 2);
    // Some are killed the moment it stands, some a little later.
    await sleep((index % 5) * 10);
    const began = performance.now();
    supervisor.kill('SIGKILL');
    await ended;
    const left = await awaitEnd(mark, supervisor.pid);
    if (left.length > 0) seen.left.push(`${shape}: ${left.join('; ')}`);
    else seen.gone.push(performance.now() - began);
    seen.byShape[shape] = (seen.byShape[shape] ?? 0) + 1;
  };
  const serve = async () => {
    while (next < runs) {
      next += 1;
      await one(next - 1);
    }
  };
  try {
    await bundle(script);
    await Promise.all(Array.from({ length: atOnce }, serve));
    const dead = await findUnburied(prefix);
    const alive = findRunning(prefix);
    const left = [...seen.left, ...dead, ...alive];
    const done = Object.values(seen.byShape).reduce((sum, count) => sum + count, 0);
    return { runs: done, survivors: left.length, gone: spread(seen.gone), byShape: seen.byShape, left };
  } finally {
    endProcesses(prefix);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file of JavaScript: a supervisor is up in a tenth of the time that loading TypeScript takes. */
async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: [new URL('./supervisor.ts', import.meta.url).pathname],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@h/source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
}

async function awaitRunaway(supervisor: ChildProcess, mark: string, least: number): Promise<void> {
  const end = performance.now() + START_MS;
  // The supervisor has the mark in its arguments too.
  while (findRunning(mark).length < least + 1) {
    if (supervisor.exitCode !== null || performance.now() > end)
      throw new Error(`${mark} of ${supervisor.pid} does not stand: ${findRunning(mark).join('; ')}`);
    await sleep(20);
  }
}

/** Looks until nothing of it is left, or patience ends. */
async function awaitEnd(mark: string, pid: number | undefined): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const left = [...findRunning(mark), ...foldersOf(pid)];
    if (left.length === 0 || performance.now() > end) return left;
    await sleep(10);
  }
}

function foldersOf(pid: number | undefined): string[] {
  const places = [tmpdir(), '/dev/shm'].filter((folder) => existsSync(folder));
  const names = places.flatMap((folder) => readdirSync(folder));
  return names.filter((name) => name.startsWith('h-sandbox-') && name.split('-')[3] === String(pid));
}
