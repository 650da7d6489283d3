import { chownSync, closeSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type DiskMaker, type DiskPlan, diskCommands, mountNamespace, overlayOptions } from '../disk/plan-disk.ts';
import { CONTROL, diskSupport, type SlotFolders, slotFolders } from '../disk/slot-folders.ts';
import { tryDisk } from '../disk/try-disk.ts';
import type { HostTools } from '../host/find-tools.ts';
import { findChildren, mayMount } from '../host/read-proc.ts';
import { runTool } from '../host/run-tool.ts';
import { RUN_MARK } from '../workspace/guard-scratch.ts';
import {
  type Backend,
  COMMAND_FILE,
  GATE_FD,
  type Launch,
  type LaunchPlan,
  type Located,
  type StartPlan,
} from './backend.ts';
import { makeTemporary, mountKey, ROOT, showDisk, showFolders, showSystem } from './bubblewrap-mounts.ts';
import { followInit, type StatusLanguage } from './follow-init.ts';
import {
  countsByNamespace,
  fixAddresses,
  limitCommands,
  limitSwarm,
  quoteWord,
  withVariables,
} from './shape-process.ts';
import { buildSystemCallFilter } from './system-call-filter.ts';
import { INSIDE_ID, openUserNamespaces, type UserNamespace } from './user-namespace.ts';
import { writeEtc } from './write-etc.ts';

const STATUS_FD = GATE_FD + 1;
const FILTER_FD = STATUS_FD + 1;
const NAMESPACE_FD = FILTER_FD + 1;
const HELP_MS = 10_000;

/** What the bubblewrap member needs beside the tools. */
export interface BubblewrapOptions {
  /** A folder of the sandbox's own for what bwrap is given. */
  readonly folder: (name: string) => string;
  readonly slots: number;
  readonly disks: boolean;
}

/**
 * Namespaces by `bwrap`. Run by root, the payload gets a host uid of its own per slot and a user namespace in which no other can be
 * made, entered after bwrap has bound the paths: so it reads nothing that belongs to root, while folders under a private home still
 * work. Run by another user, bwrap makes the user namespace itself.
 */
export async function locateBubblewrap(tools: HostTools, options: BubblewrapOptions): Promise<Located> {
  const remedy = "apt-get install bubblewrap (or your distribution's package of that name)";
  if (process.platform !== 'linux')
    return { missing: 'bubblewrap exists for Linux only', remedy: 'run H on Linux or in a container' };
  if (tools.bwrap === undefined) return { missing: 'bwrap was not found', remedy };
  const namespaces = await openUserNamespaces(tools, options.slots);
  const help = await runTool(tools.bwrap, ['--help'], { timeoutMs: HELP_MS });
  const maker = options.disks && (await tryDisk(tools, options.folder('trial'), { inUserNamespace: !mayMount() }));
  return {
    backend: bubblewrapBackend({
      tools,
      bwrap: tools.bwrap,
      help: help.stdout + help.stderr,
      setuid: (statSync(tools.bwrap).mode & 0o4000) !== 0,
      etc: writeEtc(options.folder('etc')),
      filter: writeFilter(options.folder('filter')),
      namespaces,
      ...(maker && { disks: { maker, folders: slotFolders(options.folder, options.slots) } }),
    }),
  };
}

function writeFilter(folder: string): string | undefined {
  const program = buildSystemCallFilter(process.arch);
  if (program === undefined) return undefined;
  writeFileSync(`${folder}/program`, program);
  return `${folder}/program`;
}

interface Parts {
  readonly tools: HostTools;
  readonly bwrap: string;
  /** What this version of bwrap says it can do. */
  readonly help: string;
  /** Whether bwrap is installed set-user-id, which forbids some of it. */
  readonly setuid: boolean;
  readonly etc: string;
  /** File of the system call filter; undefined where the architecture has none. */
  readonly filter: string | undefined;
  /** One a slot when run by root, else none. */
  readonly namespaces: readonly UserNamespace[];
  /** Absent where this host cannot make disks of a limited size. */
  readonly disks?: { readonly maker: DiskMaker; readonly folders: SlotFolders };
}

