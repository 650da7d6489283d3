import { setTimeout as sleep } from 'node:timers/promises';
import type { RunGroup } from '../controls/control.ts';
import type { HostTools } from '../find-tools.ts';
import { RUN_MARK } from '../guard-scratch.ts';
import { isRunning, listProcesses, type ProcessStat, readProcLink, readStat, wasStartedWith } from '../read-proc.ts';
import {
  type Backend,
  GATE_FD,
  type Launch,
  type LaunchPlan,
  type Leader,
  type Located,
  type Outcome,
  type ProcessTree,
} from './backend.ts';
import { fixAddresses, limitCommands, signalProcess } from './shape-process.ts';

const SWEEPS = 50;

/**
 * An ordinary child process in a private copy, with a group of its own. It isolates nothing: the same user, files and network. At the
 * end the group, all descendants and every process that carries the run's mark or stands in its folder are killed until none is found.
 */
export function locatePlain(tools: HostTools): Located {
  return { backend: plainBackend(tools) };
}

function plainBackend(tools: HostTools): Backend {
  return {
    name: 'plain',
    inside: ({ workspace, home, tmp }) => ({ workspace, home, tmp }),
    owner: () => undefined,
    adopt: () => undefined,
    early: () => undefined,
    launch: (plan) => launchPlain(tools, plan),
    release: () => Buffer.from('go\n'),
    follow: followPlain,
    claims: { no_survivors: 'unmet', disk_limit: 'unmet', inodes_limit: 'unmet' },
    close: () => undefined,
  };
}

function launchPlain(tools: HostTools, plan: LaunchPlan): Launch {
  const { folders } = plan;
  const gate = [`IFS= read -r _ <&${GATE_FD} || exit 125`, `exec ${GATE_FD}<&-`];
  const script = [...gate, ...limitCommands(plan), 'exec "$@"'].join('; ');
  const chain = [
    ...(tools.setpriv === undefined ? [] : [tools.setpriv, '--no-new-privs', '--pdeathsig', 'KILL', '--']),
    ...['/bin/sh', '-c', script, 'sh'],
    ...fixAddresses(plan, tools),
    ...plan.argv,
  ];
  return {
    file: chain[0] ?? '',
    args: chain.slice(1),
    env: { ...plan.environment, [RUN_MARK]: folders.root },
    cwd: plan.cwd === '' ? folders.workspace : `${folders.workspace}/${plan.cwd}`,
    detached: true,
    extra: [],
  };
}

function followPlain({ pid }: Leader, { folders }: LaunchPlan, group: RunGroup | undefined): ProcessTree {
  const leader = readStat(pid);
  const known = new Map<string, ProcessStat>();
  if (leader !== undefined) known.set(keyOf(leader), leader);
  const sweep = () => {
    const found = findTree(known, leader, folders.root, new Set(group?.processes()));
    for (const stat of found) known.set(keyOf(stat), stat);
    // Stopped first, so that nothing forks between being seen and being killed.
    for (const stat of found) signalProcess(stat.pid, 'SIGSTOP');
    for (const stat of found) signalProcess(stat.pid, 'SIGKILL');
    return found.length;
  };
  const kill = () => {
    if (leader !== undefined && groupExists(leader)) signalProcess(-pid, 'SIGKILL');
    for (let turn = 0; turn < SWEEPS && sweep() > 0; turn += 1);
  };
  return {
    kill,
    async gone(timeoutMs) {
      const end = performance.now() + timeoutMs;
      for (;;) {
        kill();
        if (![...known.values()].some(isRunning)) return true;
        if (performance.now() >= end) return false;
        await sleep(2);
      }
    },
    outcome: (exitCode, signal): Outcome => (signal === null ? { exitCode: exitCode ?? 0 } : { signal }),
  };
}

function keyOf(stat: ProcessStat): string {
  return `${stat.pid} ${stat.startTime}`;
}

function findTree(
  known: ReadonlyMap<string, ProcessStat>,
  leader: ProcessStat | undefined,
  root: string,
  grouped: ReadonlySet<number>,
): ProcessStat[] {
  const all = listProcesses().filter((stat) => stat.state !== 'Z' && stat.state !== 'X' && stat.pid !== process.pid);
  const members = new Set<number>();
  for (const stat of all)
    if (known.has(keyOf(stat)) || grouped.has(stat.pid) || belongs(stat, leader, root)) members.add(stat.pid);
  for (let grew = true; grew; ) {
    grew = false;
    for (const stat of all) {
      if (members.has(stat.pid) || !members.has(stat.parent)) continue;
      members.add(stat.pid);
      grew = true;
    }
  }
  return all.filter((stat) => members.has(stat.pid));
}

function belongs(stat: ProcessStat, leader: ProcessStat | undefined, root: string): boolean {
  // The group id cannot have been given to others while a member lives; after that its processes are younger than the leader anyway.
  if (leader !== undefined && (stat.group === leader.pid || stat.session === leader.pid))
    return Number(stat.startTime) >= Number(leader.startTime);
  if (wasStartedWith(stat.pid, `${RUN_MARK}=${root}`)) return true;
  const cwd = readProcLink(`/proc/${stat.pid}/cwd`);
  return cwd !== undefined && (cwd === root || cwd.startsWith(`${root}/`));
}

function groupExists(leader: ProcessStat): boolean {
  const now = readStat(leader.pid);
  return now === undefined ? false : now.startTime === leader.startTime;
}
