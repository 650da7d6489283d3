import { chownSync, closeSync, existsSync, realpathSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { IsolationPolicy } from '@h/contracts';
import { type DiskPlan, diskCommands } from '../disk/plan-disk.ts';
import { offerIn, slotFolders } from '../disk/slot-folders.ts';
import { tryDisk } from '../disk/try-disk.ts';
import type { HostTools } from '../host/find-tools.ts';
import { findChildren, mayMount } from '../host/read-proc.ts';
import { filterWords } from './apply-filter.ts';
import { type Backend, COMMAND_FILE, GATE_FD, type Launch, type LaunchPlan, type Located } from './backend.ts';
import { buildRoot, HOST_FOLDER } from './build-root.ts';
import { followInit, type StatusLanguage } from './follow-init.ts';
import { readHostMounts } from './plan-mounts.ts';
import {
  countsByNamespace,
  fixAddresses,
  limitCommands,
  limitSwarm,
  quoteWord,
  withVariables,
} from './shape-process.ts';
import { INSIDE_ID, openUserNamespaces, type UserNamespace } from './user-namespace.ts';
import { type MountParts, PAYLOAD_ROOT, rootMounts, runMounts, type Shown, showPaths } from './util-linux-mounts.ts';

/** Host uid of the root of payloads' user namespaces: it owns nothing, and no payload can become it. */
const EMPTY_ROOT_UID = 63_999;
const STATUS_FD = GATE_FD + 1;
const NAMESPACE_FD = STATUS_FD + 1;
const STDERR_FD = 9;
const NEEDED = ['unshare', 'setpriv', 'nsenter', 'mount', 'umount', 'pivot_root'] as const;
const REMEDY =
  "apt-get install util-linux mount (or your distribution's packages of those names), or better bubblewrap";

const NO_FILTER =
  'util-linux works here without a filter of system calls: vsock, io_uring and the key rings of this program are in reach of runs. Remedy: install perl, or better bubblewrap';

/** What the util-linux member needs beside the tools. */
export interface UtilLinuxOptions {
  /** A folder of the sandbox's own. */
  readonly folder: (name: string) => string;
  readonly slots: number;
  readonly network: IsolationPolicy['network'];
  readonly disks: boolean;
}

type Tools = HostTools & Record<(typeof NEEDED)[number], string>;

/**
 * Namespaces by the programs of util-linux. Everything that does not depend on a run is done before the run is known: namespaces, mounts,
 * a root of its own with the host's beside it. Run by root, the payload then gets a host uid of its own per slot in a user namespace made
 * ahead; run by another user, or by a root without the right to mount, all is done inside a user namespace of the run's own.
 */
export async function locateUtilLinux(tools: HostTools, options: UtilLinuxOptions): Promise<Located> {
  if (process.platform !== 'linux')
    return { missing: 'util-linux namespaces exist for Linux only', remedy: 'run H on Linux or in a container' };
  const missing = NEEDED.filter((name) => tools[name] === undefined);
  if (missing.length > 0) return { missing: `${missing.join(', ')} not found`, remedy: REMEDY };
  const namespaces = mayMount() ? await openUserNamespaces(tools, options.slots, { root: EMPTY_ROOT_UID }) : [];
  const root = realpathSync(options.folder('root'));
  buildRoot(root);
  const maker =
    options.disks && (await tryDisk(tools, options.folder('trial'), { inUserNamespace: namespaces.length === 0 }));
  const parts: Parts = {
    tools: tools as Tools,
    namespaces,
    root,
    folder: realpathSync(options.folder('start')),
    network: options.network,
    mounts: readHostMounts(),
    filter: await filterWords(tools),
    ...(maker && { disks: { maker, folders: slotFolders(options.folder, options.slots) } }),
  };
  return { backend: utilLinuxBackend(parts) };
}

interface Parts extends MountParts {
  readonly tools: Tools;
  /** One a slot when run by a root that may mount, else none. */
  readonly namespaces: readonly UserNamespace[];
  /** Where a started process finds what to do first, by names that tell a payload nothing. */
  readonly folder: string;
  readonly network: IsolationPolicy['network'];
  /** Words before a command that is to run under the system call filter; none where that cannot be had. */
  readonly filter: readonly string[];
}

function utilLinuxBackend(parts: Parts): Backend {
  const { namespaces } = parts;
  const prepare = prepareFiles(parts);
  const shown = new Map<string, Shown>();
  const show = (paths: readonly string[]) => {
    const key = paths.join('\0');
    const known = shown.get(key) ?? showPaths(parts, paths);
    shown.set(key, known);
    return known;
  };
  const owner = (slot: number) => {
    const uid = namespaces[slot]?.uid;
    return uid === undefined ? undefined : { uid, gid: uid };
  };
  return {
    name: 'util-linux',
    inside: () => ({ workspace: `${PAYLOAD_ROOT}/workspace`, home: `${PAYLOAD_ROOT}/home`, tmp: '/tmp' }),
    owner,
    adopt: ({ home, workspace }, slot) => {
      const user = owner(slot);
      if (user !== undefined) for (const folder of [home, workspace]) chownSync(folder, user.uid, user.gid);
    },
    ...(parts.disks && { disks: { offer: offerIn(parts.disks.folders), places: diskPlaces } }),
    launch: (slot, like) => waitingShell(parts, slot, prepare(slot, like?.disk), like?.disk),
    release: (plan) => {
      const folder = realpathSync(plan.folders.root);
      const paths = show(plan.readOnlyPaths);
      const mounts = runMounts(parts, plan, folder, paths);
      if (mounts !== '') writeFileSync(`${folder}/mounts`, mounts);
      const lastMounts =
        mounts === '' ? [] : [`${parts.tools.mount} -a -T ${quoteWord(`${HOST_FOLDER}${folder}/mounts`)}`];
      writeFileSync(`${folder}/${COMMAND_FILE}`, commandScript(parts, plan, [...paths.places, ...lastMounts]));
      return Buffer.from(`${folder}/${COMMAND_FILE}\n`);
    },
    follow: (leader, _plan, group) => followInit(leader, group, STATUS),
    claims: {},
    ...(parts.filter.length === 0 && { warning: NO_FILTER }),
    close: () => {
      for (const { fd } of namespaces) closeSync(fd);
    },
  };
}

/** After the change of root the disk is where the payload will see it. */
function diskPlaces(leader: number): { workspace: string; home: string } {
  const [first = leader] = findChildren(leader);
  return { workspace: `/proc/${first}/root${PAYLOAD_ROOT}/workspace`, home: `/proc/${first}/root${PAYLOAD_ROOT}/home` };
}

/** Where a process finds what to do before its run is known: each such file is written once. */
interface Prepared {
  readonly folder: string;
  readonly script: string;
}

function prepareFiles(parts: Parts) {
  const known = new Map<string, string>();
  const write = (folder: string, text: string) => {
    const key = `${folder}\0${text}`;
    const name = known.get(key) ?? `prepare-${known.size}`;
    if (!known.has(key)) writeFileSync(`${folder}/${name}`, text);
    known.set(key, name);
    return name;
  };
  return (slot: number, disk: DiskPlan | undefined): Prepared => {
    const folder = (disk && parts.disks?.folders.path(slot)) ?? parts.folder;
    const mounts = write(folder, rootMounts(parts, disk));
    return { folder, script: `./${write(folder, prepareScript(parts, `./${mounts}`, disk))}` };
  };
}

/** Waits until it is in its group, since what it starts stays in the group it was started in; then prepares, and waits for its run. */
function waitingShell(
  parts: Parts,
  slot: number,
  { folder, script: file }: Prepared,
  disk: DiskPlan | undefined,
): Launch {
  const { tools, namespaces, network } = parts;
  const namespace = namespaces[slot];
  const shared = [
    '--mount',
    '--ipc',
    '--uts',
    '--pid',
    '--fork',
    '--kill-child=KILL',
    ...(existsSync('/proc/self/ns/cgroup') ? ['--cgroup'] : []),
    ...(network === 'external' ? [] : ['--net']),
    ...(namespace === undefined ? ['--user', '--map-root-user'] : []),
  ];
  // A session of its own: else a payload of the same host user could signal what started it.
  const session = tools.setsid === undefined ? [] : [tools.setsid];
  const words = [tools.unshare, ...shared, '--', ...session, '/bin/sh', file];
  const script = `IFS= read -r word <&${GATE_FD} || exit 125; exec ${words.map(quoteWord).join(' ')}`;
  return {
    file: tools.setpriv,
    args: ['--pdeathsig', 'KILL', '--', '/bin/sh', '-c', script],
    env: {},
    cwd: folder,
    detached: true,
    extra: ['pipe', ...(namespace === undefined ? [] : [namespace.fd])],
    onceGrouped: Buffer.from('in\n'),
    ...(disk !== undefined && { tellsReady: true }),
  };
}

/** What the first process of the namespaces does before its run is known. A word that does not come whole starts nothing. */
function prepareScript(
  { tools, root, namespaces, network }: Parts,
  mounts: string,
  disk: DiskPlan | undefined,
): string {
  const place = quoteWord(root);
  return [
    'set -e',
    'umask 022',
    '{ echo h > /proc/sys/kernel/hostname || hostname h || :; } 2>/dev/null',
    ...(network === 'external' ? [] : [raiseLoopback(tools, `${root}${HOST_FOLDER}`)]),
    // The one that the payload itself will be in.
    ...(namespaces.length === 0 ? ['{ echo 1 > /proc/sys/user/max_user_namespaces || :; } 2>/dev/null'] : []),
    ...(disk === undefined ? [] : diskCommands(tools, disk)),
    `${tools.mount} -a -T ${mounts}`,
    `cd ${place}`,
    `${tools.pivot_root} . .${HOST_FOLDER}`,
    'cd /',
    ...(disk === undefined ? [] : [`echo ready >&${STATUS_FD}`]),
    `IFS= read -r file <&${GATE_FD} || exit 125`,
    `exec ${GATE_FD}<&-`,
    `. "${HOST_FOLDER}$file"`,
    '',
  ].join('\n');
}

/** By a file of the kernel's, mounted for the moment on a folder, where nothing better is installed. */
function raiseLoopback({ ip, mount, umount }: Tools, folder: string): string {
  const place = quoteWord(folder);
  const program = ip === undefined ? '' : `${ip} link set lo up || `;
  const file = `{ ${mount} -t sysfs sysfs ${place} && echo 0x9 > ${place}/class/net/lo/flags; ${umount} ${place}; }`;
  return `{ ${program}${file} || :; } 2>/dev/null`;
}

/**
 * The last mounts, then the host's root is let go, then limits, then the payload under the user it is to be. In braces: a shell reads all
 * of that before it does any. The payload's end is told by number, since the first process of a namespace cannot end by a signal itself.
 */
function commandScript(parts: Parts, plan: LaunchPlan, lastMounts: readonly string[]): string {
  const { tools, namespaces } = parts;
  const entered = namespaces[plan.slot] !== undefined;
  const words = [
    ...leaveNetwork(parts, plan),
    ...(entered ? enterNamespace(tools) : makeNamespace(tools)),
    ...parts.filter,
    ...fixAddresses(plan, tools),
    ...withVariables({ PWD: posix.join(PAYLOAD_ROOT, 'workspace', plan.cwd), ...plan.environment }, plan.argv),
  ];
  const closing = `${STATUS_FD}>&- ${NAMESPACE_FD}<&- 2>&${STDERR_FD} ${STDERR_FD}>&-`;
  const lines = [
    ...lastMounts,
    `${tools.umount} -l ${HOST_FOLDER}`,
    `cd ${quoteWord(posix.join(PAYLOAD_ROOT, 'workspace', plan.cwd))}`,
    'set +e',
    ...limitCommands(plan),
    ...(entered || countsByNamespace() ? [limitSwarm(plan)] : []),
    `echo began >&${STATUS_FD}`,
    // A shell tells on its own error stream that a program was killed.
    `exec ${STDERR_FD}>&2 2>/dev/null`,
    // Parentheses: some shells change their own descriptors for the time of a plain command.
    `(exec ${words.map(quoteWord).join(' ')} ${closing})`,
    `echo "exit $?" >&${STATUS_FD}`,
    'exit 0',
  ];
  return `{\n${lines.join('\n')}\n}\n`;
}

/** A run that asks for less network than its sandbox was opened with. */
function leaveNetwork({ tools, network }: Parts, { policy }: LaunchPlan): string[] {
  if (network !== 'external' || policy.network === 'external') return [];
  return [tools.unshare, '--net', '--', '/bin/sh', '-c', `${raiseLoopback(tools, HOST_FOLDER)}; exec "$@"`, 'sh'];
}

const WITHOUT_RIGHTS = ['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'];

/** Through the first process's descriptor: the payload's own copy of it is closed. */
function enterNamespace({ nsenter, setpriv }: Tools): string[] {
  const user = [`--reuid=${INSIDE_ID}`, `--regid=${INSIDE_ID}`, '--clear-groups'];
  return [nsenter, `--user=/proc/1/fd/${NAMESPACE_FD}`, '--', setpriv, ...user, ...WITHOUT_RIGHTS];
}

function makeNamespace({ unshare, setpriv }: Tools): string[] {
  const user = ['--user', `--map-user=${INSIDE_ID}`, `--map-group=${INSIDE_ID}`, '--keep-caps'];
  return [unshare, ...user, '--', setpriv, ...WITHOUT_RIGHTS];
}

const STATUS: StatusLanguage = {
  firstProcess: (_status, leader) => findChildren(leader)[0],
  exitCode: (status) => /^exit (\d+)$/m.exec(status)?.[1],
  began: (status) => /^began$/m.test(status),
};