function bubblewrapBackend(parts: Parts): Backend {
  const { namespaces } = parts;
  const owner = (slot: number) => {
    const uid = namespaces[slot]?.uid;
    return uid === undefined ? undefined : { uid, gid: uid };
  };
  return {
    name: 'bubblewrap',
    inside: () => ({ workspace: `${ROOT}/workspace`, home: `${ROOT}/home`, tmp: '/tmp' }),
    owner,
    adopt: ({ home, workspace }, slot) => {
      const user = owner(slot);
      if (user !== undefined) for (const folder of [home, workspace]) chownSync(folder, user.uid, user.gid);
    },
    ...(parts.disks && { disks: diskSupport(parts.disks.folders) }),
    launch: (slot, like) =>
      like?.disk === undefined || parts.disks === undefined
        ? waitingBwrap(parts, slot)
        : waitingInside(parts, parts.disks, slot, like as StartPlan & { disk: DiskPlan }),
    startKey: (plan) => (plan.disk === undefined ? undefined : mountKey(plan)),
    release: (plan) => {
      const { slot, disk, folders: run } = plan;
      if (disk !== undefined && parts.disks !== undefined) {
        writeFileSync(`${parts.disks.folders.path(slot)}/${CONTROL}/${COMMAND_FILE}`, commandScript(parts, plan));
        return Buffer.from('go\n');
      }
      writeFileSync(`${run.root}/${COMMAND_FILE}`, commandScript(parts, plan));
      const options = [
        ...['--json-status-fd', String(STATUS_FD)],
        ...isolation(parts, slot, plan),
        ...showSystem(parts.etc),
        ...makeTemporary(parts.help, plan),
        ...showFolders(plan, { control: run.root, workspace: run.workspace, home: run.home }),
      ];
      return Buffer.from(`${options.join('\0')}\0`);
    },
    follow: (leader, plan, group) => followInit(leader, group, plan.disk === undefined ? STATUS : STATUS_INSIDE),
    claims: {},
    close: () => {
      for (const { fd } of namespaces) closeSync(fd);
    },
  };
}

function isolation({ help, setuid, filter, namespaces }: Parts, slot: number, { policy }: StartPlan): string[] {
  const closed = help.includes('--disable-userns') && !setuid ? ['--disable-userns'] : [];
  const changeUser = ['SETUID', 'SETGID', 'SETPCAP'].flatMap((name) => ['--cap-add', `CAP_${name}`]);
  const user =
    namespaces[slot] === undefined
      ? ['--unshare-user', ...closed, '--uid', INSIDE_ID, '--gid', INSIDE_ID, '--cap-drop', 'ALL']
      : ['--userns2', String(NAMESPACE_FD), '--cap-drop', 'ALL', ...changeUser];
  const network = policy.network === 'external' ? [] : ['--unshare-net'];
  const namespacesOfRun = ['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', ...network];
  const life = ['--die-with-parent', '--new-session', '--clearenv'];
  const calls = filter === undefined ? [] : ['--seccomp', String(FILTER_FD)];
  return [...namespacesOfRun, ...user, ...life, ...calls, '--hostname', 'h'];
}

/** Everything about the run comes through the gate and the command file, so that bwrap can be started before the run is known. */
function waitingBwrap(parts: Parts, slot: number): Launch {
  const args = ['--args', String(GATE_FD), '--', '/bin/sh', '-c', `. ${ROOT}/${COMMAND_FILE}`];
  return { file: parts.bwrap, args, env: {}, cwd: '/', detached: false, extra: descriptors(parts, slot) };
}

function descriptors({ filter, namespaces }: Parts, slot: number): Launch['extra'] {
  const namespace = namespaces[slot];
  return [
    'pipe',
    // A filter is read to its end: each bwrap needs the file opened for itself.
    filter === undefined ? 'pipe' : { file: filter },
    ...(namespace === undefined ? [] : [namespace.fd]),
  ];
}

/**
 * Mounts of its own, in which the disk is made; then, as soon as it is in its control group, everything that the run will be in. What waits
 * at the gate is a shell inside, which has only to become the payload.
 */
