import { chownSync, closeSync, statSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type DiskMaker, type DiskPlan, diskCommands, mountNamespace, overlayOptions } from '../disk/plan-disk.ts';
import { diskSupport, type SlotFolders, slotFolders } from '../disk/slot-folders.ts';
import { tryDisk } from '../disk/try-disk.ts';
import type { HostTools } from '../host/find-tools.ts';
import { mayMount } from '../host/read-proc.ts';
import { runTool } from '../host/run-tool.ts';
import { type Backend, COMMAND_FILE, GATE_FD, type Launch, type LaunchPlan, type Located } from './backend.ts';
import { findSockets } from './find-sockets.ts';
import { followInit, type StatusLanguage } from './follow-init.ts';
import {
  clearEnvironment,
  countsByNamespace,
  fixAddresses,
  limitCommands,
  limitSwarm,
  quoteWord,
} from './shape-process.ts';
import { coveredFiles, systemFolderPaths, systemPaths, visiblePaths } from './show-paths.ts';
import { buildSystemCallFilter } from './system-call-filter.ts';
import { INSIDE_ID, openUserNamespaces, type UserNamespace } from './user-namespace.ts';
import { writeEtc } from './write-etc.ts';

const ROOT = '/h';
const STATUS_FD = GATE_FD + 1;
const FILTER_FD = STATUS_FD + 1;
const NAMESPACE_FD = FILTER_FD + 1;
const TMP_PATHS = ['/tmp', '/dev/shm'];
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
    launch: (slot, disk) => waitingBwrap(parts, slot, disk),
    release: (plan) => {
      writeFileSync(`${plan.folders.root}/${COMMAND_FILE}`, commandScript(parts, plan));
      const options = [
        ...isolation(parts, plan),
        '--chdir',
        posix.join(ROOT, 'workspace', plan.cwd),
        ...systemFolders(parts),
        ...folders(parts, plan),
      ];
      return Buffer.from(`${options.join('\0')}\0`);
    },
    follow: (leader, _plan, group) => followInit(leader, group, STATUS),
    claims: {},
    close: () => {
      for (const { fd } of namespaces) closeSync(fd);
    },
  };
}

function isolation({ help, setuid, filter, namespaces }: Parts, { policy, slot }: LaunchPlan): string[] {
  const closed = help.includes('--disable-userns') && !setuid ? ['--disable-userns'] : [];
  const changeUser = ['SETUID', 'SETGID', 'SETPCAP'].flatMap((name) => ['--cap-add', `CAP_${name}`]);
  const user =
    namespaces[slot] === undefined
      ? ['--unshare-user', ...closed, '--uid', INSIDE_ID, '--gid', INSIDE_ID, '--cap-drop', 'ALL']
      : ['--userns2', String(NAMESPACE_FD), '--cap-drop', 'ALL', ...changeUser];
  const network = policy.network === 'external' ? [] : ['--unshare-net'];
  const namespacesOfRun = ['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', ...network];
  const life = ['--die-with-parent', '--new-session', '--clearenv', '--json-status-fd', String(STATUS_FD)];
  const calls = filter === undefined ? [] : ['--seccomp', String(FILTER_FD)];
  return [...namespacesOfRun, ...user, ...life, ...calls, '--hostname', 'h'];
}

/** Everything about the run comes through the gate and the command file, so that bwrap can be started before the run is known. */
function waitingBwrap(parts: Parts, slot: number, disk?: DiskPlan): Launch {
  const { bwrap, filter, namespaces } = parts;
  const namespace = namespaces[slot];
  const words = [bwrap, '--args', String(GATE_FD), '--', '/bin/sh', '-c', `. ${ROOT}/${COMMAND_FILE}`];
  const [file = '', ...args] = disk === undefined ? words : withDisk(parts, disk, words);
  return {
    file,
    args,
    env: {},
    cwd: disk === undefined ? '/' : (parts.disks?.folders.path(slot) ?? '/'),
    detached: false,
    ...(disk !== undefined && { tellsReady: true }),
    // A filter is read to its end: each bwrap needs the file opened for itself.
    extra: [
      'pipe',
      filter === undefined ? 'pipe' : { file: filter },
      ...(namespace === undefined ? [] : [namespace.fd]),
    ],
  };
}

