import { realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
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
import type { Backend } from './backends/backend.ts';
import { checkEnvironment, checkRequest, executionId, type RunIdentity, withoutRun } from './check-request.ts';
import type { RunGroup } from './controls/control.ts';
import { badRequest } from './errors.ts';
import { buildEnvironment, effectivePolicy, unmetRequirements, writeReceipt } from './judge-policy.ts';
import type { Starter } from './processes/keep-ready.ts';
import type { SlotQueue } from './processes/queue-slots.ts';
import { type Ended, superviseProcess } from './processes/supervise-process.ts';
import { collectFiles, collectionLimits } from './workspace/collect-files.ts';
import type { RunFolders, Scratch } from './workspace/own-scratch.ts';
import { isInside, type LinkPlan } from './workspace/plan-links.ts';
import type { Materialiser } from './workspace/prepare-workspace.ts';

/** Everything of a sandbox that one run needs. */
export interface RunContext {
  readonly policy: IsolationPolicy;
  readonly backend: Backend;
  readonly properties: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
  readonly environment: Sha;
  readonly artifacts: ArtifactStore;
  readonly materialiser: Materialiser;
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
  request: ExecutionRequest,
  options: ObserveOptions,
): Promise<ExecutionResult> {
  const cwd = checkRequest(request);
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

/** Removes what the run had and frees its place. Not in the way of the result, which settles first. */
async function cleanUp({ scratch, slots, starter }: RunContext, slot: number, run: Run | undefined): Promise<void> {
  try {
    await new Promise((resolve) => setImmediate(resolve));
    starter.prepare(slot);
    await run?.written;
    await Promise.all([run && scratch.remove(run.folders), run?.group?.remove()]);
  } finally {
    slots.release(slot);
  }
}

interface Run {
  readonly request: ExecutionRequest;
  readonly policy: IsolationPolicy;
  readonly folders: RunFolders;
  readonly slot: number;
  readonly cwd: string;
  /** Settles, without failing, when nothing is written to the folders any more. */
  written?: Promise<unknown>;
  group?: RunGroup;
}

/** Undefined: cancelled before anything was started. */
async function runInFolders(context: RunContext, run: Run, { signal }: ObserveOptions): Promise<Ended | undefined> {
  const { backend, materialiser, links } = context;
  const { request, policy, folders, slot, cwd } = run;
  backend.adopt(folders, slot);
  const owner = backend.owner(slot);
  const writing = materialiser.materialise(request.tree, folders.workspace, {
    owner,
    links,
    ...(signal && { signal }),
  });
  run.written = writing.catch(() => undefined);
  // A store that does not heed the signal must not hold up a cancellation.
  await Promise.race([writing, aborted(signal)]).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
  if (signal?.aborted) return undefined;
  checkFolder(folders.workspace, cwd);
  const inside = backend.inside(folders);
  const environment = buildEnvironment(policy, context.hostEnvironment, inside);
  checkEnvironment(environment);
  const plan = { argv: request.argv, cwd, environment, folders, policy, readOnlyPaths: context.readOnlyPaths, slot };
  const ready = await context.starter.take(plan);
  if (ready.group !== undefined) run.group = ready.group;
  return superviseProcess(backend, plan, ready, {
    ...(request.stdin !== undefined && { stdin: request.stdin }),
    ...(signal && { signal }),
  });
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
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
  const path = posix.join(workspace, cwd);
  const there =
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    isInside(realpathSync(path), realpathSync(workspace));
  if (!there)
    throw badRequest(`cwd "${cwd}" is not a folder of the tree`, 'give a folder that holds a file of the tree');
}
