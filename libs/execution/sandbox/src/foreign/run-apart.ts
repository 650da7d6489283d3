import type { CollectedFile, ExecutionResult } from '@h/contracts';
import { type RunIdentity, withoutRun } from '../check-request.ts';
import { awaitForeign } from './await-foreign.ts';
import { drop, execute, loadFiles, type Run, required, store } from './foreign-run.ts';
import type { ForeignSteps, ForeignWhole } from './foreign-system.ts';
import { mergeReceipt } from './make-receipt.ts';
import { readField } from './read-answer.ts';

/** A run in a place of its own, step by step. */
export async function runSteps(system: ForeignSteps, run: Run, identity: RunIdentity): Promise<ExecutionResult> {
  return inOwnPlace(run, identity, async (place, files) => {
    const { context, request, options } = run;
    const { policy } = request;
    const limits = { timeoutMs: context.transferMs, signal: options.signal };
    const put = await awaitForeign((signal) => system.put(files, { place, policy, signal }), limits);
    if (put.status === 'cancelled') return withoutRun(identity, 'cancelled');
    required(context, 'put', put);

    const words = { place, timeoutMs: policy.wall_ms };
    const ended = await execute(run, 'exec', words, (command) => system.exec(command));
    const { exit, raw: _, ...facts } = ended;
    const receipt = mergeReceipt(identity.receipt, exit);
    if (facts.ended_by === 'cancelled') return { ...identity, ...facts, receipt, files: [] };
    const collected = await collect(system, run, place);
    if (collected === undefined) return { ...identity, ...facts, receipt, ended_by: 'cancelled', files: [] };
    return { ...identity, ...facts, receipt, files: collected };
  });
}

/** A run by one call. */
export async function runWhole(system: ForeignWhole, run: Run, identity: RunIdentity): Promise<ExecutionResult> {
  return inOwnPlace(run, identity, async (place, files) => {
    const { context, request } = run;
    const words = { place, timeoutMs: request.policy.wall_ms + context.transferMs };
    const ended = await execute(run, 'run', words, (command) =>
      system.run({ ...command, files, collect: request.collect }),
    );
    const { exit, raw, ...facts } = ended;
    const receipt = mergeReceipt(identity.receipt, exit);
    const wanted = facts.ended_by !== 'cancelled' && request.collect.length > 0 && raw !== undefined;
    const got = wanted ? readField(context.name, 'run', raw, 'files') : undefined;
    return { ...identity, ...facts, receipt, files: await store(run, 'run', got ?? []) };
  });
}

type Files = NonNullable<Awaited<ReturnType<typeof loadFiles>>>;

async function inOwnPlace(
  run: Run,
  identity: RunIdentity,
  work: (place: string, files: Files) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const { context, options } = run;
  const files = await loadFiles(run, run.entries);
  if (files === undefined) return withoutRun(identity, 'cancelled');
  const place = context.nextPlace();
  try {
    return await work(place, files);
  } finally {
    run.dropping.push(drop(context, place, options.onEvent));
  }
}

/** Undefined: cancelled meanwhile. */
async function collect(system: ForeignSteps, run: Run, place: string): Promise<CollectedFile[] | undefined> {
  const { context, request, options } = run;
  const { collect: globs } = request;
  if (globs.length === 0) return [];
  const limits = { timeoutMs: context.transferMs, signal: options.signal };
  const got = await awaitForeign((signal) => system.get(globs, { place, signal }), limits);
  if (got.status === 'cancelled') return undefined;
  return store(run, 'get', required(context, 'get', got));
}
