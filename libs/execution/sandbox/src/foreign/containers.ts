import { spawn } from 'node:child_process';
import { posix } from 'node:path';
import type { IsolationPolicy } from '@h/contracts';
import { backendUnavailable } from '../errors.ts';
import { defaultPolicy } from '../judge-policy.ts';
import type { ForeignCommand, ForeignExit, ForeignSteps } from './foreign-system.ts';
import { LINUX_SIGNALS } from './linux-signals.ts';
import { INSIDE, probeContainer } from './probe-container.ts';
import { packTar, unpackTar } from './tar.ts';

export interface ContainerOptions {
  /** An image that is there or can be pulled; it needs `sh`, `tar`, `env` and `sleep`. */
  readonly image: string;
  /** "docker" by default; "podman", or a path to either. */
  readonly cli?: string;
  /** Containers at once, 2 by default. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
}

type Streams = Partial<Pick<ForeignCommand, 'onStdout' | 'onStderr'>> & { readonly input?: Uint8Array | string };
/** Runs the command line tool to its end; its exit code. */
export type ContainerTool = (args: readonly string[], signal: AbortSignal, streams?: Streams) => Promise<number>;

/** What the tool itself ends with when it failed. */
const TOOL_FAILED = 125;
const OPEN_MS = 120_000;
// By the payload's own user: root of the container has no capability to end it. The first process of a namespace is spared.
const FETCH = 'kill -9 -1 2>/dev/null; exec tar -c -f - -C /work .';
const COUNTS =
  'cd /sys/fs/cgroup; cat memory.events memory/memory.oom_control 2>/dev/null; echo pids; cat pids.events pids/pids.events 2>/dev/null';
// Reaps what runs orphan, and starts its child anew when that is killed with all others.
const WAIT = 'while :; do sleep 3600; done';

/**
 * One container a run by the command line of docker or podman, for `createExecutor`. Opening starts one container that looks at what it was
 * given: `capabilities.enforces` holds what was seen there. Throws `backend_unavailable` where there is no tool, daemon or image.
 */
export async function openContainers(options: ContainerOptions): Promise<ForeignSteps> {
  const { image, cli = 'docker', concurrency = 2 } = options;
  const name = posix.basename(cli);
  const signal = AbortSignal.any([AbortSignal.timeout(OPEN_MS), ...(options.signal ? [options.signal] : [])]);
  const tool = commandLine(cli);
  const calls = containerCalls(tool, image);
  const place = `h-probe-${process.pid}-${Date.now().toString(36)}`;
  try {
    await must(tool, ['version'], signal);
    const enforces = await probeContainer(calls, { place, policy: defaultPolicy({ wall_ms: OPEN_MS }), signal });
    // What it counts and keeps it counts and keeps for the container.
    return { name, capabilities: { concurrency, persistent: false, enforces }, reusePlaces: false, ...calls };
  } catch (error) {
    options.signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw backendUnavailable(name, reason, `see that \`${cli} run --rm ${image} true\` works for this user`);
  } finally {
    await calls.drop?.({ place, signal: AbortSignal.timeout(OPEN_MS) }).catch(() => undefined);
  }
}

function containerCalls(tool: ContainerTool, image: string): Pick<ForeignSteps, 'put' | 'exec' | 'get' | 'drop'> {
  return {
    async put(files, { place, policy, signal }) {
      await must(
        tool,
        ['run', '-d', '--name', place, ...limits(policy), '--entrypoint', '/bin/sh', image, '-c', WAIT],
        signal,
      );
      const owner = { uid: INSIDE, gid: INSIDE };
      await must(
        tool,
        ['exec', '-i', place, 'tar', '-x', '-p', '-f', '-', '-C', '/work'],
        signal,
        packTar(files, owner),
      );
    },
    async exec({ place, argv, cwd, env, stdin = '', signal, onStdout, onStderr }) {
      const variables = Object.entries({ HOME: '/tmp', TMPDIR: '/tmp', ...env }).map(
        ([name, value]) => `${name}=${value}`,
      );
      // Not by options of the tool: the image has variables of its own.
      const words = ['env', '-i', '--', ...variables, ...argv];
      const args = ['exec', '-i', '-w', posix.join('/work', cwd), place, ...words];
      const code = await tool(args, signal, { input: stdin, onStdout, onStderr });
      // The command may have ended with that number itself.
      if (code === TOOL_FAILED) await must(tool, ['exec', place, 'true'], signal);
      return code === 0 ? { exitCode: 0 } : describeFailure(code, await readCounts(tool, place, signal));
    },
    async get(_globs, { place, signal }) {
      const chunks: Buffer[] = [];
      const onStdout = (chunk: Uint8Array | string) => chunks.push(Buffer.from(chunk));
      const code = await tool(['exec', '-i', place, '/bin/sh', '-c', FETCH], signal, { onStdout });
      if (code !== 0) throw new Error(`tar in the container ended with ${code}`);
      return unpackTar(Buffer.concat(chunks));
    },
    drop: ({ place, signal }) => must(tool, ['rm', '-f', '-v', place], signal),
  };
}

function limits(policy: IsolationPolicy): string[] {
  const { memory_bytes, pids_max, cpu_cores, disk_bytes, inodes_max, network } = policy;
  const room = `size=${disk_bytes},nr_inodes=${inodes_max}`;
  return [
    ...(network === 'external' ? [] : ['--network', 'none']),
    ...['--memory', `${memory_bytes}`, '--memory-swap', `${memory_bytes}`],
    ...['--pids-limit', `${pids_max}`, '--cpus', `${cpu_cores}`],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', `${INSIDE}:${INSIDE}`],
    ...['--read-only', '--tmpfs', `/work:rw,exec,nosuid,nodev,${room},mode=0755,uid=${INSIDE},gid=${INSIDE}`],
    ...['--tmpfs', `/tmp:rw,exec,nosuid,nodev,${room},mode=1777`],
    ...['--hostname', 'h', '--ulimit', 'core=0', '--stop-signal', 'KILL', '--workdir', '/work'],
  ];
}

async function readCounts(tool: ContainerTool, place: string, signal: AbortSignal): Promise<string> {
  let said = '';
  const onStdout = (chunk: Uint8Array | string) => {
    said += Buffer.from(chunk).toString('latin1');
  };
  await tool(['exec', place, '/bin/sh', '-c', COUNTS], signal, { onStdout }).catch(() => undefined);
  return said;
}

function describeFailure(exitCode: number, counts: string): ForeignExit {
  const [memory = '', pids = ''] = counts.split(/^pids$/m);
  if (/^oom_kill [1-9]/m.test(memory)) return { exitCode, endedBy: 'memory_limit' };
  if (/^max [1-9]/m.test(pids)) return { exitCode, endedBy: 'pids_limit' };
  const signal = exitCode > 128 ? LINUX_SIGNALS[exitCode - 128] : undefined;
  return signal === undefined ? { exitCode } : { exitCode, signal };
}

async function must(
  tool: ContainerTool,
  args: readonly string[],
  signal: AbortSignal,
  input?: Uint8Array,
): Promise<void> {
  let said = '';
  const onStderr = (chunk: Uint8Array | string) => {
    said = (said + Buffer.from(chunk).toString()).slice(-2000);
  };
  const code = await tool(args, signal, { onStderr, ...(input && { input }) });
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${said.trim()}`);
}

function commandLine(cli: string): ContainerTool {
  return (args, signal, { input = '', onStdout, onStderr } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(cli, args, { signal, killSignal: 'SIGKILL' }).once('error', reject);
      child.stdout.on('data', (chunk) => onStdout?.(chunk));
      child.stderr.on('data', (chunk) => onStderr?.(chunk));
      child.stdin.on('error', () => undefined).end(input);
      child.once('close', (code) => resolve(code ?? TOOL_FAILED));
    });
}
