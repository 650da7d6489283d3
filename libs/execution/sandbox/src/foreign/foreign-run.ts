import type {
  ArtifactStore,
  CollectedFile,
  ExecutionRequest,
  ExecutionResult,
  ObserveOptions,
  Sha,
  TreeEntry,
} from '@h/contracts';
import { foreignExecutor } from '../errors.ts';
import { type ChunkCapture, captureChunks } from '../processes/capture-stream.ts';
import type { SlotQueue } from '../processes/queue-slots.ts';
import { collectionLimits } from '../workspace/collect-files.ts';
import { type Answer, awaitForeign, type Deadline } from './await-foreign.ts';
import type { ForeignCommand, ForeignExit, ForeignFile, ForeignSystem } from './foreign-system.ts';
import type { Places } from './keep-places.ts';
import { endOf, isOutput, nonsense, readExit, readFiles, show } from './read-answer.ts';
import { storeFiles } from './store-files.ts';

/** What the runs of one executor share. */
export interface Context {
  readonly system: ForeignSystem;
  readonly name: string;
  readonly artifacts: ArtifactStore;
  readonly environment: Sha;
  readonly transferMs: number;
  readonly slots: SlotQueue;
  readonly nextPlace: () => string;
  /** Places that serve several runs; undefined once it is known that here they cannot. */
  places: Places | undefined;
}

export type Observed = ObserveOptions & { readonly signal: AbortSignal };

/** One run of an executor. */
export interface Run {
  readonly context: Context;
  readonly request: ExecutionRequest;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entries: readonly TreeEntry[];
  readonly options: Observed;
  /** Places that are being dropped: the run's turn is over when they are. */
  readonly dropping: Promise<void>[];
}

/** Contents of the entries, as the system is given them; undefined: cancelled meanwhile. */
export async function loadFiles(
  { context: { artifacts }, options: { signal } }: Run,
  entries: readonly TreeEntry[],
): Promise<ForeignFile[] | undefined> {
  const load = async ({ path, mode, sha }: TreeEntry) => ({ path, mode, bytes: await artifacts.get(sha, { signal }) });
  const limits = { timeoutMs: Number.POSITIVE_INFINITY, signal };
  const answer = await awaitForeign(() => Promise.all(entries.map(load)), limits);
  if (answer.status === 'failed') throw answer.cause;
  return answer.status === 'answered' ? answer.value : undefined;
}

/** How a command is asked for, where it is not as the request says. */
export interface Wording {
  readonly place: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  readonly timeoutMs: number | Deadline;
  /** Takes standard output in the place of the capture. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  /** Bytes of output beside those of the command, for a system that caps it itself. */
  readonly moreBytes?: number;
}

export interface Executed<T> {
  readonly answer: Answer<T>;
  /** The end that the answer tells, checked. */
  readonly said: ForeignExit | undefined;
  readonly wallMs: number;
  readonly stdout: ChunkCapture;
  readonly stderr: ChunkCapture;
}

/** Has the command run by one call, which is cut at its time limit and on cancellation, and takes what it writes. */
export async function callCommand<T extends ForeignExit>(
  { context: { name }, request: { policy }, options }: Run,
  step: string,
  { timeoutMs, onStdout, stdin, moreBytes = 0, ...words }: Wording,
  call: (command: ForeignCommand) => Promise<T>,
): Promise<Executed<T>> {
  const capped = { ...policy, stream_bytes: policy.stream_bytes + moreBytes };
  const command = { ...words, policy: capped, wallMs: policy.wall_ms, ...(stdin !== undefined && { stdin }) };
  const [stdout, stderr] = [captureChunks(policy.stream_bytes), captureChunks(policy.stream_bytes)];
  const strange: string[] = [];
  // Told when the call is over: in a callback of the system's own it might end this program.
  const take = (field: string, add: (chunk: Uint8Array) => void) => (chunk: unknown) => {
    if (isOutput(chunk)) add(toBytes(chunk));
    else strange.push(`${field} was given ${show(chunk)}, neither text nor bytes`);
  };
  const takers = { onStdout: take('onStdout', onStdout ?? stdout.add), onStderr: take('onStderr', stderr.add) };
  const begin = performance.now();
  const limits = { timeoutMs, signal: options.signal };
  const answer = await awaitForeign((signal) => call({ ...command, signal, ...takers }), limits);
  const wallMs = performance.now() - begin;
  const said = readAnswer(name, step, answer);
  if (said?.stdout !== undefined) takers.onStdout(said.stdout);
  if (said?.stderr !== undefined) takers.onStderr(said.stderr);
  if (answer.status === 'answered' && strange[0] !== undefined) throw nonsense(name, strange[0]);
  return { answer, said, wallMs, stdout, stderr };
}