/** Mounts of its own, in which the disk is made, then bwrap. */
function withDisk({ tools, disks }: Parts, disk: DiskPlan, words: readonly string[]): string[] {
  if (disks === undefined) throw new Error('this host makes no disks');
  const { maker } = disks;
  const script = [
    ...diskCommands(maker, disk),
    `${quoteWord(maker.mount)} -t overlay -o ${overlayOptions(maker, disk)} h merged`,
    `echo ready >&${STATUS_FD}`,
    `exec ${words.map(quoteWord).join(' ')}`,
  ];
  return [...mountNamespace(tools, maker), '/bin/sh', '-c', script.join(' && ')];
}

/**
 * Limits, then the unprivileged user of the namespace, then exactly the run's variables, then the payload. No variable comes earlier: a shell
 * drops names that it could not have itself and adds others, and the dynamic linker obeys some.
 */
function commandScript({ tools, namespaces }: Parts, plan: LaunchPlan): string {
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
    ...clearEnvironment({ PWD: posix.join(ROOT, 'workspace', plan.cwd), ...plan.environment }),
    ...fixAddresses(plan, tools),
    ...plan.argv,
  ];
  const processes = dropped || countsByNamespace() ? [limitSwarm(plan)] : [];
  const closing = dropped ? [`exec ${NAMESPACE_FD}<&-`] : [];
  return `${[...limitCommands(plan), ...processes, ...closing, `exec ${words.map(quoteWord).join(' ')}`].join('\n')}\n`;
}

function systemFolders({ etc }: Parts): string[] {
  const system = systemPaths().flatMap(({ path, linkTo }) =>
    linkTo === undefined ? ['--ro-bind', path, path] : ['--symlink', linkTo, path],
  );
  const temporary = ['--perms', '0755', '--dir', '/var', '--symlink', '/tmp', '/var/tmp'];
  return [...system, '--ro-bind', etc, '/etc', '--proc', '/proc', '--dev', '/dev', ...temporary];
}

/** The run's own folder comes last: without it nothing is started, so that half-written options start nothing. */
function folders(parts: Parts, plan: LaunchPlan): string[] {
  const { folders: run, readOnlyPaths, slot, disk } = plan;
  const place = parts.disks?.folders.path(slot);
  const temporary =
    disk === undefined
      ? temporaryFolders(parts, plan)
      : TMP_PATHS.flatMap((path) => ['--bind', `${place}/disk/${posix.basename(path)}`, path]);
  const [workspace, home] = disk === undefined ? [run.workspace, run.home] : [`${place}/merged`, `${place}/disk/home`];
  const made = new Set(['/', '/tmp']);
  const shown = visiblePaths(readOnlyPaths);
  const bound = shown.flatMap((path) => [...ancestors(path, made), '--ro-bind', path, path]);
  const covered = [...findSockets([...systemFolderPaths(), ...shown]), ...coveredFiles()].flatMap((path) => [
    '--ro-bind',
    '/dev/null',
    path,
  ]);
  const sealed = ['/dev', '/'].flatMap((path) => ['--remount-ro', path]);
  const own = ['--ro-bind', run.root, ROOT, '--bind', workspace, `${ROOT}/workspace`, '--bind', home, `${ROOT}/home`];
  return [...temporary, ...bound, ...covered, ...own, ...sealed];
}

function temporaryFolders({ help }: Parts, { policy }: LaunchPlan): string[] {
  const size = help.includes('--size') ? ['--size', String(policy.disk_bytes)] : [];
  return TMP_PATHS.flatMap((path) => [...size, '--perms', '1777', '--tmpfs', path]);
}

/** bwrap makes missing parents 0700; the payload's user has to pass them. */
function ancestors(path: string, made: Set<string>): string[] {
  const parent = posix.dirname(path);
  if (made.has(parent)) return [];
  made.add(parent);
  return [...ancestors(parent, made), '--perms', '0755', '--dir', parent];
}

const STATUS: StatusLanguage = {
  firstProcess: (status) => {
    const told = /"child-pid": (\d+)/.exec(status)?.[1];
    return told === undefined ? undefined : Number(told);
  },
  exitCode: (status) => /"exit-code": (\d+)/.exec(status)?.[1],
  began: () => false,
};
