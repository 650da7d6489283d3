import type { IsolationProperty, PropertyState } from '@h/contracts';
import { GATE_FD } from './backends/backend.ts';
import { locateCgroupV1 } from './controls/cgroup-v1.ts';
import { locateCgroupV2 } from './controls/cgroup-v2.ts';
import type { Control, RunGroup, Usage } from './controls/control.ts';
import { locatePolling } from './controls/polling.ts';
import { readMounts } from './controls/read-mounts.ts';
import { startProcess } from './processes/start-process.ts';

/** What limits the processes of a run together, and what an attempt to pass each limit showed. */
export interface ControlProbe {
  readonly name: Control['name'] | 'none';
  readonly properties: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
}

const NONE = { memory_limit: 'unmet', pids_limit: 'unmet', cpu_cores_limit: 'unmet', cpu_time_limit: 'unmet' } as const;
// Each tries to pass one limit, in a group of its own: the end that a limit makes would hide the next.
const HOARD = {
  script: 'head -c 64000000 /dev/zero | tail > /dev/null',
  memory_bytes: 24 * 1024 * 1024,
  pids_max: 64,
  cpu_cores: 4,
};
const SWARM = {
  script: 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02 & done; wait',
  memory_bytes: 64 * 1024 * 1024,
  pids_max: 5,
  cpu_cores: 4,
};
const BURN = {
  script: 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done',
  memory_bytes: 64 * 1024 * 1024,
  pids_max: 64,
  cpu_cores: 0.05,
};
const PROBE_MS = 20_000;

/** The first control that this host lets us write. Nothing is shown by that yet. */
export function locateControl(): Control | undefined {
  const mounts = readMounts();
  return locateCgroupV2(mounts) ?? locateCgroupV1(mounts) ?? locatePolling();
}

/** Shows which limits hold, by programs that try to pass them. */
export async function probeControl(control: Control | undefined, signal?: AbortSignal): Promise<ControlProbe> {
  if (control === undefined || control.promises.length === 0)
    return { name: control?.name ?? 'none', properties: NONE };
  const [hoard, swarm, burn] = await Promise.all(
    [HOARD, SWARM, BURN].map((limits) => attempt(control, limits, signal)),
  );
  const state = (holds: boolean): PropertyState => (holds ? 'enforced' : 'unmet');
  return {
    name: control.name,
    properties: {
      memory_limit: state((hoard?.memoryHits ?? 0) > 0),
      pids_limit: state((swarm?.pidsHits ?? 0) > 0),
      cpu_cores_limit: state((burn?.throttled ?? 0) > 0),
      cpu_time_limit: state((burn?.cpuMs ?? 0) > 0),
    },
  };
}

/** What a shell program used in a fresh group; undefined when the group did not take it. */
async function attempt(
  control: Control,
  { script, ...limits }: typeof HOARD,
  signal: AbortSignal | undefined,
): Promise<Usage | undefined> {
  const gate = `read -r _ <&${GATE_FD} || exit 125; exec ${GATE_FD}<&-; exec 2>/dev/null; ${script}`;
  const started = startProcess({
    file: '/bin/sh',
    args: ['-c', gate],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
    extra: [],
  });
  let group: RunGroup | undefined;
  const end = () => killGroup(started.pid);
  const timer = setTimeout(end, PROBE_MS);
  signal?.addEventListener('abort', end, { once: true });
  try {
    group = control.open();
    if (started.pid === undefined) return undefined;
    await group.add(started.pid);
    group.limit(limits);
    signal?.throwIfAborted();
    started.letGo(Buffer.from('go\n'), undefined);
    await started.exit;
    return group.usage();
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    if (!started.ended.happened) killGroup(started.pid);
    started.drop();
    await group?.remove();
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Ended meanwhile.
  }
}
