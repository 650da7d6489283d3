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
import { locateBubblewrap } from './backends/bubblewrap.ts';
import { locatePlain } from './backends/plain.ts';
import type { Control } from './controls/control.ts';
import { backendUnavailable, closed } from './errors.ts';
import { findTools } from './find-tools.ts';
import { type Guard, guardScratch } from './guard-scratch.ts';
import { writeReceipt } from './judge-policy.ts';
import { keepReady } from './keep-ready.ts';
import { ownScratch, type Scratch } from './own-scratch.ts';
import { planLinks, type WorkspaceLink } from './plan-links.ts';
import { createMaterialiser } from './prepare-workspace.ts';
import { type BackendProbe, probeBackend, unusable } from './probe-backend.ts';
import { type ControlProbe, locateControl, probeControl } from './probe-control.ts';
import { queueSlots } from './queue-slots.ts';
import { runRequest } from './run-request.ts';

export interface SandboxOptions {
  readonly artifacts: ArtifactStore;
  /** Host folders that runs may read at their own path, such as the prefix of an interpreter. Missing ones are left out. */
  readonly readOnlyPaths?: readonly string[];
  readonly links?: readonly WorkspaceLink[];
  /** `auto`, the default: the strongest that the probe finds working; each step down is a sentence in `downgrades`. */
  readonly backend?: 'auto' | BackendName;
  /** Runs in flight at once, 2 by default; others wait in order. */
  readonly concurrency?: number;
  /** Folder for private copies; the system's temporary folder by default. */
  readonly scratchRoot?: string;
  /** Hash of the environment that enters `execution_id`; by default that of operating system and architecture. */
  readonly environment?: Sha;
}

/** An `Executor` on this host. */
export interface Sandbox extends Executor {
  readonly backend: BackendName;
  /** What a real run under each backend tried showed, strongest first. */
  readonly probes: readonly BackendProbe[];
  /** One sentence, with the remedy, for each stronger backend that this host refused. */
  readonly downgrades: readonly string[];
  /** Ends what runs, waits for it, and removes the private folder. May be called again. */
  close(): Promise<void>;
}

/** Probes the backends by real runs, takes the strongest that works, and runs commands under it in private copies of trees. */
export async function createSandbox(policy: IsolationPolicy, options: SandboxOptions): Promise<Sandbox> {
  const concurrency = Math.max(1, Math.floor(options.concurrency ?? 2));
  const scratch = await ownScratch(options.scratchRoot);
  const guard = guardScratch(scratch.path);
  try {
    const control = locateControl();
    const [chosen, limits] = await Promise.all([
      chooseBackend(scratch, options.backend ?? 'auto', concurrency, control),
      probeControl(control),
    ]);
    return assemble(policy, options, { scratch, guard, concurrency, ...chosen, control, limits });
  } catch (error) {
    await Promise.all([scratch.close(), guard.dismiss()]);
    throw error;
  }
}

interface Parts extends Chosen {
  readonly scratch: Scratch;
  readonly guard: Guard;
  readonly concurrency: number;
  readonly control: Control | undefined;
  readonly limits: ControlProbe;
}

function assemble(policy: IsolationPolicy, options: SandboxOptions, parts: Parts): Sandbox {
  const { backend, scratch, concurrency } = parts;
  const probed = { ...parts.limits.properties, ...parts.probe.properties };
  const links = (options.links ?? []).map(planLinks);
  const slots = queueSlots(concurrency);
  const starter = keepReady(backend, parts.control);
  for (let slot = 0; slot < concurrency; slot += 1) starter.prepare(slot);
  const running = new Set<AbortController>();
  const readable = [
    ...policy.filesystem.extra_ro,
    ...(options.readOnlyPaths ?? []),
    ...links.flatMap((plan) => plan.readOnlyPaths),
  ];
  const context = {
    policy,
    backend,
    properties: probed,
    environment: options.environment ?? hashRecord({ arch: arch(), platform: platform() }),
    artifacts: options.artifacts,
    materialiser: createMaterialiser(options.artifacts),
    scratch,
    readOnlyPaths: [...new Set(readable)].filter((path) => existsSync(path)).sort(),
    links,
    slots,
    starter,
    hostEnvironment: process.env,
  };
  const { properties } = writeReceipt(backend.name, probed, policy);
  const enforces = (Object.keys(properties) as IsolationProperty[])
    .filter((name) => properties[name] === 'enforced')
    .sort();
  let closing: Promise<void> | undefined;
  return {
    backend: backend.name,
    probes: parts.probes,
    downgrades: parts.downgrades,
    capabilities: { concurrency, persistent: false, enforces },
    async run(request, runOptions = {}) {
      if (closing !== undefined) throw closed();
      // One controller a run: a signal that lives as long as the sandbox would gather what every run hangs on it.
      const controller = new AbortController();
      const abort = () => controller.abort(runOptions.signal?.reason);
      runOptions.signal?.addEventListener('abort', abort, { once: true });
      if (runOptions.signal?.aborted) abort();
      running.add(controller);
      try {
        return await runRequest(context, request, { ...runOptions, signal: controller.signal });
      } finally {
        running.delete(controller);
        runOptions.signal?.removeEventListener('abort', abort);
      }
    },
    close() {
      closing ??= (async () => {
        for (const controller of running) controller.abort();
        await slots.idle();
        await starter.close();
        backend.close();
        await Promise.all([scratch.close(), parts.guard.dismiss()]);
      })();
      return closing;
    },
  };
}

interface Chosen {
  readonly backend: Backend;
  readonly probe: BackendProbe;
  readonly probes: readonly BackendProbe[];
  readonly downgrades: readonly string[];
}

async function chooseBackend(
  scratch: Scratch,
  wanted: 'auto' | BackendName,
  slots: number,
  control: Control | undefined,
): Promise<Chosen> {
  const probes: BackendProbe[] = [];
  for await (const { backend, probe } of tryBackends(scratch, {
    slots,
    control,
    names: wanted === 'auto' ? BACKENDS : [wanted],
  })) {
    probes.push(probe);
    if (backend !== undefined)
      return { backend, probe, probes, downgrades: probes.slice(0, -1).map(describeDowngrade) };
  }
  const last = probes.at(-1);
  throw backendUnavailable(wanted, last?.reason ?? 'it is unknown', last?.remedy ?? 'name one of: bubblewrap, plain');
}

const BACKENDS: readonly BackendName[] = ['bubblewrap', 'plain'];

interface Trial {
  readonly slots: number;
  readonly control: Control | undefined;
  readonly names?: readonly BackendName[];
}

/** Probes backends in order. A backend that is handed out is the caller's to close; one that does not work is closed here. */
export async function* tryBackends(scratch: Scratch, { slots, control, names = BACKENDS }: Trial) {
  const tools = findTools(process.env.PATH ?? '');
  for (const name of names) {
    const located =
      name === 'plain' ? locatePlain(tools) : await locateBubblewrap(tools, { folder: scratch.keep, slots });
    if ('missing' in located) {
      yield { backend: undefined, probe: unusable(name, located.missing, located.remedy) };
      continue;
    }
    const probe = await probeBackend(located.backend, scratch, control);
    if (!probe.usable) located.backend.close();
    yield { backend: probe.usable ? located.backend : undefined, probe };
  }
}

function describeDowngrade({ backend, reason, remedy }: BackendProbe): string {
  return `${backend} is not usable: ${reason}. Runs are ordinary processes of this user: files, network and memory are not confined. Remedy: ${remedy}`;
}
