import { writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunGroup } from '../controls/control.ts';
import type { HostTools } from '../host/find-tools.ts';
import {
  isRunning,
  listProcesses,
  type ProcessStat,
  readProcLink,
  readStat,
  wasStartedWith,
} from '../host/read-proc.ts';
import { RUN_MARK } from '../workspace/guard-scratch.ts';
import {
  type Backend,
  COMMAND_FILE,
  GATE_FD,
  type Launch,
  type LaunchPlan,
  type Leader,
  type Located,
  type Outcome,
  type ProcessTree,
} from './backend.ts';
import { fixAddresses, limitCommands, quoteWord, signalProcess, withVariables } from './shape-process.ts';

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
    launch: () => waitingShell(tools),
    release: (plan) => {
      const file = `${plan.folders.root}/${COMMAND_FILE}`;
      writeFileSync(file, commandScript(tools, plan));
      return Buffer.from(`${file}\n`);
    },
    follow: followPlain,
    claims: { no_survivors: 'unmet', disk_limit: 'unmet', inodes_limit: 'unmet' },
    close: () => undefined,
  };
}

/** A shell that waits to be told its command file. It dies with this program where the host can tie it. */
function waitingShell(tools: HostTools): Launch {
  const script = `IFS= read -r file <&${GATE_FD} || exit 125; exec ${GATE_FD}<&-; . "$file"`;
  // Root without its capabilities still owns root's files, but mounts, loads and traces nothing.
  const dropped = process.getuid?.() === 0 ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  const tied =
    tools.setpriv === undefined ? [] : [tools.setpriv, '--no-new-privs', ...dropped, '--pdeathsig', 'KILL', '--'];
  const [file = '', ...args] = [...tied, '/bin/sh', '-c', script];
  return { file, args, env: {}, cwd: '/', detached: true, extra: [] };
}

function commandScript(tools: HostTools, plan: LaunchPlan): string {
  const { folders, environment } = plan;
  // Not by export: a shell adds variables of its own.
  const words = [
    ...fixAddresses(plan, tools),
    ...withVariables({ ...environment, [RUN_MARK]: folders.root }, plan.argv),
  ];
  const enter = `cd ${quoteWord(posix.join(folders.workspace, plan.cwd))} || exit 126`;
  return `${[enter, ...limitCommands(plan), `exec ${words.map(quoteWord).join(' ')}`].join('\n')}\n`;
}

function followPlain({ pid }: Leader, { folders }: LaunchPlan, group: RunGroup | undefined): ProcessTree {
  const leader = readStat(pid);
  const known = new Map<string, ProcessStat>();
  if (leader !== undefined) known.set(keyOf(leader), leader);
  const search = () => findTree({ known, leader, root: folders.root, grouped: new Set(group?.processes()) });
  const kill = () => {
    const stopped = new Set<string>();
    // All stopped before the first is killed: a killed parent would hand its children to init, out of our sight.
    for (let turn = 0; turn < SWEEPS; turn += 1) {
      const found = search().filter((stat) => !stopped.has(keyOf(stat)));
      if (found.length === 0) break;
      for (const stat of found) {
        known.set(keyOf(stat), stat);
        stopped.add(keyOf(stat));
        signalProcess(stat.pid, 'SIGSTOP');
      }
    }
    for (const stat of known.values()) if (isRunning(stat)) signalProcess(stat.pid, 'SIGKILL');
    // What forked in between is in the group at least, unless it has left that too.
    if (leader !== undefined && readStat(pid)?.startTime === leader.startTime) signalProcess(-pid, 'SIGKILL');
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

interface Search {
  readonly known: ReadonlyMap<string, ProcessStat>;
  readonly leader: ProcessStat | undefined;
  readonly root: string;
  readonly grouped: ReadonlySet<number>;
}

function findTree(search: Search): ProcessStat[] {
  const { known, grouped, leader } = search;
  const all = listProcesses().filter((stat) => stat.state !== 'Z' && stat.state !== 'X' && stat.pid !== process.pid);
  // A new process with the leader's old pid means that the ids of its group and session are free again, and may be anyone's.
  const reused =
    leader !== undefined && all.some((stat) => stat.pid === leader.pid && stat.startTime !== leader.startTime);
  const members = new Set<number>();
  for (const stat of all) {
    if (known.has(keyOf(stat)) || grouped.has(stat.pid) || belongs(stat, search, reused)) members.add(stat.pid);
  }
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

function belongs(stat: ProcessStat, { leader, root }: Search, reused: boolean): boolean {
  // Cheap, and it spares reading about every process of the host: what a run started is younger than the run.
  if (leader !== undefined && Number(stat.startTime) < Number(leader.startTime)) return false;
  if (leader !== undefined && !reused && (stat.group === leader.pid || stat.session === leader.pid)) return true;
  if (wasStartedWith(stat.pid, `${RUN_MARK}=${root}`)) return true;
  const cwd = readProcLink(`/proc/${stat.pid}/cwd`);
  return cwd !== undefined && (cwd === root || cwd.startsWith(`${root}/`));
}