function waitingInside(
  parts: Parts,
  { maker, folders: slots }: NonNullable<Parts['disks']>,
  slot: number,
  like: StartPlan & { readonly disk: DiskPlan },
): Launch {
  const { tools, bwrap } = parts;
  const place = slots.path(slot);
  const control = `${place}/${CONTROL}`;
  rmSync(`${control}/${COMMAND_FILE}`, { force: true });
  const options = [
    ...isolation(parts, slot, like),
    ...showSystem(parts.etc),
    ...showDisk(`${place}/disk`),
    ...showFolders(like, { control, workspace: `${place}/merged`, home: `${place}/disk/home` }),
  ];
  const inside = [
    `echo ready >&${STATUS_FD}`,
    `IFS= read -r word <&${GATE_FD}`,
    `exec ${GATE_FD}<&- ${STATUS_FD}>&-`,
    `. ${ROOT}/${COMMAND_FILE}`,
  ];
  const words = [...earlyAddresses(parts, like), bwrap, ...options, '--', '/bin/sh', '-c', inside.join(' && ')];
  const script = [
    ...diskCommands(maker, like.disk),
    `${quoteWord(maker.mount)} -t overlay -o ${overlayOptions(maker, like.disk)} h merged`,
    `IFS= read -r word <&${GATE_FD}`,
    `exec ${words.map(quoteWord).join(' ')}`,
  ];
  const [file = '', ...args] = [...mountNamespace(tools, maker), '/bin/sh', '-c', script.join(' && ')];
  return {
    file,
    args,
    // Its parent may be killed while bwrap has it wait: then the guard finds it by this.
    env: { [RUN_MARK]: parts.etc },
    cwd: place,
    detached: false,
    extra: descriptors(parts, slot),
    onceGrouped: Buffer.from('in\n'),
    tellsReady: true,
  };
}

/** A program that is set-user-id would lose it. */
function earlyAddresses({ tools, setuid }: Parts, like: StartPlan): string[] {
  return setuid ? [] : fixAddresses(like, tools);
}

/**
 * Limits, then the unprivileged user of the namespace, then exactly the run's variables, then the payload. No variable comes earlier: a shell
 * drops names that it could not have itself and adds others, and the dynamic linker obeys some.
 */
function commandScript(parts: Parts, plan: LaunchPlan): string {
  const { tools, namespaces } = parts;
  const identity = [
    `--reuid=${INSIDE_ID}`,
    `--regid=${INSIDE_ID}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--bounding-set=-all',
  ];
  const dropped = namespaces[plan.slot] !== undefined && tools.setpriv !== undefined;
  const words = [
    ...(dropped ? [tools.setpriv ?? '', ...identity, '--'] : []),
    ...(plan.disk === undefined || earlyAddresses(parts, plan).length === 0 ? fixAddresses(plan, tools) : []),
    ...withVariables({ PWD: posix.join(ROOT, 'workspace', plan.cwd), ...plan.environment }, plan.argv),
  ];
  const processes = dropped || countsByNamespace() ? [limitSwarm(plan)] : [];
  const closing = dropped ? [`exec ${NAMESPACE_FD}<&-`] : [];
  const folder = `cd ${quoteWord(posix.join(ROOT, 'workspace', plan.cwd))} || exit 126`;
  return `${[folder, ...limitCommands(plan), ...processes, ...closing, `exec ${words.map(quoteWord).join(' ')}`].join('\n')}\n`;
}

const STATUS: StatusLanguage = {
  firstProcess: (status) => {
    const told = /"child-pid": (\d+)/.exec(status)?.[1];
    return told === undefined ? undefined : Number(told);
  },
  exitCode: (status) => /"exit-code": (\d+)/.exec(status)?.[1],
  began: () => false,
};

/**
 * Of one that waits inside: bwrap exits as its payload did. It is not asked to write its status itself: it would die of a reader that is gone,
 * and leave behind what it has wait for it.
 */
const STATUS_INSIDE: StatusLanguage = {
  firstProcess: (_status, leader) => findChildren(leader)[0],
  exitCode: (_status, leaderCode) => (leaderCode === null ? undefined : String(leaderCode)),
  began: () => true,
};
