import { randomBytes } from 'node:crypto';
import {
  type ArtifactStore,
  EndedBy,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  getTree,
  hashRecord,
  type ObserveOptions,
  type Sha,
} from '@h/contracts';
import { checkEnvironment, checkRequest, executionId, type RunIdentity, withoutRun } from '../check-request.ts';
import { badRequest, closed, foreignExecutor } from '../errors.ts';
import { buildEnvironment, unmetRequirements } from '../judge-policy.ts';
import { type ChunkCapture, captureChunks } from '../processes/capture-stream.ts';
import { queueSlots, type SlotQueue } from '../processes/queue-slots.ts';
import { withController } from '../processes/with-controller.ts';
import { collectionLimits } from '../workspace/collect-files.ts';
import { type Answer, awaitForeign } from './await-foreign.ts';
import type {
  ForeignCommand,
  ForeignExit,
  ForeignFile,
  ForeignSteps,
  ForeignSystem,
  ForeignWhole,
} from './foreign-system.ts';
import { makeReceipt, mergeReceipt } from './make-receipt.ts';
import { storeFiles } from './store-files.ts';

export interface ExecutorOptions {
  /** Where trees are read from and collected files go. */
  readonly artifacts: ArtifactStore;
  /** Hash of the environment that enters `execution_id`; by default that of the system's name. */
  readonly environment?: Sha;
  /** Longest that `put`, `get` and `drop` may each take, in milliseconds; 120,000 by default. */
  readonly transferMs?: number;
}

/** An `Executor` elsewhere. */
export interface ForeignExecutor extends Executor {
  /** That of the system. */
  readonly name: string;
  /** Cancels what runs and waits until every place has been dropped. May be called again. */
  close(): Promise<void>;
}

/**
 * Makes an executor of a foreign system. Wall limit, stream caps and cancellation are kept on this side whatever the system does; of the
 * other properties a receipt says what the system says, else `unknown`. A system that fails is thrown as `foreign_executor`.
 */
export function createExecutor(system: ForeignSystem, options: ExecutorOptions): ForeignExecutor {
  const { capabilities, name = 'foreign' } = system;
  const concurrency = Math.max(1, Math.floor(capabilities.concurrency));
  const context: Context = {
    system,
    name,
    artifacts: options.artifacts,
    environment: options.environment ?? hashRecord({ executor: name }),
    transferMs: options.transferMs ?? 120_000,
    slots: queueSlots(concurrency),
    nextPlace: namePlaces(),
  };
  const running = new Set<AbortController>();
  let closing = false;
  return {
    name,
    capabilities: { ...capabilities, concurrency },
    run: async (request, runOptions = {}) => {
      if (closing) throw closed();
      return withController(running, runOptions.signal, (signal) =>
        runRequest(context, request, { ...runOptions, signal }),
      );
    },
    close: async () => {
      closing = true;
      for (const controller of running) controller.abort();
      await context.slots.idle();
    },
  };
}

interface Context {
  readonly system: ForeignSystem;
  readonly name: string;
  readonly artifacts: ArtifactStore;
  readonly environment: Sha;
  readonly transferMs: number;
  readonly slots: SlotQueue;
  readonly nextPlace: () => string;
}

function namePlaces(): () => string {
  const own = randomBytes(4).toString('hex');
  let serial = 0;
  return () => {
    serial += 1;
    return `h-${own}-${serial}`;
  };
}

type Observed = ObserveOptions & { readonly signal: AbortSignal };

async function runRequest(context: Context, request: ExecutionRequest, options: Observed): Promise<ExecutionResult> {
  const cwd = checkRequest(request);
  const env = buildEnvironment(request.policy, process.env);
  checkEnvironment(env);
  const identity: RunIdentity = {
    execution_id: executionId(context.environment, request),
    artifact_version: request.artifact_version,
    receipt: makeReceipt(context.name, context.system.capabilities, request.policy),
  };
  if (unmetRequirements(request.policy, identity.receipt).length > 0) return withoutRun(identity, 'policy_unmet');
  const { system } = context;
  const slot = await context.slots.take(options.signal);
  if (slot === undefined) return withoutRun(identity, 'cancelled');
  const run: Run = { context, request, cwd, env, place: context.nextPlace(), options };
  try {
    const files = await loadFiles(run);
    if (files === undefined) return withoutRun(identity, 'cancelled');
    return await ('run' in system ? runWhole(system, run, files, identity) : runSteps(system, run, files, identity));
  } finally {
    const dropped = run.began ? drop(run) : Promise.resolve();
    context.slots.track(dropped.finally(() => context.slots.release(slot)));
  }
}

