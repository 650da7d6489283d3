import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
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
const NEEDED = ['memory', 'pids', 'cpu'];

/** Control groups of the second version, in the first folder that is delegated to this user with memory, pids and cpu. */
export function locateCgroupV2(mounts: CgroupMounts): Control | undefined {
  const base = firstWritable(mounts.v2.filter(delegates));
  if (base === undefined) return undefined;
  return {
    name: 'cgroup-v2',
    promises: ['memory_limit', 'pids_limit', 'cpu_cores_limit', 'cpu_time_limit'],
    accounts: true,
    open: () => openGroup(`${base}/${nextGroupName()}`),
  };
}

/** Whether groups made in the folder get the controllers; turns them on where that is allowed. */
function delegates(folder: string): boolean {
  try {
    const on = () => readFileSync(`${folder}/cgroup.subtree_control`, 'latin1').trim().split(' ');
    const off = NEEDED.filter((controller) => !on().includes(controller));
    if (off.length > 0)
      writeFileSync(`${folder}/cgroup.subtree_control`, off.map((controller) => `+${controller}`).join(' '));
    return NEEDED.every((controller) => on().includes(controller));
  } catch {
    return false;
  }
}

function openGroup(folder: string): RunGroup {
  mkdirSync(folder);
  return {
    accounts: true,
    exits: [posix.join(folder, '../cgroup.procs')],
    add: (pid) => moveProcess(folder, pid),
    limit({ memory_bytes, pids_max, cpu_cores }) {
      setLimit(`${folder}/memory.max`, memory_bytes, sameBytes(memory_bytes));
      if (existsSync(`${folder}/memory.swap.max`)) setLimit(`${folder}/memory.swap.max`, 0);
      if (existsSync(`${folder}/memory.oom.group`)) setLimit(`${folder}/memory.oom.group`, 1);
      setLimit(`${folder}/pids.max`, pids_max);
      setLimit(`${folder}/cpu.max`, `${Math.max(1000, Math.round(cpu_cores * PERIOD_US))} ${PERIOD_US}`);
    },
    hurry: () => writeFileSync(`${folder}/cpu.max`, 'max'),
    usage: () => ({
      cpuMs: readCount(`${folder}/cpu.stat`, 'usage_usec') / 1000,
      peakMemoryBytes: readNumber(`${folder}/memory.peak`),
      memoryHits: readCount(`${folder}/memory.events`, 'oom_kill'),
      pidsHits: readCount(`${folder}/pids.events`, 'max'),
      throttled: readCount(`${folder}/cpu.stat`, 'nr_throttled'),
    }),
    processes: () => readProcesses(folder),
    remove: () => removeGroup(folder),
  };
}
