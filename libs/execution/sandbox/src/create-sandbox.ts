import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import {
  type ArtifactStore,
  type Executor,
  hashRecord,
  type IsolationPolicy,
  type IsolationProperty,
  type Sha,
} from '@h/contracts';
import type { Backend, BackendName } from './backends/backend.ts';
import { checkOptions, checkPolicy, describeMissing } from './check-options.ts';
import type { Control } from './controls/control.ts';
import { keepBases } from './disk/keep-bases.ts';
import { backendUnavailable, closed } from './errors.ts';
import { writeReceipt } from './judge-policy.ts';
import type { BackendProbe } from './probe-backend.ts';
import { type ControlProbe, locateControl, probeControl } from './probe-control.ts';
import { keepReady } from './processes/keep-ready.ts';
import { queueSlots } from './processes/queue-slots.ts';
import { untilAborted } from './processes/until-aborted.ts';
import { withController } from './processes/with-controller.ts';
import { type RunContext, runRequest } from './run-request.ts';
import { BACKENDS, type Trial, tryBackends } from './try-backends.ts';
import { type Guard, guardScratch } from './workspace/guard-scratch.ts';
import { ownScratch, type Scratch, scratchRoots } from './workspace/own-scratch.ts';
import { type LinkPlan, planLinks, type WorkspaceLink } from './workspace/plan-links.ts';
import { createMaterialiser } from './workspace/prepare-workspace.ts';

export interface SandboxOptions {
  readonly artifacts: ArtifactStore;
  /** Host folders that runs may read at their own path, such as the prefix of an interpreter. Missing ones are left out, which `downgrades` says. */
  readonly readOnlyPaths?: readonly string[];
  readonly links?: readonly WorkspaceLink[];
  /** `auto`, the default: the strongest that the probe finds working; each step down is a sentence in `downgrades`. */
  readonly backend?: 'auto' | BackendName;
  /** Runs in flight at once, 2 by default; others wait in order. */
  readonly concurrency?: number;
  /** Existing folder for private copies. By default in memory (`/dev/shm`) where it is plentiful and counted, else the system's temporary folder. */
  readonly scratchRoot?: string;
  /** Hash of the environment that enters `execution_id`; by default that of operating system and architecture. */
  readonly environment?: Sha;
  /** Ends the opening: `createSandbox` then rejects with its reason. A sandbox that is open is ended by `close`. */
  readonly signal?: AbortSignal;
}

/** An `Executor` on this host. */
export interface Sandbox extends Executor {
  readonly backend: BackendName;
  /** What a real run under each backend tried showed, strongest first. */
  readonly probes: readonly BackendProbe[];
  /** One sentence, with the remedy, for each stronger backend, and for groups of limits, that this host refused, and for readable folders that it does not have. */
  readonly downgrades: readonly string[];
  /** Ends what runs, waits for it, and removes the private folder. May be called again. */
  close(): Promise<void>;
}

/** Probes the backends by real runs, takes the strongest that works, and runs commands under it in private copies of trees. */
export function createSandbox(policy: IsolationPolicy, options: SandboxOptions): Promise<Sandbox> {
  return createSandboxUnder(locateControl(), policy, options);
}

/** The same with a control of the caller's choice; undefined: none. */
export async function createSandboxUnder(
  control: Control | undefined,
  policy: IsolationPolicy,
  options: SandboxOptions,
): Promise<Sandbox> {
  checkPolicy(policy);
  checkOptions(options);
  // What the caller changes of them afterwards is nothing to this sandbox.
  const readOnlyPaths = [...(options.readOnlyPaths ?? [])];
  const given = { policy: structuredClone(policy), options: { ...options, readOnlyPaths } };
  const open = (signal: AbortSignal | undefined) =>
    openSandbox(control, given.policy, { ...given.options, ...(signal && { signal }) });
  return untilAborted(open, options.signal, (sandbox) => sandbox.close());
}

async function openSandbox(
  control: Control | undefined,
  policy: IsolationPolicy,
  options: SandboxOptions,
): Promise<Sandbox> {
  const { signal } = options;
  const concurrency = options.concurrency ?? 2;
  const links = (options.links ?? []).map(planLinks);
  const { scratchRoot } = options;
  const scratch = await ownScratch(
    scratchRoot === undefined ? scratchRoots(control?.accounts === true) : [scratchRoot],
  );
  const guard = guardScratch(scratch.paths);
  const probing = probeControl(control, signal);
  try {
    const chosen = await chooseBackend(scratch, options.backend ?? 'auto', {
      slots: concurrency,
      control,
      network: policy.network,
      ...(signal && { signal }),
    });
    return assemble(policy, options, { scratch, guard, concurrency, links, ...chosen, control, limits: await probing });
  } catch (error) {
    await probing;
    await Promise.all([scratch.close(), guard.dismiss()]);
    throw error;
  }
}

interface Parts extends Chosen {
  readonly scratch: Scratch;
  readonly guard: Guard;
  readonly concurrency: number;
  readonly links: readonly LinkPlan[];
  readonly control: Control | undefined;
  readonly limits: ControlProbe;
}

