import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedBy, Stream } from '@h/contracts';
import type { Backend, Launch, LaunchPlan, Outcome, ProcessTree } from './backends/backend.ts';
import { captureStream, EMPTY_STREAM, type StreamCapture } from './capture-stream.ts';
import { launchFailed } from './errors.ts';
import { inheritableDescriptors } from './read-proc.ts';

/** How a started command ended; measured times are in milliseconds. */
export interface Ended {
  readonly endedBy: EndedBy;
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly wallMs: number;
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Whether nothing of the run's processes was left when this was made. */
  readonly gone: boolean;
}

export interface SuperviseOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** After the deadline: time for the kernel to end a tree, and for pipes to run dry. */
const GRACE_MS = 80;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts what the backend says, ends it at the wall limit or on the signal, and settles on that moment, not when its pipes close. */
export async function superviseProcess(backend: Backend, plan: LaunchPlan, options: SuperviseOptions): Promise<Ended> {
  const launch = backend.launch(plan);
  const begin = performance.now();
  const started = start(launch, options.stdin);
  const { subprocess } = started;
  const cap = plan.policy.stream_bytes;
  const stdout = captureStream(subprocess.stdout, cap);
  const stderr = captureStream(subprocess.stderr, cap);
  if (subprocess.pid === undefined) {
    await started.exit;
    return notStarted(backend, started, performance.now() - begin);
  }

  const pipes = launch.extra.map((entry, index) =>
    entry === 'pipe' ? asReadable(subprocess.stdio[index + 3]) : undefined,
  );
  const tree = backend.follow({ pid: subprocess.pid, pipes }, plan);
  const status = pipes.map((pipe) => captureStream(pipe, 0).ended);
  const cut = await waitForEnd(started, tree, plan, options.signal);
  const wallMs = performance.now() - begin;
  const gone = await tree.gone(GRACE_MS);
  await Promise.race([Promise.all([stdout.ended, stderr.ended, ...status]), sleep(GRACE_MS / 2)]);
  const result = describe(backend, tree, started, cut, { stdout, stderr });
  for (const stream of [...subprocess.stdio]) asReadable(stream)?.destroy();
  return { ...result, wallMs, gone };
}

interface Start {
  readonly subprocess: ChildProcess;
  /** Settles when the first process has ended or could not be started. */
  readonly exit: Promise<void>;
  readonly ended: { code: number | null; signal: NodeJS.Signals | null; happened: boolean; error?: Error };
}

function start(launch: Launch, stdin: string | undefined): Start {
  const covered = coverInherited(launch.extra);
  // Not execa: extra descriptors by number are outside its types, and each costs it 0.1 ms.
  const subprocess = spawn(launch.file, launch.args, {
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...covered.stdio],
    env: launch.env,
    cwd: launch.cwd,
    detached: launch.detached,
  });
  covered.release();
  const ended: Start['ended'] = { code: null, signal: null, happened: false };
  const exit = new Promise<void>((resolve) => {
    subprocess.once('exit', (code, signal) => {
      Object.assign(ended, { code, signal, happened: true });
      resolve();
    });
    subprocess.on('error', (error) => {
      ended.error ??= error;
      resolve();
    });
  });
  feed(subprocess.stdio[0], stdin);
  for (const [index, entry] of launch.extra.entries())
    if (entry instanceof Uint8Array) feed(subprocess.stdio[index + 3], entry);
  return { subprocess, exit, ended };
}

/** Writes and ends an input; a reader that went away early is no error. */
function feed(stream: Readable | Writable | null | undefined, bytes: string | Uint8Array | undefined): void {
  if (bytes === undefined || !(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(bytes);
}

/** Puts /dev/null over each descriptor that this process was itself given without close-on-exec, so that none reaches a payload. */
function coverInherited(extra: Launch['extra']) {
  const leaking = inheritableDescriptors().filter((fd) => fd >= 3 + extra.length);
  const stdio: ('pipe' | 'ignore' | number)[] = extra.map((entry) => (entry instanceof Uint8Array ? 'pipe' : entry));
  const cover = leaking.length === 0 ? undefined : openSync('/dev/null', 'r+');
  for (const fd of leaking) {
    while (stdio.length <= fd - 3) stdio.push('ignore');
    if (cover !== undefined) stdio[fd - 3] = cover;
  }
  return { stdio, release: () => cover !== undefined && closeSync(cover) };
}

/** Waits for the end by itself, the wall limit or the signal, and kills the tree in every case. */
async function waitForEnd(
  started: Start,
  tree: ProcessTree,
  plan: LaunchPlan,
  signal: AbortSignal | undefined,
): Promise<EndedBy | undefined> {
  let cut: EndedBy | undefined;
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const stopped = new Promise<void>((resolve) => {
    const stop = (why: EndedBy) => () => {
      if (started.ended.happened) return;
      cut = why;
      tree.kill();
      resolve();
    };
    timer = setTimeout(stop('wall_limit'), Math.min(plan.policy.wall_ms, LONGEST_TIMER_MS));
    abort = stop('cancelled');
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
  await Promise.race([started.exit, stopped]);
  clearTimeout(timer);
  if (abort !== undefined) signal?.removeEventListener('abort', abort);
  if (cut !== undefined) await Promise.race([started.exit, sleep(GRACE_MS)]);
  return cut;
}

function describe(
  backend: Backend,
  tree: ProcessTree,
  { ended }: Start,
  cut: EndedBy | undefined,
  streams: { stdout: StreamCapture; stderr: StreamCapture },
): Omit<Ended, 'wallMs' | 'gone'> {
  const read = { stdout: streams.stdout.read(), stderr: streams.stderr.read() };
  if (cut !== undefined) return { endedBy: cut, ...read };
  const outcome: Outcome = tree.outcome(ended.code, ended.signal);
  if (outcome.setupFailure) throw launchFailed(backend.name, read.stderr.text.trim());
  if (outcome.signal === undefined) return { endedBy: 'exit', exitCode: outcome.exitCode ?? 0, ...read };
  const endedBy = outcome.signal === 'SIGXCPU' ? 'cpu_limit' : 'signal';
  return {
    endedBy,
    signal: outcome.signal,
    ...(outcome.exitCode === undefined ? {} : { exitCode: outcome.exitCode }),
    ...read,
  };
}

/** A program that is not there or may not be run ends as it does in a shell: 127 or 126, with the reason on stderr. */
function notStarted(backend: Backend, { ended }: Start, wallMs: number): Ended {
  const { code, path } = (ended.error ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'EACCES')
    throw launchFailed(backend.name, ended.error?.message ?? 'no process', ended.error);
  const text = `${path}: ${code === 'ENOENT' ? 'not found' : 'permission denied'}\n`;
  const bytes = Buffer.byteLength(text);
  const stderr = { text, observed_bytes: bytes, retained_bytes: bytes, dropped_bytes: 0 };
  return { endedBy: 'exit', exitCode: code === 'ENOENT' ? 127 : 126, wallMs, stdout: EMPTY_STREAM, stderr, gone: true };
}

function asReadable(stream: unknown): (NodeJS.ReadableStream & { destroy(): void }) | undefined {
  return stream !== null && typeof stream === 'object' && 'destroy' in stream ? (stream as never) : undefined;
}