interface Run {
  readonly context: Context;
  readonly request: ExecutionRequest;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly place: string;
  readonly options: Observed;
  /** Whether the system was asked to make the place. */
  began?: true;
}

/** Undefined: cancelled meanwhile. */
async function loadFiles({ context, request, cwd, options: { signal } }: Run): Promise<ForeignFile[] | undefined> {
  const load = async () => {
    const entries = await getTree(request.tree, context.artifacts, { signal });
    if (cwd !== '' && !entries.some(({ path }) => path.startsWith(`${cwd}/`)))
      throw badRequest(`cwd "${cwd}" is not a folder of the tree`, 'give a folder that holds a file of the tree');
    return Promise.all(
      entries.map(async ({ path, mode, sha }) => ({
        path,
        mode,
        bytes: await context.artifacts.get(sha, { signal }),
      })),
    );
  };
  const answer = await awaitForeign(load, { timeoutMs: Number.POSITIVE_INFINITY, signal });
  if (answer.status === 'failed') throw answer.cause;
  return answer.status === 'answered' ? answer.value : undefined;
}

async function runSteps(
  system: ForeignSteps,
  run: Run,
  files: ForeignFile[],
  identity: RunIdentity,
): Promise<ExecutionResult> {
  const { context, request, place, options } = run;
  const { policy } = request;
  const limits = { timeoutMs: context.transferMs, signal: options.signal };
  run.began = true;
  const put = await awaitForeign((signal) => system.put(files, { place, policy, signal }), limits);
  if (put.status === 'cancelled') return withoutRun(identity, 'cancelled');
  required(context, 'put', put);

  const ended = await execute(run, 'exec', policy.wall_ms, (command) => system.exec(command));
  const { exit, ...facts } = ended;
  const receipt = mergeReceipt(identity.receipt, exit);
  if (facts.ended_by === 'cancelled') return { ...identity, ...facts, receipt, files: [] };
  const collected = await collect(system, run);
  if (collected === undefined) return { ...identity, ...facts, receipt, ended_by: 'cancelled', files: [] };
  return { ...identity, ...facts, receipt, files: collected };
}

async function runWhole(
  system: ForeignWhole,
  run: Run,
  files: ForeignFile[],
  identity: RunIdentity,
): Promise<ExecutionResult> {
  const { context, request, options } = run;
  run.began = true;
  const timeoutMs = request.policy.wall_ms + context.transferMs;
  const ended = await execute(run, 'run', timeoutMs, (command) =>
    system.run({ ...command, files, collect: request.collect }),
  );
  const { exit, ...facts } = ended;
  const receipt = mergeReceipt(identity.receipt, exit);
  const got = facts.ended_by === 'cancelled' || request.collect.length === 0 ? [] : (exit.files ?? []);
  return { ...identity, ...facts, receipt, files: await store(context, request, got, options) };
}

type Ended<T> = Pick<ExecutionResult, 'ended_by' | 'wall_ms' | 'stdout' | 'stderr'> & {
  readonly exit: Partial<T> & ForeignExit;
};

