import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import {
  firstWritable,
  moveProcess,
  nextGroupName,
  readCount,
  readNumber,
  readProcesses,
  removeGroup,
  sameBytes,
  setLimit,
} from './cgroup-files.ts';
import type { Control, RunGroup } from './control.ts';
import type { CgroupMounts } from './read-mounts.ts';

const PERIOD_US = 100_000;
const CONTROLLERS = ['memory', 'pids', 'cpu', 'cpuacct'] as const;
type Folders = Record<(typeof CONTROLLERS)[number], string>;

/** Control groups of the first version: one hierarchy a controller. Undefined unless memory, pids and cpu can all be written. */
export function locateCgroupV1(mounts: CgroupMounts): Control | undefined {
  const bases: Partial<Folders> = {};
  for (const controller of CONTROLLERS) {
    const base = firstWritable(mounts.v1[controller] ?? []);
    if (base === undefined) return undefined;
    bases[controller] = base;
  }
  const found = bases as Folders;
  return {
    name: 'cgroup-v1',
    promises: ['memory_limit', 'pids_limit', 'cpu_cores_limit', 'cpu_time_limit'],
    accounts: true,
    open: () => openGroup(found),
  };
}

function openGroup(bases: Folders): RunGroup {
  const name = nextGroupName();
  const folders = Object.fromEntries(
    CONTROLLERS.map((controller) => [controller, `${bases[controller]}/${name}`]),
  ) as Folders;
  // Controllers may share a hierarchy, and then a folder.
  const distinct = [...new Set(Object.values(folders))];
  for (const folder of distinct) mkdirSync(folder, { recursive: true });
  const { memory, pids, cpu, cpuacct } = folders;
  return {
    accounts: true,
    exits: CONTROLLERS.map((controller) => `${bases[controller]}/cgroup.procs`),
    add: async (pid) => {
      for (const folder of distinct) await moveProcess(folder, pid);
    },
    limit({ memory_bytes, pids_max, cpu_cores }) {
      setLimit(`${memory}/memory.limit_in_bytes`, memory_bytes, sameBytes(memory_bytes));
      // Memory and swap together: without it a run would swap instead of ending.
      const swap = `${memory}/memory.memsw.limit_in_bytes`;
      if (existsSync(swap)) setLimit(swap, memory_bytes, sameBytes(memory_bytes));
      setLimit(`${pids}/pids.max`, pids_max);
      setLimit(`${cpu}/cpu.cfs_period_us`, PERIOD_US);
      setLimit(`${cpu}/cpu.cfs_quota_us`, Math.max(1000, Math.round(cpu_cores * PERIOD_US)));
    },
    hurry: () => writeFileSync(`${cpu}/cpu.cfs_quota_us`, '-1'),
    usage: () => ({
      cpuMs: readNumber(`${cpuacct}/cpuacct.usage`) / 1e6,
      peakMemoryBytes: readNumber(`${memory}/memory.max_usage_in_bytes`),
      memoryHits: readCount(`${memory}/memory.oom_control`, 'oom_kill'),
      pidsHits: readCount(`${pids}/pids.events`, 'max'),
      throttled: readCount(`${cpu}/cpu.stat`, 'nr_throttled'),
    }),
    processes: () => readProcesses(pids),
    remove: async () => {
      await Promise.all(distinct.map(removeGroup));
    },
  };
}
