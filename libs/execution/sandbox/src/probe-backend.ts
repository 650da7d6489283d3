import { randomBytes } from 'node:crypto';
import { lstatSync, writeFileSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import type { IsolationProperty, PropertyState } from '@h/contracts';
import type { Backend, BackendName } from './backends/backend.ts';
import type { Control } from './controls/control.ts';
import { type OpenDisk, openDisk } from './disk/open-disk.ts';
import { planDisk } from './disk/plan-disk.ts';
import { inheritableDescriptors, isRunning, listProcesses, readProcLink, wasStartedWith } from './host/read-proc.ts';
import { buildEnvironment, defaultPolicy } from './judge-policy.ts';
import { PROBE_SCRIPT, type ProbeObservations } from './probe-script.ts';
import { startProcess } from './processes/start-process.ts';
import { superviseProcess } from './processes/supervise-process.ts';
import type { Scratch } from './workspace/own-scratch.ts';

/** What one real run under a backend showed. */
export interface BackendProbe {
  readonly backend: BackendName;
  readonly usable: boolean;
  /** Why it is not usable; absent when it is. */
  readonly reason?: string;
  /** What would make it usable; absent when it is. */
  readonly remedy?: string;
  readonly properties: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
}

const PROBE_WALL_MS = 20_000;
const PROBE_DISK = { bytes: 1024 * 1024, inodes: 48 };
const LIMITS_UNMET = {
  memory_limit: 'unmet',
  pids_limit: 'unmet',
  cpu_cores_limit: 'unmet',
  cpu_time_limit: 'unmet',
} as const;
const NAMESPACES = ['user', 'pid', 'ipc', 'uts', 'mnt'] as const;

export interface ProbeOptions {
  readonly control: Control | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs a program under the backend that tries what the policy forbids (reads a secret, writes outside, connects to a socket of this
 * process, leaves a child behind) and reads off what it got. A property is enforced only if its attempt failed.
 */
export async function probeBackend(
  backend: Backend,
  scratch: Scratch,
  { control, signal }: ProbeOptions,
): Promise<BackendProbe> {
  const group = control?.open();
  const bait = await layBait(scratch, group?.exits ?? []);
  const folders = scratch.open();
  let disk: OpenDisk | undefined;
  try {
    const { bytes: disk_bytes, inodes: inodes_max } = PROBE_DISK;
    const policy = defaultPolicy({ wall_ms: PROBE_WALL_MS, disk_bytes, inodes_max });
    const base = backend.disks?.offer(0, scratch.keep(`${backend.name}-empty`));
    const plan = {
      argv: [process.execPath, '-e', PROBE_SCRIPT, JSON.stringify(bait.attempts)],
      cwd: '',
      environment: buildEnvironment(policy, {}, backend.inside(folders)),
      folders,
      policy,
      readOnlyPaths: [process.execPath, bait.readOnly],
      slot: 0,
      ...(base !== undefined && { disk: planDisk(base, policy) }),
    };
    backend.adopt(folders, 0);
    const started = startProcess(backend.launch(plan.slot, plan));
    if (started.pid !== undefined) await group?.add(started.pid);
    started.enter();
    if (!(await started.ready)) throw new Error(String(started.stderr?.read() ?? 'its disk could not be made').trim());
    disk = backend.disks && openDisk(backend.disks.places(started.pid ?? 0, 0), backend.owner(0));
    const ended = await superviseProcess(backend, plan, group === undefined ? { started } : { started, group }, {
      ...(signal && { signal }),
    });
    const observed = parseObservations(ended.stdout.text);
    if (observed === undefined)
      return unusable(backend.name, ended.stderr.text.trim() || `the probe ended by ${ended.endedBy}`);
    const properties = {
      ...judge(observed, bait, lookAround(disk?.workspace ?? folders.workspace, bait.attempts.token)),
      ...backend.claims,
    };
    return { backend: backend.name, usable: true, properties };
  } catch (error) {
    return unusable(backend.name, error instanceof Error ? error.message : String(error));
  } finally {
    disk?.close();
    bait.close();
    await Promise.all([scratch.remove(folders), group?.remove()]);
  }
}

const REMEDY =
  'allow this user to make user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu an AppArmor profile for bwrap or unshare, in a container --security-opt seccomp=unconfined or --privileged';

export function unusable(backend: BackendName, reason: string, remedy = REMEDY): BackendProbe {
  return { backend, usable: false, reason, remedy, properties: {} };
}

/** What the probe left, as seen from here. */
interface Aftermath {
  readonly survivors: number;
  /** Whose the files are that the payload wrote: its uid on the host, whatever it sees itself. */
  readonly ownerUid: number;
}

function lookAround(workspace: string, token: string): Aftermath {
  const marked = listProcesses().filter((stat) => wasStartedWith(stat.pid, `H_PROBE=${token}`) && isRunning(stat));
  const written = lstatSync(`${workspace}/written`, { throwIfNoEntry: false });
  return { survivors: marked.length, ownerUid: written?.uid ?? 0 };
}

type Bait = Awaited<ReturnType<typeof layBait>>;

async function layBait(scratch: Scratch, groupExits: readonly string[]) {
  const outside = scratch.keep('outside');
  const readOnly = scratch.keep('read-only');
  const secret = `${outside}/secret`;
  writeFileSync(secret, 'secret');
  writeFileSync(`${readOnly}/file`, 'readable');
  const server = await listen({ host: '127.0.0.1', port: 0 });
  const name = `h-probe-${randomBytes(8).toString('hex')}`;
  const abstractServer =
    process.platform === 'linux' ? await listen({ path: `\0${name}` }).catch(() => undefined) : undefined;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const leaks = inheritableDescriptors().map((fd) => readProcLink(`/proc/self/fd/${fd}`));
  return {
    readOnly,
    attempts: {
      secret,
      outside,
      readOnly,
      port,
      abstract: abstractServer && name,
      groupExits,
      disk: PROBE_DISK,
      token: `${scratch.paths[0]}`,
      leaks: leaks.filter((link) => link !== undefined && link !== '/dev/null'),
    },
    close: () => {
      server.close();
      abstractServer?.close();
    },
  };
}

function listen(options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(options, () => resolve(server));
    server.unref();
  });
}