function assemble(policy: IsolationPolicy, options: SandboxOptions, parts: Parts): Sandbox {
  const { backend, probes, concurrency, limits } = parts;
  const context = makeContext(policy, options, parts);
  for (let slot = 0; slot < concurrency; slot += 1) context.starter.prepare(slot);
  const { properties } = writeReceipt(backend.name, context.properties, policy);
  const names = Object.keys(properties) as IsolationProperty[];
  const enforces = names.filter((name) => properties[name] === 'enforced').sort();
  const warning = backend.warning === undefined ? [] : [backend.warning];
  const missing = describeMissing([...policy.filesystem.extra_ro, ...(options.readOnlyPaths ?? [])]);
  const running = new Set<AbortController>();
  let closing: Promise<void> | undefined;
  return {
    backend: backend.name,
    probes,
    downgrades: [...parts.downgrades, ...warning, ...describeGaps(parts.probe), ...describeLimits(limits), ...missing],
    capabilities: { concurrency, persistent: false, enforces },
    run: async (request, runOptions = {}) => {
      if (closing !== undefined) throw closed();
      return withController(running, runOptions.signal, (signal) =>
        runRequest(context, request, { ...runOptions, signal }),
      );
    },
    close: () => {
      closing ??= closeAll(context, parts, running);
      return closing;
    },
  };
}

function makeContext(
  policy: IsolationPolicy,
  { artifacts, environment, readOnlyPaths = [] }: SandboxOptions,
  parts: Parts,
): RunContext {
  const { backend, control, limits, links, probe, scratch, concurrency } = parts;
  const linked = links.flatMap((plan) => plan.readOnlyPaths);
  const materialiser = createMaterialiser(artifacts);
  const bases = keepBases({ materialiser, links, folder: scratch.roomy });
  const readable = new Set([...policy.filesystem.extra_ro, ...readOnlyPaths, ...linked]);
  return {
    policy,
    backend,
    properties: { ...limits.properties, ...probe.properties },
    environment: environment ?? hashRecord({ arch: arch(), platform: platform() }),
    artifacts,
    materialiser,
    bases,
    scratch,
    readOnlyPaths: [...readable].filter((path) => existsSync(path)).sort(),
    links,
    slots: queueSlots(concurrency),
    starter: keepReady(backend, { control, holdDisk: ({ lower }) => bases.hold(lower) }),
    hostEnvironment: process.env,
  };
}

async function closeAll(
  { slots, starter, bases }: RunContext,
  { backend, scratch, guard }: Parts,
  running: ReadonlySet<AbortController>,
): Promise<void> {
  for (const controller of running) controller.abort();
  await slots.idle();
  await starter.close();
  await bases.close();
  backend.close();
  await Promise.all([scratch.close(), guard.dismiss()]);
}

/** Not built yet, or told of by `describeLimits`. */
const UNMET_EVERYWHERE: ReadonlySet<IsolationProperty> = new Set([
  'memory_limit',
  'pids_limit',
  'cpu_cores_limit',
  'cpu_time_limit',
]);

interface Chosen {
  readonly backend: Backend;
  readonly probe: BackendProbe;
  readonly probes: readonly BackendProbe[];
  readonly downgrades: readonly string[];
}

async function chooseBackend(
  scratch: Scratch,
  wanted: 'auto' | BackendName,
  trial: Omit<Trial, 'names'>,
): Promise<Chosen> {
  const probes: BackendProbe[] = [];
  for await (const { backend, probe } of tryBackends(scratch, {
    ...trial,
    names: wanted === 'auto' ? BACKENDS : [wanted],
  })) {
    probes.push(probe);
    if (backend !== undefined)
      return {
        backend,
        probe,
        probes,
        downgrades: probes.slice(0, -1).map((tried) => describeDowngrade(tried, backend.name)),
      };
  }
  const last = probes.at(-1);
  throw backendUnavailable(
    wanted,
    last?.reason ?? 'it is unknown',
    last?.remedy ?? `name one of: ${BACKENDS.join(', ')}`,
  );
}

const STEP_DOWN: Record<BackendName, string> = {
  bubblewrap: '',
  'util-linux': 'Runs are confined by util-linux instead.',
  plain: 'Runs are ordinary processes of this user: files, network and memory are not confined.',
};

function describeDowngrade({ backend, reason, remedy }: BackendProbe, chosen: BackendName): string {
  return `${backend} is not usable: ${reason}. ${STEP_DOWN[chosen]} Remedy: ${remedy}`;
}

const GAP_REMEDY: Record<BackendName, string> = {
  bubblewrap: 'install util-linux (setpriv, setarch, unshare) and mount; for disks a kernel from 5.11 with overlayfs',
  'util-linux': 'run as a user without rights, or as a root that may mount (CAP_SYS_ADMIN)',
  plain: '',
};

/** What a backend of namespaces keeps elsewhere and not here. */
function describeGaps({ backend, properties }: BackendProbe): string[] {
  const names = Object.keys(properties) as IsolationProperty[];
  const gaps = names.filter((name) => properties[name] === 'unmet' && !UNMET_EVERYWHERE.has(name)).sort();
  if (backend === 'plain' || gaps.length === 0) return [];
  return [`${backend} works here only in part, without: ${gaps.join(', ')}. Remedy: ${GAP_REMEDY[backend]}`];
}

function describeLimits({ name, properties }: ControlProbe): string[] {
  if (properties.memory_limit === 'enforced' && properties.pids_limit === 'enforced') return [];
  const how = name === 'none' ? 'not limited' : 'watched, not limited';
  return [
    `control groups cannot be used (${name}): memory, processes and processor time of a run are ${how}. Remedy: run as root, or in a group of your own (systemd-run --user --scope -p Delegate=yes …)`,
  ];
}