/** What was said of the end; of a run that was cut, only where it makes sense. */
function readAnswer(name: string, step: string, answer: Answer<unknown>): ForeignExit | undefined {
  if (!('value' in answer)) return undefined;
  try {
    return readExit(name, step, answer.value);
  } catch (error) {
    if (answer.status === 'answered') throw error;
    return undefined;
  }
}

function toBytes(chunk: Uint8Array | string): Uint8Array {
  // A copy: the system may fill its buffer anew.
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : Uint8Array.from(chunk);
}

export type Ended<T> = Pick<ExecutionResult, 'ended_by' | 'wall_ms' | 'stdout' | 'stderr'> & {
  readonly exit: ForeignExit;
  /** As it came; absent where the run was cut. */
  readonly raw?: T;
};

/** The command as the request has it: how it ended by the system's word. */
export async function execute<T extends ForeignExit>(
  run: Run,
  step: string,
  words: Pick<Wording, 'place' | 'timeoutMs'>,
  call: (command: ForeignCommand) => Promise<T>,
): Promise<Ended<T>> {
  const { context, request, cwd, env } = run;
  const wording = { ...words, argv: request.argv, cwd, env, stdin: request.stdin };
  const { answer, said, wallMs, stdout, stderr } = await callCommand(run, step, wording, call);
  const facts = { wall_ms: wallMs, stdout: stdout.read(), stderr: stderr.read() };
  if (answer.status === 'late') return { ...facts, ended_by: 'wall_limit', exit: {} };
  if (answer.status === 'cancelled') return { ...facts, ended_by: 'cancelled', exit: {} };
  const raw = required(context, step, answer);
  const exit = said ?? {};
  const ended_by = endOf(context.name, step, exit, run.options.signal.aborted);
  return { ...describeExit(exit), ...facts, ended_by, exit, raw };
}

/** The answer, or what is thrown instead of it. */
export function required<T>({ name, transferMs }: Context, step: string, answer: Answer<T>): T {
  if (answer.status === 'answered') return answer.value;
  if (answer.status !== 'failed') throw foreignExecutor(name, `${step} did not answer within ${transferMs} ms`);
  const { cause } = answer;
  throw foreignExecutor(name, `${step} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

export function describeExit({ exitCode, signal, cpuMs, peakMemoryBytes }: ForeignExit): Partial<ExecutionResult> {
  return {
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(signal !== undefined && { signal }),
    ...(cpuMs !== undefined && { cpu_ms: cpuMs }),
    ...(peakMemoryBytes !== undefined && { peak_memory_bytes: peakMemoryBytes }),
  };
}

/** Stores what came back of what was asked for. */
export function store(
  { context: { name, artifacts }, request: { collect }, options }: Run,
  step: string,
  files: unknown,
): Promise<CollectedFile[]> {
  return storeFiles(readFiles(name, step, files), collect, artifacts, collectionLimits(options.onEvent));
}

/** Has a place ended over there, behind the way of the result. */
export async function drop(context: Context, place: string, onEvent: Observed['onEvent']): Promise<void> {
  const { system, transferMs } = context;
  if (system.drop === undefined) return;
  // Not cancelled with the run: that is when it is needed most.
  const limits = { timeoutMs: transferMs, signal: undefined };
  const answer = await awaitForeign(async (signal) => system.drop?.({ place, signal }), limits);
  if (answer.status === 'answered') return;
  const why = answer.status === 'failed' ? String(answer.cause) : `no answer within ${transferMs} ms`;
  onEvent?.({ kind: 'place_left', message: `${place} may be left on "${context.name}": ${why}` });
}
