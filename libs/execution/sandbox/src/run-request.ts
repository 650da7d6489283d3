import { realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ArtifactStore,
  type CollectedFile,
  type EndedBy,
  type ExecutionRequest,
  type ExecutionResult,
  hashRecord,
  type IsolationPolicy,
  type IsolationProperty,
  type ObserveOptions,
  type PropertyState,
  type Receipt,
  type Sha,
} from '@h/contracts';
import type { Backend } from './backends/backend.ts';
import type { RunGroup } from './controls/control.ts';
import { badRequest } from './errors.ts';
import { buildEnvironment, effectivePolicy, unmetRequirements, writeReceipt } from './judge-policy.ts';
import { EMPTY_STREAM } from './processes/capture-stream.ts';
import type { Starter } from './processes/keep-ready.ts';
import type { SlotQueue } from './processes/queue-slots.ts';
import { type Ended, superviseProcess } from './processes/supervise-process.ts';
import { collectFiles } from './workspace/collect-files.ts';
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

const MAX_COLLECTED_FILE_BYTES = 64 * 1024 * 1024;
const MAX_COLLECTED_BYTES = 256 * 1024 * 1024;
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
    maxFileBytes: MAX_COLLECTED_FILE_BYTES,
    maxTotalBytes: MAX_COLLECTED_BYTES,
    onLeftOut: (path, why) => onEvent?.({ kind: 'file_left_out', message: `${path} was not collected: ${why}` }),
  });
}

function executionId(environment: Sha, request: ExecutionRequest): Sha {
  return hashRecord({ artifact_version: request.artifact_version, environment, ordinal: request.ordinal, request });
}

function withoutRun(
  base: { execution_id: Sha; artifact_version: Sha; receipt: Receipt },
  endedBy: EndedBy,
): ExecutionResult {
  return { ...base, ended_by: endedBy, stdout: EMPTY_STREAM, stderr: EMPTY_STREAM, files: [] };
}

function toResult(
  base: { execution_id: Sha; artifact_version: Sha; receipt: Receipt },
  ended: Ended,
  files: CollectedFile[],
): ExecutionResult {
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

/** What the kernel cannot pass on, and what would read as another argument on its way. */
function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (/^[^=\0]+$/.test(name) && !value.includes('\0')) continue;
    throw badRequest(
      `the variable ${JSON.stringify(name)} cannot be set`,
      'names hold neither "=" nor NUL and are not empty; values hold no NUL',
    );
  }
}

/** The working folder, normalized. */
function checkRequest(request: ExecutionRequest): string {
  const cwd = posix.normalize(request.cwd === '' ? '.' : request.cwd).replace(/\/$/, '');
  if (cwd.includes('\0') || cwd.startsWith('/') || cwd === '..' || cwd.startsWith('../'))
    throw badRequest(`cwd "${request.cwd}" is outside the tree`, 'give cwd relative to the root of the tree');
  if ((request.argv[0] ?? '') === '') throw badRequest('argv is empty', 'name the program as argv[0]');
  if (request.argv.some((argument) => argument.includes('\0')))
    throw badRequest('an argument holds a NUL byte', 'pass such data as stdin or as a file of the tree');
  return cwd === '.' ? '' : cwd;
}

function checkFolder(workspace: string, cwd: string): void {
  const path = posix.join(workspace, cwd);
  const there =
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
    isInside(realpathSync(path), realpathSync(workspace));
  if (!there)
    throw badRequest(`cwd "${cwd}" is not a folder of the tree`, 'give a folder that holds a file of the tree');
}
