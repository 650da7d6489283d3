import { randomBytes } from 'node:crypto';
import {
  type ArtifactStore,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  getTree,
  hashRecord,
  type Sha,
  type TreeEntry,
} from '@h/contracts';
import { checkEnvironment, checkRequest, executionId, type RunIdentity, withoutRun } from '../check-request.ts';
import { badRequest, closed } from '../errors.ts';
import { buildEnvironment, unmetRequirements } from '../judge-policy.ts';
import { queueSlots } from '../processes/queue-slots.ts';
import { withController } from '../processes/with-controller.ts';
import { awaitForeign } from './await-foreign.ts';
import { checkSystem } from './check-system.ts';
import { type Context, drop, type Observed, type Run } from './foreign-run.ts';
import type { ForeignSystem } from './foreign-system.ts';
import { holdsForPlaces, keepPlaces } from './keep-places.ts';
import { makeReceipt } from './make-receipt.ts';
import { runSteps, runWhole } from './run-apart.ts';
import { runInPlace } from './run-in-place.ts';

export interface ExecutorOptions {
  /** Where trees are read from and collected files go. */
  readonly artifacts: ArtifactStore;
  /** Hash of the environment that enters `execution_id`; by default that of the system's name. */
  readonly environment?: Sha;
  /** Longest that `put`, `get`, `drop` and the making of a run's folder may each take, in milliseconds; 120,000 by default. */
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
 * other properties a receipt says what the system says, else `unknown`. A system that fails is thrown as `foreign_executor`; one that is
 * not whole, or claims what there is not, at once as `bad_request`.
 */
export function createExecutor(system: ForeignSystem, options: ExecutorOptions): ForeignExecutor {
  checkSystem(system, options.transferMs);
  const { capabilities, name = 'foreign' } = system;
  const { concurrency } = capabilities;
  const context: Context = {
    system,
    name,
    artifacts: options.artifacts,
    environment: options.environment ?? hashRecord({ executor: name }),
    transferMs: options.transferMs ?? 120_000,
    slots: queueSlots(concurrency),
    nextPlace: namePlaces(),
    places: reusesPlaces(system) ? keepPlaces(concurrency) : undefined,
  };
  const running = new Set<AbortController>();
  let closing = false;
  return {
    name,
    capabilities: { ...capabilities },
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
      const left = context.places?.empty() ?? [];
      await Promise.all(left.map(({ name: place }) => drop(context, place, undefined)));
    },
  };
}

function reusesPlaces(system: ForeignSystem): boolean {
  if ('run' in system) return false;
  return system.reusePlaces ?? !holdsForPlaces(system.capabilities.enforces);
}

function namePlaces(): () => string {
  const own = randomBytes(4).toString('hex');
  let serial = 0;
  return () => {
    serial += 1;
    return `h-${own}-${serial}`;
  };
}

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
  const slot = await context.slots.take(options.signal);
  if (slot === undefined) return withoutRun(identity, 'cancelled');
  const dropping: Promise<void>[] = [];
  try {
    const entries = await loadEntries(context, request, cwd, options.signal);
    if (entries === undefined) return withoutRun(identity, 'cancelled');
    return await runThere({ context, request, cwd, env, entries, options, dropping }, identity);
  } finally {
    // Where nothing is dropped the next run need not wait for a turn of the event loop.
    context.slots.track(Promise.all(dropping).finally(() => context.slots.release(slot)));
  }
}

async function runThere(run: Run, identity: RunIdentity): Promise<ExecutionResult> {
  const { system, places } = run.context;
  if ('run' in system) return runWhole(system, run, identity);
  const result = places && (await runInPlace(system, run, identity));
  return result ?? runSteps(system, run, identity);
}

/** Undefined: cancelled meanwhile. */
async function loadEntries(
  { artifacts }: Context,
  { tree }: ExecutionRequest,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly TreeEntry[] | undefined> {
  const load = () => getTree(tree, artifacts, { signal });
  const answer = await awaitForeign(load, { timeoutMs: Number.POSITIVE_INFINITY, signal });
  if (answer.status === 'failed') throw answer.cause;
  if (answer.status !== 'answered') return undefined;
  if (cwd !== '' && !answer.value.some(({ path }) => path.startsWith(`${cwd}/`)))
    throw badRequest(`cwd "${cwd}" is not a folder of the tree`, 'give a folder that holds a file of the tree');
  return answer.value;
}
