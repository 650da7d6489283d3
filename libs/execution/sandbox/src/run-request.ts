import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ArtifactStore,
  CollectedFile,
  ExecutionRequest,
  ExecutionResult,
  IsolationPolicy,
  IsolationProperty,
  ObserveOptions,
  PropertyState,
  Sha,
} from '@h/contracts';
import type { Backend, LaunchPlan } from './backends/backend.ts';
import { checkPolicy } from './check-options.ts';
import {
  checkEnvironment,
  checkRequest,
  checkSize,
  executionId,
  type RunIdentity,
  withoutRun,
} from './check-request.ts';
import type { RunGroup } from './controls/control.ts';
import type { Bases } from './disk/keep-bases.ts';
import { type OpenDisk, openDisk } from './disk/open-disk.ts';
import { planDisk } from './disk/plan-disk.ts';
import { badRequest } from './errors.ts';
import { buildEnvironment, effectivePolicy, unmetRequirements, writeReceipt } from './judge-policy.ts';
import type { Starter } from './processes/keep-ready.ts';
import type { SlotQueue } from './processes/queue-slots.ts';
import { type Ended, type Ready, superviseProcess } from './processes/supervise-process.ts';
import { collectFiles, collectionLimits } from './workspace/collect-files.ts';
import { isFolderInside } from './workspace/is-folder-inside.ts';
import type { RunFolders, Scratch } from './workspace/own-scratch.ts';
import type { LinkPlan } from './workspace/plan-links.ts';
import type { Materialiser } from './workspace/prepare-workspace.ts';

/** Everything of a sandbox that one run needs. */
export interface RunContext {
  readonly policy: IsolationPolicy;
  readonly backend: Backend;
  readonly properties: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
  readonly environment: Sha;
  readonly artifacts: ArtifactStore;
  readonly materialiser: Materialiser;
  readonly bases: Bases;
  readonly scratch: Scratch;
  readonly readOnlyPaths: readonly string[];
  readonly links: readonly LinkPlan[];
  readonly slots: SlotQueue;
  readonly starter: Starter;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
}

const CANCEL_CLEANUP_MS = 50;

/** Runs one request: queue, private copy, process, collection, removal. Rejects only for misuse or a broken host. */
export async function runRequest(
  context: RunContext,
  given: ExecutionRequest,
  options: ObserveOptions,
): Promise<ExecutionResult> {
  const cwd = checkRequest(given);
  checkPolicy(given.policy, 'request cannot be run');
  const request = copyRequest(given);
  const policy = effectivePolicy(context.policy, request.policy);
  const receipt = writeReceipt(context.backend.name, context.properties, policy);
  const base = {
    execution_id: executionId(context.environment, request),
    artifact_version: request.artifact_version,
    receipt,
  };
  if (unmetRequirements(policy, receipt).length > 0) return withoutRun(base, 'policy_unmet');

  const slot = await context.slots.take(options.signal);
  if (slot === undefined) return withoutRun(base, 'cancelled');
  let run: Run | undefined;
  try {
    run = { request, policy, slot, cwd, folders: context.scratch.open() };
    const ended = await runInFolders(context, run, options);
    if (ended === undefined) return withoutRun(base, 'cancelled');
    const files = ended.endedBy === 'cancelled' ? [] : await collect(context, run, options);
    return toResult(base, ended, files);
  } finally {
    const cleaned = cleanUp(context, slot, run);
    context.slots.track(cleaned);
    if (options.signal?.aborted) await Promise.race([cleaned, sleep(CANCEL_CLEANUP_MS)]);
  }
}

/** What is run is what was asked for when it was, whatever the caller makes of the request while it waits. */
function copyRequest(request: ExecutionRequest): ExecutionRequest {
  const { argv, collect, policy } = request;
  return { ...request, argv: [...argv], collect: [...collect], policy: structuredClone(policy) };
}

/** Removes what the run had and frees its place. Not in the way of the result, which settles first. */
async function cleanUp({ scratch, slots, starter }: RunContext, slot: number, run: Run | undefined): Promise<void> {
  try {
    await new Promise((resolve) => setImmediate(resolve));
    starter.prepare(slot);
    await run?.written;
    run?.disk?.close();
    run?.release?.();
    await Promise.all([run && scratch.remove(run.folders), run?.group?.remove()]);
  } finally {
    slots.release(slot);
  }
}

interface Run {
  readonly request: ExecutionRequest;
  readonly policy: IsolationPolicy;
  folders: RunFolders;
  readonly slot: number;
  readonly cwd: string;
  /** Settles, without failing, when nothing is written to the folders any more. */
  written?: Promise<unknown>;
  group?: RunGroup;
  disk?: OpenDisk;
  /** Lets what the disk is made of go. */
  release?: () => void;
}

