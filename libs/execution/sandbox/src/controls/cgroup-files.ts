import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStaleTag, ownerTag } from '../workspace/own-scratch.ts';

/** Prefix of every control group that a sandbox makes. */
export const GROUP_PREFIX = 'h-sandbox-';

/** A name for a new group that tells whose it is. */
export function nextGroupName(): string {
  return `${GROUP_PREFIX}${ownerTag()}-${randomBytes(4).toString('hex')}`;
}

/** First folder in which a group can be made, and removed again; groups of dead processes in it are removed. */
export function firstWritable(folders: readonly string[]): string | undefined {
  return folders.find((folder) => {
    if (!existsSync(`${folder}/cgroup.procs`)) return false;
    const trial = `${folder}/${nextGroupName()}`;
    try {
      mkdirSync(trial);
      rmdirSync(trial);
    } catch {
      return false;
    }
    removeStale(folder);
    return true;
  });
}

function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(GROUP_PREFIX) || !isStaleTag(name.slice(GROUP_PREFIX.length))) continue;
    try {
      rmdirSync(`${folder}/${name}`);
    } catch {
      // Something still runs in it.
    }
  }
}

/** Writes a limit and fails unless the kernel shows it back, rounded down to a page at most. */
export function setLimit(
  file: string,
  value: number | string,
  same = (shown: string) => shown === String(value),
): void {
  writeFileSync(file, String(value));
  const shown = readFileSync(file, 'latin1').trim();
  if (!same(shown)) throw new Error(`${file} shows ${shown} after ${value} was written`);
}

/** Whether a shown limit is the number of bytes asked for, rounded to pages. */
export function sameBytes(value: number): (shown: string) => boolean {
  return (shown) => Math.abs(Number(shown) - value) < 65_536;
}

/** The number behind a word of a file such as `memory.events`; 0 where file or word is missing. */
export function readCount(file: string, word: string): number {
  try {
    return Number(new RegExp(`^${word} (\\d+)`, 'm').exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The number a file holds; 0 where it is missing. */
export function readNumber(file: string): number {
  try {
    return Number(readFileSync(file, 'latin1').trim()) || 0;
  } catch {
    return 0;
  }
}

/** Pids in a group. */
export function readProcesses(folder: string): number[] {
  try {
    return readFileSync(`${folder}/cgroup.procs`, 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Moving a process waits for the kernel's grace period, some 15 ms: not on this thread. */
export function moveProcess(folder: string, pid: number): Promise<void> {
  return writeFile(`${folder}/cgroup.procs`, String(pid));
}

/** Removes a group once its last process is gone; gives up after a second, the next start tries again. */
export async function removeGroup(folder: string): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      await sleep(10);
    }
  }
}
