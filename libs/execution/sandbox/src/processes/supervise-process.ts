import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedBy, Stream } from '@h/contracts';
import type { Backend, LaunchPlan, Outcome, ProcessTree } from '../backends/backend.ts';
import { signalName } from '../backends/shape-process.ts';
import type { RunGroup, Usage } from '../controls/control.ts';
import { holdsFileOf } from '../disk/holds-file-of.ts';
import type { DiskRoom } from '../disk/open-disk.ts';
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
  /** What is on the run's disk; absent: it has none of its own. */
  readonly diskRoom?: () => DiskRoom;
}

/** Longest wait for the kernel to end a killed tree: some ms, more where the machine is overloaded. Then the receipt says what is left. */
const GRACE_MS = 2000;
const DRAIN = { leastMs: 40, mostMs: GRACE_MS };
const WATCH_MS = 50;
/** Output that is no longer a program's but a runaway's: so many times what is kept of it, and not less than this. */
const FLOOD_FACTOR = 4096;
const LEAST_FLOOD_BYTES = 256 * 1024 * 1024;
/** The kernel counts the time of a process by whole ticks, on a loaded machine far ahead of the clock by which a group is measured. */
const NEARLY = 0.5;
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
    diskRoom: options.diskRoom,
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
  const disk = options.diskRoom && watch.lookAtDisk();
  const end = describeEnd(backend, tree, started, { cut, usage, disk, plan, stderr: streams.stderr });
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
  readonly diskRoom: (() => DiskRoom) | undefined;
  readonly flooded: () => boolean;
}

/** Waits for the end by itself, a limit or the signal; kills the tree in the latter cases and says which it was. */
function watchRun(started: Started, tree: ProcessTree, { policy }: LaunchPlan, watched: Watched) {
  const { group, diskRoom, flooded } = watched;
  let cut: EndedBy | undefined;
  let fullest: DiskRoom = { full: false, usedBytes: 0 };
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
  const lookAtDisk = () => {
    const { full = false, usedBytes = 0 } = diskRoom?.() ?? {};
    fullest = { full: fullest.full || full, usedBytes: Math.max(fullest.usedBytes, usedBytes) };
    return fullest;
  };
  const look = () => {
    if (group !== undefined) exceeded(group.usage(), policy.cpu_ms, stop);
    if (flooded()) stop('output_limit');
    lookAtDisk();
  };
  return {
    /** The most that was ever seen there. */
    lookAtDisk,
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
  /** The most that was seen on the run's disk; undefined: it has none of its own. */
  readonly disk: DiskRoom | undefined;
  readonly plan: LaunchPlan;
  readonly stderr: Stream;
}

function describeEnd(
  backend: Backend,
  tree: ProcessTree,
  { ended }: Started,
  { cut, usage, disk, plan, stderr }: Evidence,
): Pick<Ended, 'endedBy' | 'exitCode' | 'signal'> {
  if (cut !== undefined) return { endedBy: cut };
  const { setupFailure, ...outcome } = tree.outcome(ended.code, ended.signal);
  // A run that lost a process to a limit ended by it, whatever the rest of it made of that.
  if ((usage?.memoryHits ?? 0) > 0) return { endedBy: 'memory_limit', ...outcome };
  if ((usage?.pidsHits ?? 0) > 0) return { endedBy: 'pids_limit', ...outcome };
  if (setupFailure) throw launchFailed(backend.name, stderr.text.trim());
  const limited = reachedLimit(outcome, { usage, disk, plan });
  if (limited !== undefined) return { endedBy: limited, ...outcome };
  const failed = outcome.signal !== undefined || (outcome.exitCode ?? 0) !== 0;
  // A full disk refuses without counting: a run that failed over one ended by it, one that came through did not.
  if (disk?.full && failed) return { endedBy: 'disk_limit', ...outcome };
  if (outcome.signal === undefined) return { endedBy: 'exit', exitCode: outcome.exitCode ?? 0 };
  return { endedBy: 'signal', ...outcome };
}

/**
 * Anyone may send itself the signal of a limit, set a lower one, or exit with the number: it was ours only where the run is measured to have
 * come to it. A child's signal is told by the exit code of the shell above it.
 */
function reachedLimit(
  { exitCode = 0, signal = signalName(exitCode - 128) }: Outcome,
  { usage, disk, plan }: Pick<Evidence, 'usage' | 'disk' | 'plan'>,
): EndedBy | undefined {
  const { cpu_ms } = plan.policy;
  if (signal === 'SIGXCPU' && cpu_ms !== undefined && (usage?.cpuMs ?? -1) >= NEARLY * cpu_ms) return 'cpu_limit';
  if (signal !== 'SIGXFSZ') return undefined;
  const bytes = Math.max(1, plan.policy.disk_bytes);
  const { workspace, home, tmp } = plan.folders;
  const reached =
    disk?.full || (disk?.usedBytes ?? 0) >= bytes || (!disk && holdsFileOf(bytes, [workspace, home, tmp]));
  return reached ? 'disk_limit' : undefined;
}