function parseObservations(text: string): ProbeObservations | undefined {
  try {
    return JSON.parse(text) as ProbeObservations;
  } catch {
    return undefined;
  }
}

function judge(
  seen: ProbeObservations,
  bait: Bait,
  around: Aftermath,
): Partial<Record<IsolationProperty, PropertyState>> {
  const state = (holds: boolean): PropertyState => (holds ? 'enforced' : 'unmet');
  const separate = Object.fromEntries(
    NAMESPACES.map((name) => [
      name,
      seen.namespaces[name] !== undefined && seen.namespaces[name] !== readProcLink(`/proc/self/ns/${name}`),
    ]),
  );
  const allowed = new Set(['PYTHONHASHSEED', 'TZ', 'LC_ALL', 'LANG', 'PATH', 'HOME', 'TMPDIR', 'PWD', 'H_SANDBOX_RUN']);
  const alone = !seen.connected && !seen.abstractConnected;
  return {
    workspace_private: state(seen.wroteWorkspace && !seen.wroteOutside),
    scratch_private: state(seen.wroteTmp && !seen.readSecret),
    host_files_hidden: state(!seen.readSecret),
    host_files_read_only: state(!seen.wroteOutside && !seen.wroteReadOnly && seen.readReadOnly),
    network_denied: state(alone),
    network_loopback_only: state(alone && seen.loopback),
    environment_allow_list: state(Object.keys(seen.environment).every((name) => allowed.has(name))),
    inherited_fds_closed: state(!seen.descriptors.some((link) => bait.attempts.leaks.includes(link))),
    no_new_privileges: state(seen.status.NoNewPrivs === '1'),
    capabilities_dropped: state(['CapPrm', 'CapEff', 'CapAmb'].every((name) => /^0+$/.test(seen.status[name] ?? ''))),
    non_root: state(seen.uid !== 0 && around.ownerUid !== 0),
    user_namespace: state(separate.user === true),
    pid_namespace: state(separate.pid === true),
    ipc_namespace: state(separate.ipc === true),
    uts_namespace: state(separate.uts === true),
    mount_namespace: state(separate.mnt === true),
    // A process that can leave its group leaves the limits too.
    ...(seen.leftGroup ? LIMITS_UNMET : {}),
    disk_limit: state(!seen.overBytes),
    inodes_limit: state(!seen.overFiles),
    wall_limit: 'enforced',
    stream_cap: 'enforced',
    no_survivors: state(around.survivors === 0),
    hash_seed: state(seen.environment.PYTHONHASHSEED === '0'),
    time_zone: state(seen.environment.TZ === 'UTC'),
    locale: state(seen.environment.LC_ALL === 'C.UTF-8'),
    no_aslr: state((Number.parseInt(seen.personality, 16) & 0x40000) !== 0),
  };
}