/** Runs the command over there by one call, which is cut at `timeoutMs` and on cancellation. */
async function execute<T extends ForeignExit>(
  run: Run,
  step: string,
  timeoutMs: number,
  call: (command: ForeignCommand) => Promise<T>,
): Promise<Ended<T>> {
  const { context, request, cwd, env, place, options } = run;
  const { argv, policy, stdin } = request;
  const command = { place, policy, argv, cwd, env, wallMs: policy.wall_ms, ...(stdin !== undefined && { stdin }) };
  const [stdout, stderr] = [captureChunks(policy.stream_bytes), captureChunks(policy.stream_bytes)];
  const take = (capture: ChunkCapture) => (chunk: Uint8Array | string) => capture.add(toBytes(chunk));
  const begin = performance.now();
  const exec = (signal: AbortSignal) => call({ ...command, signal, onStdout: take(stdout), onStderr: take(stderr) });
  const answer = await awaitForeign(exec, { timeoutMs, signal: options.signal });
  const wall_ms = performance.now() - begin;
  const said: ForeignExit | undefined = 'value' in answer ? answer.value : undefined;
  if (said?.stdout !== undefined) stdout.add(toBytes(said.stdout));
  if (said?.stderr !== undefined) stderr.add(toBytes(said.stderr));
  const facts = { wall_ms, stdout: stdout.read(), stderr: stderr.read() };
  if (answer.status === 'late') return { ...facts, ended_by: 'wall_limit', exit: {} };
  if (answer.status === 'cancelled') return { ...facts, ended_by: 'cancelled', exit: {} };
  const exit = required(context, step, answer);
  const ended_by = endOf(context, exit);
  return { ...describeExit(exit), ...facts, ended_by, exit };
}

function toBytes(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

/** Undefined: cancelled meanwhile. */
async function collect(system: ForeignSteps, { context, request, place, options }: Run) {
  const { collect: globs } = request;
  if (globs.length === 0) return [];
  const limits = { timeoutMs: context.transferMs, signal: options.signal };
  const got = await awaitForeign((signal) => system.get(globs, { place, signal }), limits);
  if (got.status === 'cancelled') return undefined;
  return store(context, request, required(context, 'get', got), options);
}

function store(
  { name, artifacts }: Context,
  { collect: globs }: ExecutionRequest,
  files: readonly ForeignFile[],
  options: Observed,
) {
  if (!Array.isArray(files) || files.some((file) => !(file?.bytes instanceof Uint8Array)))
    throw foreignExecutor(name, 'get answered with something other than files', { answered: true });
  return storeFiles(files, globs, artifacts, collectionLimits(options.onEvent));
}

/** The answer, or what is thrown instead of it. */
function required<T>({ name, transferMs }: Context, step: string, answer: Answer<T>): T {
  if (answer.status === 'answered') return answer.value;
  if (answer.status !== 'failed') throw foreignExecutor(name, `${step} did not answer within ${transferMs} ms`);
  const { cause } = answer;
  throw foreignExecutor(name, `${step} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

function endOf({ name }: Context, exit: ForeignExit | undefined): EndedBy {
  if (exit?.endedBy !== undefined && EndedBy.safeParse(exit.endedBy).success) return exit.endedBy;
  if (typeof exit?.signal === 'string') return 'signal';
  if (Number.isInteger(exit?.exitCode)) return 'exit';
  const what = `exec answered ${JSON.stringify(exit)}, without exitCode, signal or a known endedBy`;
  throw foreignExecutor(name, what, { answered: true });
}

function describeExit({ exitCode, signal, cpuMs, peakMemoryBytes }: ForeignExit): Partial<ExecutionResult> {
  return {
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(signal !== undefined && { signal }),
    ...(cpuMs !== undefined && { cpu_ms: cpuMs }),
    ...(peakMemoryBytes !== undefined && { peak_memory_bytes: peakMemoryBytes }),
  };
}

async function drop({ context, place, options }: Run): Promise<void> {
  const { system, transferMs } = context;
  if (system.drop === undefined) return;
  // Not cancelled with the run: that is when it is needed most.
  const limits = { timeoutMs: transferMs, signal: undefined };
  const answer = await awaitForeign(async (signal) => system.drop?.({ place, signal }), limits);
  if (answer.status === 'answered') return;
  const why = answer.status === 'failed' ? String(answer.cause) : `no answer within ${transferMs} ms`;
  options.onEvent?.({ kind: 'place_left', message: `${place} may be left on "${context.name}": ${why}` });
}
