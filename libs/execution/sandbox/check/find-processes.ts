import { readdirSync, readFileSync } from 'node:fs';

/** A process at the moment it was looked at. */
export interface Seen {
  readonly pid: number;
  /** As `/proc/<pid>/stat` has it: "Z" and "X" are dead. */
  readonly state: string;
  /** At most 15 bytes; even the dead keep it. */
  readonly name: string;
}

/** Processes whose arguments or name hold a text. Each is looked at in one go, newest first: some live for a few milliseconds only. */
export function findProcesses(text: string): Seen[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.reverse().flatMap((pid) => {
    const [stat, words] = [readProc(pid, 'stat'), readProc(pid, 'cmdline')];
    if (!stat.includes(text) && !words.includes(text)) return [];
    const [, name = '', state = 'X'] = /\((.*)\) (\w)/s.exec(stat) ?? [];
    return [{ pid: Number(pid), state, name }];
  });
}

export function isAlive({ state }: Seen): boolean {
  return state !== 'Z' && state !== 'X';
}

/** Ends the living among them, by their ids. */
export function endProcesses(text: string): void {
  for (const { pid } of findProcesses(text).filter(isAlive)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
