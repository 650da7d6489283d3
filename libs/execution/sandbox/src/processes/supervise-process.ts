import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedBy, Stream } from '@h/contracts';
import type { Backend, LaunchPlan, ProcessTree } from '../backends/backend.ts';
import type { RunGroup, Usage } from '../controls/control.ts';
import { launchFailed } from '../errors.ts';
import { captureStream } from './capture-stream.ts';
import { drainStreams } from './drain-streams.ts';
import type { Started } from './start-process.ts';

/** How a started command ended; measured times are in milliseconds. */
export interface Ended {
  readonly endedBy: EndedBy;
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly wallMs: number;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Absent where nothing accounts for it. */
  readonly usage?: Usage;
  /** Whether nothing of the run's processes was left when this was made. */
  readonly gone: boolean;
}

/** A process at its gate, and the group it is in, if the host has groups. */
export interface Ready {
  readonly started: Started;
  readonly group?: RunGroup;
}

export interface SuperviseOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Whether the run's disk has no room left; absent: it has none of its own. */
  readonly diskFull?: () => boolean;
}

/** Longest wait for the kernel to end a killed tree: some ms, more where the machine is overloaded. Then the receipt says what is left. */
const GRACE_MS = 2000;
const DRAIN = { leastMs: 40, mostMs: GRACE_MS };
const WATCH_MS = 50;
const LIMIT_SIGNALS: Partial<Record<NodeJS.Signals, EndedBy>> = { SIGXCPU: 'cpu_limit', SIGXFSZ: 'disk_limit' };
/** Output that is no longer a program's but a runaway's: so many times what is kept of it, and not less than this. */
const FLOOD_FACTOR = 4096;
const LEAST_FLOOD_BYTES = 256 * 1024 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Lets the process go, ends it at a limit or on the signal, and settles on that moment, not when its pipes close. */
export async function superviseProcess(
  backend: Backend,
  plan: LaunchPlan,
  ready: Ready,
  options: SuperviseOptions,
): Promise<Ended> {
  const { started, group } = ready;
  const cap = plan.policy.stream_bytes;
  const stdout = captureStream(started.stdout, cap);
  const stderr = captureStream(started.stderr, cap);
  const status = started.pipes.map((pipe) => captureStream(pipe, 0));
  const begin = performance.now();
  if (started.pid === undefined) {
    await started.exit;
    throw launchFailed(backend.name, started.ended.error?.message ?? 'no process', started.ended.error);
  }
  const tree = backend.follow({ pid: started.pid, pipes: started.pipes, told: started.told }, plan, group);
  const flood = Math.max(LEAST_FLOOD_BYTES, FLOOD_FACTOR * cap);
  const watch = watchRun(started, tree, plan, {
    group,
    diskFull: options.diskFull,
    flooded: () => stdout.observed() + stderr.observed() > flood,
  });
  started.letGo(await prepareGate(backend, plan, started, tree), options.stdin);
  const cut = await watch.end(options.signal);
  const wallMs = performance.now() - begin;
  await drainStreams(status, DRAIN);
  const gone = await tree.gone(GRACE_MS);
  await drainStreams([stdout, stderr], DRAIN);
  const streams = { stdout: stdout.read(), stderr: stderr.read() };
  started.drop();
  const usage = group?.usage();
  const full = watch.sawFull() || options.diskFull?.() === true;
  const end = describeEnd(backend, tree, started, { cut, usage, full, stderr: streams.stderr });
  return { ...end, ...streams, wallMs, gone, ...(usage !== undefined && group?.accounts && { usage }) };
}

async function prepareGate(
  backend: Backend,
  plan: LaunchPlan,
  started: Started,
  tree: ProcessTree,
): Promise<Uint8Array> {
  try {
    return backend.release(plan);
  } catch (cause) {
    tree.kill();
    await tree.gone(GRACE_MS);
    started.drop();
    throw launchFailed(backend.name, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

interface Watched {
  readonly group: RunGroup | undefined;
  readonly diskFull: (() => boolean) | undefined;
  readonly flooded: () => boolean;
}

/** Waits for the end by itself, a limit or the signal; kills the tree in the latter cases and says which it was. */
function watchRun(started: Started, tree: ProcessTree, { policy }: LaunchPlan, watched: Watched) {
  const { group, diskFull, flooded } = watched;
  let cut: EndedBy | undefined;
  let full = false;
  let wake = () => {};
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const stop = (why: EndedBy) => {
    if (started.ended.happened || cut !== undefined) return;
    cut = why;
    tree.kill();
    group?.hurry();
    wake();
  };
  const look = () => {
    if (group !== undefined) exceeded(group.usage(), policy.cpu_ms, stop);
    if (flooded()) stop('output_limit');
    full ||= diskFull?.() === true;
  };
  return {
    sawFull: () => full,
    async end(signal: AbortSignal | undefined): Promise<EndedBy | undefined> {
      const abort = () => stop('cancelled');
      // An end that the event loop has not got round to telling us counts: one turn for it.
      const timer = setTimeout(
        () => setImmediate(() => stop('wall_limit')),
        Math.min(policy.wall_ms, LONGEST_TIMER_MS),
      );
      const watcher = setInterval(look, WATCH_MS);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      await Promise.race([started.exit, stopped]);
      clearTimeout(timer);
      clearInterval(watcher);
      signal?.removeEventListener('abort', abort);
      if (cut !== undefined) await Promise.race([started.exit, sleep(GRACE_MS, undefined, { ref: false })]);
      return cut;
    },
  };
}

function exceeded(usage: Usage, cpuMs: number | undefined, stop: (why: EndedBy) => void): void {
  if (usage.memoryHits > 0) stop('memory_limit');
  else if (usage.pidsHits > 0) stop('pids_limit');
  else if (cpuMs !== undefined && usage.cpuMs > cpuMs) stop('cpu_limit');
}

interface Evidence {
  readonly cut: EndedBy | undefined;
  readonly usage: Usage | undefined;
  /** Whether the run's disk was ever seen full. */
  readonly full: boolean;
  readonly stderr: Stream;
}

function describeEnd(
  backend: Backend,
  tree: ProcessTree,
  { ended }: Started,
  { cut, usage, full, stderr }: Evidence,
): Pick<Ended, 'endedBy' | 'exitCode' | 'signal'> {
  if (cut !== undefined) return { endedBy: cut };
  const { setupFailure, ...outcome } = tree.outcome(ended.code, ended.signal);
  // A run that lost a process to a limit ended by it, whatever the rest of it made of that.
  if ((usage?.memoryHits ?? 0) > 0) return { endedBy: 'memory_limit', ...outcome };
  if ((usage?.pidsHits ?? 0) > 0) return { endedBy: 'pids_limit', ...outcome };
  if (setupFailure) throw launchFailed(backend.name, stderr.text.trim());
  const limited = outcome.signal && LIMIT_SIGNALS[outcome.signal];
  if (limited !== undefined) return { endedBy: limited, ...outcome };
  const failed = outcome.signal !== undefined || (outcome.exitCode ?? 0) !== 0;
  // A full disk refuses without counting: a run that failed over one ended by it, one that came through did not.
  if (full && failed) return { endedBy: 'disk_limit', ...outcome };
  if (outcome.signal === undefined) return { endedBy: 'exit', exitCode: outcome.exitCode ?? 0 };
  return { endedBy: 'signal', ...outcome };
}
