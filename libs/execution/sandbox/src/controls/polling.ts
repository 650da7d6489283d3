import { readFileSync } from 'node:fs';
import { readProcChildren } from '../host/read-proc.ts';
import type { Control, RunGroup, Usage } from './control.ts';

const PAGE_BYTES = 4096;
const TICKS_PER_SECOND = 100;
const NOTHING: Usage = { cpuMs: 0, peakMemoryBytes: 0, memoryHits: 0, pidsHits: 0, throttled: 0 };

/**
 * Looks at the descendants of a run's first process now and then, where the kernel offers no groups. It stops the usual accident (a
 * loop that appends for ever) but promises nothing: what grows between two looks, or leaves its parents, is not seen.
 */
export function locatePolling(): Control | undefined {
  return process.platform === 'linux' ? { name: 'polling', promises: [], accounts: false, open: openGroup } : undefined;
}

function openGroup(): RunGroup {
  let root: number | undefined;
  let limits = { memory_bytes: Number.POSITIVE_INFINITY, pids_max: Number.POSITIVE_INFINITY };
  let worst = NOTHING;
  const look = (): Usage => {
    const members = root === undefined ? [] : descendants(root);
    const threads = members.reduce((sum, pid) => sum + readStatField(pid, 19), 0);
    const resident = members.reduce((sum, pid) => sum + readResident(pid), 0);
    const cpu = members.reduce(
      (sum, pid) => sum + [13, 14, 15, 16].reduce((part, field) => part + readStatField(pid, field), 0),
      0,
    );
    // Forked processes share pages: the exact figure is asked for only where the simple one is over.
    const bytes =
      resident > limits.memory_bytes ? members.reduce((sum, pid) => sum + readProportional(pid), 0) : resident;
    return {
      cpuMs: (cpu * 1000) / TICKS_PER_SECOND,
      peakMemoryBytes: bytes,
      memoryHits: bytes > limits.memory_bytes ? 1 : 0,
      pidsHits: threads > limits.pids_max ? 1 : 0,
      throttled: 0,
    };
  };
  return {
    accounts: false,
    exits: [],
    add: async (pid) => {
      root = pid;
    },
    limit: ({ memory_bytes, pids_max }) => {
      limits = { memory_bytes, pids_max };
    },
    hurry: () => undefined,
    usage: () => {
      worst = larger(worst, look());
      return worst;
    },
    processes: () => (root === undefined ? [] : descendants(root)),
    remove: async () => undefined,
  };
}

function larger(a: Usage, b: Usage): Usage {
  const names = Object.keys(a) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, Math.max(a[name], b[name])])) as unknown as Usage;
}

function descendants(pid: number): number[] {
  return [pid, ...readProcChildren(pid).flatMap(descendants)];
}

/** A field of `/proc/<pid>/stat`, counted from 0 as in its documentation less one. */
function readStatField(pid: number, field: number): number {
  const text = read(pid, 'stat');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[field - 2] ?? 0) || 0;
}

function readResident(pid: number): number {
  return (Number(read(pid, 'statm').split(' ')[1]) || 0) * PAGE_BYTES;
}

function readProportional(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1];
  return kilobytes === undefined ? readResident(pid) : Number(kilobytes) * 1024;
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
