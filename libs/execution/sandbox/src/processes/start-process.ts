import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import type { Launch } from '../backends/backend.ts';
import { inheritableDescriptors } from '../host/read-proc.ts';

/** A process that waits at its gate, or has passed it. */
export interface Started {
  /** Absent when it could not be started. */
  readonly pid: number | undefined;
  readonly stdout: Readable | undefined;
  readonly stderr: Readable | undefined;
  /** Streams of the `Launch.extra` entries that are "pipe", by position. */
  readonly pipes: readonly (Readable | undefined)[];
  /** All that has come on the first of them. */
  readonly told: () => string;
  /** How it ended; `happened` is false while it has not. */
  readonly ended: { code: number | null; signal: NodeJS.Signals | null; happened: boolean; error?: Error };
  /** Settles when it has ended or could not be started. */
  readonly exit: Promise<void>;
  /** Settles with whether its disk is made; at once, and true, where it has none. */
  readonly ready: Promise<boolean>;
  /** Tells it that it is in its control group. May be called again. */
  enter(): void;
  /** Gives it its input and the bytes for the gate. */
  letGo(gate: Uint8Array, stdin: string | undefined): void;
  /** Whether this program stays up for it; a new one is awaited. */
  await(whether: boolean): void;
  /** Closes every stream; a process still at its gate ends by that. */
  drop(): void;
}

/** Starts what the backend says, with none of this process's own descriptors but those named. */
export function startProcess(launch: Launch): Started {
  const subprocess = spawnCovered(launch);
  const ended: Started['ended'] = { code: null, signal: null, happened: false };
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
  const pipes = launch.extra.map((entry, index) =>
    entry === 'pipe' ? (subprocess.stdio[index + 4] as Readable) : undefined,
  );
  let told = '';
  pipes[0]?.on('data', (chunk: Buffer) => {
    told += chunk.toString('latin1');
  });
  let entered = false;
  const enter = () => {
    if (!entered && launch.onceGrouped !== undefined) write(subprocess.stdio[3], launch.onceGrouped);
    entered = true;
  };
  return {
    pid: subprocess.pid,
    stdout: subprocess.stdout ?? undefined,
    stderr: subprocess.stderr ?? undefined,
    pipes,
    told: () => told,
    ended,
    exit,
    ready: launch.tellsReady === undefined ? Promise.resolve(true) : awaitReady(pipes[0], () => told, exit),
    enter,
    letGo(gate, stdin) {
      enter();
      feed(subprocess.stdio[3], gate);
      feed(subprocess.stdin, stdin ?? '');
    },
    await: (whether) => awaitProcess(subprocess, whether),
    drop: () => dropStreams(subprocess),
  };
}

function awaitReady(pipe: Readable | undefined, told: () => string, exit: Promise<void>): Promise<boolean> {
  const isReady = () => told().includes('ready\n');
  const came = new Promise<boolean>((resolve) => {
    const listen = () => {
      if (!isReady()) return;
      pipe?.off('data', listen);
      resolve(true);
    };
    pipe?.on('data', listen);
  });
  return Promise.race([came, exit.then(isReady)]);
}

function spawnCovered(launch: Launch): ChildProcess {
  const covered = coverInherited(launch.extra);
  try {
    // Not execa: extra descriptors by number are outside its types, and each position costs it 0.1 ms.
    return spawn(launch.file, launch.args, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...covered.stdio],
      env: launch.env,
      cwd: launch.cwd,
      detached: launch.detached,
    });
  } finally {
    covered.release();
  }
}

function awaitProcess(subprocess: ChildProcess, whether: boolean): void {
  const handles = [subprocess, ...subprocess.stdio] as readonly ({ ref?(): void; unref?(): void } | null | undefined)[];
  for (const handle of handles) {
    if (whether) handle?.ref?.();
    else handle?.unref?.();
  }
}

function dropStreams(subprocess: ChildProcess): void {
  for (const stream of subprocess.stdio) stream?.destroy();
}

/** Writes and ends an input; a reader that went away early is no error. */
function feed(stream: Readable | Writable | null | undefined, bytes: string | Uint8Array): void {
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.end(bytes);
}

function write(stream: Readable | Writable | null | undefined, bytes: Uint8Array): void {
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => undefined);
  stream.write(bytes);
}

/** Puts /dev/null over each descriptor that this process was itself given without close-on-exec, so that none reaches a payload. */
function coverInherited(extra: Launch['extra']) {
  const first = 4;
  const opened: number[] = [];
  const openFile = (file: string, flags: string) => {
    const fd = openSync(file, flags);
    opened.push(fd);
    return fd;
  };
  const stdio = extra.map((entry): 'pipe' | 'ignore' | number =>
    typeof entry === 'object' ? openFile(entry.file, 'r') : entry,
  );
  const leaking = inheritableDescriptors().filter((fd) => fd >= first + extra.length);
  const cover = leaking.length === 0 ? -1 : openFile('/dev/null', 'r+');
  for (const fd of leaking) {
    while (stdio.length <= fd - first) stdio.push('ignore');
    stdio[fd - first] = cover;
  }
  return { stdio, release: () => opened.map((fd) => closeSync(fd)) };
}
