import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One line of `/proc/<pid>/stat`. */
export interface ProcessStat {
  readonly pid: number;
  /** One letter; "Z" and "X" run no more code. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot: with the pid it names a process for good. */
  readonly startTime: string;
}

/** State of a process now; undefined when there is none of that pid, or no `/proc`. */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '?',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime: fields[19] ?? '',
  };
}

/** Whether the process that `readStat` saw can still run code. */
export function isRunning(seen: Pick<ProcessStat, 'pid' | 'startTime'>): boolean {
  const now = readStat(seen.pid);
  return now !== undefined && now.startTime === seen.startTime && now.state !== 'Z' && now.state !== 'X';
}

/** Every process of this pid namespace; empty where there is no `/proc`. */
export function listProcesses(): ProcessStat[] {
  return readNames('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== undefined);
}

/** Children of the main thread of a process, from the kernel's own list; empty where it keeps none. */
export function readProcChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The same by looking at every process where the kernel keeps no list. */
export function findChildren(pid: number): number[] {
  const listed = readProcChildren(pid);
  if (listed.length > 0) return listed;
  return listProcesses()
    .filter(({ parent }) => parent === pid)
    .map((stat) => stat.pid);
}

/** Whether a process was started with this exact `NAME=value`; false where it may not be read. */
export function wasStartedWith(pid: number, assignment: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${assignment}\0`);
  } catch {
    return false;
  }
}

/** Where a link under `/proc` points; undefined when it may not be read. */
export function readProcLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Descriptors above 2 that a program started by this process would inherit, in ascending order. */
export function inheritableDescriptors(): number[] {
  const open = readNames('/proc/self/fd').map(Number);
  return open.filter((fd) => fd > 2 && closesOnExec(fd) === false).sort((a, b) => a - b);
}

const CAP_SYS_ADMIN = 21n;

/** Whether this program may make mounts of its own without a user namespace around them. */
export function mayMount(): boolean {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0';
    return ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
  } catch {
    return false;
  }
}

function closesOnExec(fd: number): boolean | undefined {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
    return flags?.[1] === undefined ? undefined : (Number.parseInt(flags[1], 8) & 0o2000000) !== 0;
  } catch {
    return undefined;
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