/** Undefined: cancelled before anything was started. */
async function runInFolders(context: RunContext, run: Run, options: ObserveOptions): Promise<Ended | undefined> {
  const { backend } = context;
  const { request, policy, folders, slot, cwd } = run;
  const environment = buildEnvironment(policy, context.hostEnvironment, backend.inside(folders));
  checkEnvironment(environment);
  checkSize(request.argv, environment);
  const plan = { argv: request.argv, cwd, environment, folders, policy, readOnlyPaths: context.readOnlyPaths, slot };
  const placed =
    backend.disks === undefined
      ? await copyTree(context, run, plan, options)
      : await makeDisk(context, run, plan, options);
  if (placed === undefined) return undefined;
  if (placed.ready.group !== undefined) run.group = placed.ready.group;
  return superviseProcess(backend, placed.plan, placed.ready, {
    ...(request.stdin !== undefined && { stdin: request.stdin }),
    ...(options.signal && { signal: options.signal }),
    ...(run.disk && { diskRoom: run.disk.room }),
  });
}

interface Placed {
  readonly plan: LaunchPlan;
  readonly ready: Ready;
}

/** A copy of the whole tree in ordinary folders. */
async function copyTree(
  context: RunContext,
  run: Run,
  plan: LaunchPlan,
  { signal }: ObserveOptions,
): Promise<Placed | undefined> {
  const { backend, materialiser, links } = context;
  const { request, folders, slot, cwd } = run;
  backend.adopt(folders, slot);
  const options = { owner: backend.owner(slot), links, ...(signal && { signal }) };
  const writing = materialiser.materialise(request.tree, folders.workspace, options);
  if ((await unlessAborted(run, writing.then(done), signal)) === undefined) return undefined;
  checkFolder(folders.workspace, cwd);
  return { plan, ready: await context.starter.take(plan) };
}

/** A prepared tree below a disk of the run's own, on which what differs is written. */
async function makeDisk(
  context: RunContext,
  run: Run,
  plan: LaunchPlan,
  { signal }: ObserveOptions,
): Promise<Placed | undefined> {
  const { backend, bases, materialiser, starter } = context;
  const { disks } = backend;
  if (disks === undefined) return undefined;
  const { request, policy, slot, cwd } = run;
  const owner = backend.owner(slot);
  const preparing = bases.prepare(request.tree, owner, signal);
  // Also when the run was cancelled meanwhile.
  const releasing = preparing.then(({ release }) => {
    run.release = release;
  });
  run.written = releasing.catch(() => undefined);
  const prepared = await unlessAborted(run, preparing, signal);
  const folder = prepared && (await unlessAborted(run, prepared.folder, signal));
  if (prepared === undefined || folder === undefined) return undefined;

  const full = { ...plan, disk: planDisk(disks.offer(slot, folder), policy) };
  const taking = starter.take(full);
  const ready = await unlessAborted(run, taking, signal);
  if (ready === undefined) return leave(run, taking.then(starter.discard));
  try {
    const disk = openDisk(disks.places(ready.started.pid ?? 0, slot), owner);
    run.disk = disk;
    run.folders = { ...run.folders, workspace: disk.workspace };
    const options = { owner, ...(signal && { signal }) };
    const writing = materialiser.change(prepared.base, prepared.changes, disk.workspace, options);
    if ((await unlessAborted(run, writing.then(done), signal)) !== undefined) {
      checkFolder(disk.workspace, cwd);
      return { plan: full, ready };
    }
  } catch (error) {
    await starter.discard(ready);
    throw error;
  }
  return leave(run, starter.discard(ready));
}

/** A run that is given up before its start; what is still to be undone does not hold it up. */
function leave(run: Run, undoing: Promise<unknown>): undefined {
  run.written = Promise.all([run.written, undoing.catch(() => undefined)]);
}

const done = () => true as const;

/** Undefined: cancelled meanwhile. A store that does not heed the signal must not hold up a cancellation. */
async function unlessAborted<T extends object | string | true>(
  run: Run,
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const before = run.written;
  run.written = Promise.all([before, work.catch(() => undefined)]);
  const value = await Promise.race([work, aborted(signal)]).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
  return signal?.aborted ? undefined : value || undefined;
}

function aborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(undefined), { once: true }));
}

function collect(
  context: RunContext,
  { request, folders }: Run,
  { onEvent }: ObserveOptions,
): Promise<CollectedFile[]> {
  if (request.collect.length === 0) return Promise.resolve([]);
  return collectFiles(folders.workspace, request.collect, context.artifacts, {
    skip: context.links.flatMap((plan) => plan.folders.slice(0, 1)),
    ...collectionLimits(onEvent),
  });
}

function toResult(base: RunIdentity, ended: Ended, files: CollectedFile[]): ExecutionResult {
  const { receipt, ...identity } = base;
  return {
    ...identity,
    ...(ended.exitCode !== undefined && { exit_code: ended.exitCode }),
    ...(ended.signal !== undefined && { signal: ended.signal }),
    ended_by: ended.endedBy,
    wall_ms: ended.wallMs,
    ...(ended.usage !== undefined && { cpu_ms: ended.usage.cpuMs, peak_memory_bytes: ended.usage.peakMemoryBytes }),
    stdout: ended.stdout,
    stderr: ended.stderr,
    files,
    receipt: ended.gone ? receipt : { ...receipt, properties: { ...receipt.properties, no_survivors: 'unmet' } },
  };
}

function checkFolder(workspace: string, cwd: string): void {
  if (!isFolderInside(workspace, cwd))
    throw badRequest(`cwd "${cwd}" is not a folder of the tree`, 'give a folder that holds a file of the tree');
}
