import { existsSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { isRunning, readStat } from '../../src/host/read-proc.ts';
import { findProcesses, isAlive } from '../find-processes.ts';
import type { Effect, Measure } from './attack.ts';
import { type Bait, photograph } from './lay-bait.ts';

/** What the run itself gave back. */
export interface Output {
  /** Streams and collected files. */
  readonly text: string;
  readonly measures: Readonly<Partial<Record<Measure, number>>>;
}

/** What is looked at before a run and again after it. */
export interface Watch {
  /** Ends the looking: what was seen, as names of effects, and what was counted. */
  stop(output: Output): { readonly effects: ReadonlySet<string>; readonly measures: Output['measures'] };
}

/** Places of the host that attacks write to by name; what they leave there is removed. */
const PLACES = ['/tmp', '/var/tmp', '/dev/shm', '/', '/etc', '/usr/local', '/run', '/h'];
const SAMPLE_MS = 15;

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

/** State of the bystander, but for what changes by itself. */
function describeBystander(pid: number): string {
  const stat = readStat(pid);
  if (stat === undefined || !isRunning(stat)) return 'gone';
  const status = readProc(pid, 'status').match(/^(State|Cpus_allowed|SigPnd|ShdPnd|TracerPid|Seccomp).*$/gm);
  const numbers = readProc(pid, 'stat').split(') ')[1]?.split(' ');
  const shape = [numbers?.[15], numbers?.[16], numbers?.[38]];
  const files = ['limits', 'environ', 'oom_score_adj', 'comm'].map((file) => readProc(pid, file));
  return [...(status ?? []), ...shape, ...files].join('\n').replace(/State:\s+[RSD].*/, 'State: S');
}

interface Watching {
  readonly shared: string;
  readonly canary: string;
  readonly signals: () => number;
  readonly sampled: boolean;
  /** Whether the kernel's log is read, which takes a while. */
  readonly kernel: boolean;
  /** How often it is looked for living processes: one look may fall between two lives of a relay. */
  readonly looks: number;
}

export function watchRun(bait: Bait, { shared, canary, signals, sampled, kernel, looks }: Watching): Watch {
  const { token, hidden, ro, packages, bystander } = bait;
  const folders = [hidden, ro, packages];
  const before = folders.map(photograph);
  const outer = photograph(join(shared, 'hidden/secret'));
  const bystanderBefore = describeBystander(bystander);
  const signalsBefore = signals();
  const counted = { processes: 0 };
  const timer = sampled
    ? setInterval(() => {
        counted.processes = Math.max(counted.processes, countTasks(token));
      }, SAMPLE_MS)
    : undefined;
  return {
    stop({ text, measures }) {
      clearInterval(timer);
      const after = folders.map(photograph);
      const kept = (one: Map<string, string>, two: Map<string, string> | undefined) =>
        [...one].every(([path, look]) => two?.get(path) === look);
      const found: Record<string, boolean> = {
        damaged:
          !before.every((one, index) => kept(one, after[index])) ||
          !kept(outer, photograph(join(shared, 'hidden/secret'))),
        written:
          after.some((two, index) => [...two.keys()].some((path) => !before[index]?.has(path))) || left(bait, shared),
        leaked: text.includes(canary),
        contacted: readFileSync(join(shared, 'contacts'), 'latin1').includes(token),
        typed: readFileSync(join(shared, 'typed'), 'latin1').includes(token),
        logged: kernel && kernelLog().includes(token),
        bystander: describeBystander(bystander) !== bystanderBefore,
        caller: signals() > signalsBefore,
        renamed: hostname() === token,
        alive: livesOn(token, looks),
        said: text.includes(`DID ${token}`),
      };
      const zombies = findProcesses(token).filter((seen) => !isAlive(seen)).length;
      return {
        effects: new Set(Object.keys(found).filter((name) => found[name])),
        measures: { ...counted, zombies, ...measures },
      };
    },
  };
}

function livesOn(token: string, looks: number): boolean {
  for (let look = 0; look < looks; look += 1) if (findProcesses(token).some(isAlive)) return true;
  return false;
}

/** Threads count: each is a task of the kernel. */
function countTasks(token: string): number {
  return findProcesses(token)
    .map(({ pid }) => Number(/^Threads:\s*(\d+)/m.exec(readProc(pid, 'status'))?.[1] ?? 1))
    .reduce((sum, each) => sum + each, 0);
}

function left({ token, home, cwd }: Bait, shared: string): boolean {
  const paths = [...PLACES, home, cwd].map((place) => join(place, token)).filter((path) => existsSync(path));
  for (const path of paths) rmSync(path, { recursive: true, force: true });
  return paths.length > 0 || readFileSync(join(shared, 'hidden/appended'), 'latin1').includes(token);
}

function kernelLog(): string {
  try {
    return execaSync('dmesg', [], { reject: false, timeout: 5000 }).stdout;
  } catch {
    return '';
  }
}

/** Whether what was seen is what the attack is for. */
export function succeeded(effect: Effect, seen: ReturnType<Watch['stop']>): boolean {
  if (typeof effect === 'string') return seen.effects.has(effect);
  return (seen.measures[effect.over] ?? 0) > effect.limit;
}
