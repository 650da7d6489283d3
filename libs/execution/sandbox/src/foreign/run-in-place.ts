import { randomBytes } from 'node:crypto';
import { type CollectedFile, type ExecutionResult, sha256Hex } from '@h/contracts';
import { type RunIdentity, withoutRun } from '../check-request.ts';
import { knowTree, type TreeChanges } from '../disk/diff-trees.ts';
import { captureChunks } from '../processes/capture-stream.ts';
import { isLink } from '../workspace/prepare-workspace.ts';
import { awaitForeign, startDeadline } from './await-foreign.ts';
import { callCommand, describeExit, drop, type Executed, loadFiles, type Run, required, store } from './foreign-run.ts';
import type { ForeignExit, ForeignFile, ForeignSteps } from './foreign-system.ts';
import { kindOf, type Place } from './keep-places.ts';
import { LINUX_SIGNALS } from './linux-signals.ts';
import { mergeReceipt } from './make-receipt.ts';
import { canBeDescribed, describeTree, isStrange, MOST_ARCHIVE_BYTES, packRun } from './pack-run.ts';
import { endOf, nonsense, readFiles } from './read-answer.ts';
import { splitOutput, type Told } from './split-output.ts';
import { unpackTar } from './tar.ts';
import { WRAPPER } from './wrapper-script.ts';

/** Files of a run's tree that go along with its command; what differs more is put anew. */
const MOST_ADDED_BYTES = 1024 * 1024;
/** In base64, and what is said around it. */
const MOST_TOLD_BYTES = 2 * MOST_ARCHIVE_BYTES;
/** How long after the command's time was over its wrapper may take to give back the files; what is not whole by then is fetched. */
const PARTING_MS = 1000;
/** Folders are not made as fast as this: what is heard closer together did not come as it was written. */
const LEAST_MS = 1;
const WRONG_TREE =
  'put laid another tree than it was given: paths, contents, links and the right to run have to be the same (where that cannot be, say reusePlaces: false)';
const NOTHING: TreeChanges = { removed: [], emptied: [], written: [] };

/**
 * A run in a place that holds a tree near to its own, or that is made to hold it: mostly one call. Undefined: it has to be run apart,
 * and nothing of it has begun.
 */
export async function runInPlace(
  system: ForeignSteps,
  run: Run,
  identity: RunIdentity,
): Promise<ExecutionResult | undefined> {
  const wanted = await describe(run);
  if (wanted === undefined) return undefined;
  // A place that served before may have been spoilt: then once more in one that is new.
  for (;;) {
    const chosen = await choosePlace(system, run);
    if (chosen === 'cancelled') return withoutRun(identity, 'cancelled');
    const { place, fresh, ...changes } = chosen;
    const tried = await runOnce(system, run, { place, ...changes, wanted }, identity).catch((error: unknown) => {
      lose(run, place);
      throw error;
    });
    // Another run may meanwhile have found that they cannot be reused.
    if (tried.clean && run.context.places !== undefined) run.context.places.giveBack(place);
    else lose(run, place);
    if (tried.result !== undefined || tried.apart === 'this run') return tried.result;
    if (!fresh) continue;
    // It has what that takes: another place would be as wrong, and nothing looks there.
    if (tried.apart === 'never') throw nonsense(run.context.name, WRONG_TREE);
    for (const idle of run.context.places?.empty() ?? []) lose(run, idle);
    run.context.places = undefined;
    return undefined;
  }
}

function lose({ context, options, dropping }: Run, place: Place): void {
  context.places?.lose(place);
  dropping.push(drop(context, place.name, options.onEvent));
}

/** The hash of the wanted tree; undefined where it cannot be told of in a shell. */
async function describe(run: Run): Promise<string | undefined> {
  const { entries, request } = run;
  if (!canBeDescribed(entries, request.argv)) return undefined;
  const links = await loadFiles(run, entries.filter(isLink));
  if (links === undefined) return undefined;
  const targets = new Map(links.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]));
  if ([...targets.values()].some(isStrange)) return undefined;
  return describeTree(entries, targets);
}

interface Chosen {
  readonly place: Place;
  readonly fresh: boolean;
  readonly changes: TreeChanges;
  readonly added: readonly ForeignFile[];
}

async function choosePlace(system: ForeignSteps, run: Run): Promise<Chosen | 'cancelled'> {
  const { context, request, entries, options } = run;
  const kind = kindOf(request.policy);
  const near = context.places?.take(kind, entries);
  if (near !== undefined) {
    const added = await loadFiles(run, near.changes.written);
    if (added !== undefined && sizeOf(added) <= MOST_ADDED_BYTES)
      return { place: near.place, fresh: false, changes: near.changes, added };
    context.places?.giveBack(near.place);
    if (added === undefined) return 'cancelled';
  }
  const files = await loadFiles(run, entries);
  if (files === undefined) return 'cancelled';
  const place: Place = { name: context.nextPlace(), kind, base: knowTree(entries) };
  for (const old of context.places?.add(place) ?? []) lose(run, old);
  const laid = files.map((file) => ({ ...file, path: `base/${file.path}` }));
  const call = { place: place.name, policy: request.policy };
  const limits = { timeoutMs: context.transferMs, signal: options.signal };
  const put = await awaitForeign((signal) => system.put(laid, { ...call, signal }), limits);
  if (put.status !== 'answered') lose(run, place);
  if (put.status === 'cancelled') return 'cancelled';
  required(context, 'put', put);
  return { place, fresh: true, changes: NOTHING, added: [] };
}

function sizeOf(files: readonly ForeignFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

interface Tried {
  readonly result?: ExecutionResult;
  /** The place is as it was before. */
  readonly clean: boolean;
  /** Nothing has begun: only this run, or any run that comes; `never`: what lies there is not the tree. */
  readonly apart?: 'this run' | 'all' | 'never';
}

type Work = Pick<Chosen, 'place' | 'changes' | 'added'> & { readonly wanted: string };

async function runOnce(system: ForeignSteps, run: Run, work: Work, identity: RunIdentity): Promise<Tried> {
  const heard = await hear(system, run, work);
  const { told, executed } = heard;
  const { answer, wallMs, stdout, stderr } = executed;
  if (!told.began && (answer.status === 'answered' || answer.status === 'failed')) {
    if (told.refused === 'program') return { clean: true, apart: 'this run' };
    return { clean: false, apart: told.refused === 'tree' ? 'never' : 'all' };
  }
  // The wrapper was heard in time, and its folder did not become ready in that of a transfer.
  if (!told.began && told.reached && answer.status === 'late') return { clean: false, apart: 'this run' };
  const facts = { wall_ms: heard.ranMs ?? wallMs, stdout: stdout.read(), stderr: stderr.read() };
  const { ended, receipt } = endOfRun(run, told, executed, identity);
  if (ended.ended_by === 'cancelled')
    return { clean: false, result: { ...identity, ...ended, ...facts, receipt, files: [] } };
  const files = await bringBack(system, run, work.place, told);
  const clean = told.end !== undefined && !told.end.left && answer.status === 'answered';
  if (files === undefined)
    return { clean: false, result: { ...identity, ...facts, receipt, ended_by: 'cancelled', files: [] } };
  return { clean, result: { ...identity, ...ended, ...facts, receipt, files } };
}

interface Heard {
  readonly executed: Executed<ForeignExit>;
  readonly told: Told;
  /** Milliseconds from the beginning of the command to its end or cut, where output came as it was written. */
  readonly ranMs: number | undefined;
}

/**
 * The call itself. The time limit is that of the command: from the call, since one that has begun may not have been heard; where the wrapper
 * is heard before, from the beginning of the command, which then has the time of a transfer to come.
 */
async function hear(system: ForeignSteps, run: Run, { place, changes, added, wanted }: Work): Promise<Heard> {
  const { request, cwd, env, context } = run;
  const { policy, argv, stdin, collect } = request;
  const mark = randomBytes(12).toString('hex');
  const noise = captureChunks(policy.stream_bytes);
  const text = captureChunks(policy.stream_bytes);
  const deadline = startDeadline(policy.wall_ms);
  const called = performance.now();
  let [reached, began, ended]: [number, number, number?] = [called, called];
  const splitter = splitOutput({
    mark,
    onText: text.add,
    onNoise: noise.add,
    onReach: () => {
      reached = performance.now();
      deadline.restart(context.transferMs);
    },
    onBegin: () => {
      began = performance.now();
      deadline.restart(policy.wall_ms);
    },
    onEnd: () => {
      ended = performance.now();
      // A command can forge its end: the limit holds all the same.
      const leftMs = Math.max(0, policy.wall_ms - (ended - began));
      deadline.restart(Math.min(context.transferMs, leftMs + PARTING_MS));
    },
    mostBytes: MOST_TOLD_BYTES,
  });
  const wording = {
    place: place.name,
    argv: ['/bin/sh', '-c', WRAPPER, 'h'],
    cwd: '',
    env: { LC_ALL: 'C', ...(env.PATH !== undefined && { PATH: env.PATH }) },
    stdin: `${mark}\n${packRun({ argv, cwd, env, stdin, collect, changes, added, wanted })}`,
    timeoutMs: deadline,
    onStdout: splitter.add,
    moreBytes: MOST_TOLD_BYTES,
  };
  const executed = await callCommand(run, 'exec', wording, (command) => system.exec(command));
  splitter.finish();
  const told = splitter.told();
  const cameAsWritten = told.began && began - reached >= LEAST_MS;
  const ranMs = cameAsWritten ? (ended ?? called + executed.wallMs) - began : undefined;
  return { executed: { ...executed, stdout: told.began ? text : noise }, told, ranMs };
}

/** What the wrapper told goes before what the system says, but for a limit that only the system knows of. */
function endOfRun(
  { context, options }: Run,
  { end }: Told,
  { answer, said = {} }: Executed<ForeignExit>,
  { receipt }: RunIdentity,
): { ended: Pick<ExecutionResult, 'ended_by'> & Partial<ExecutionResult>; receipt: RunIdentity['receipt'] } {
  if (answer.status === 'cancelled') return { ended: { ended_by: 'cancelled' }, receipt };
  if (answer.status === 'late' && end === undefined) return { ended: { ended_by: 'wall_limit' }, receipt };
  if (answer.status !== 'late') required(context, 'exec', answer);
  const exit = answer.status === 'late' ? {} : said;
  const endIs = (words: ForeignExit) => endOf(context.name, 'exec', words, options.signal.aborted);
  const merged = mergeReceipt(receipt, exit);
  if (end === undefined) return { ended: { ...describeExit(exit), ended_by: endIs(exit) }, receipt: merged };
  const { exitCode, signal, endedBy, ...measured } = exit;
  const name = end.code > 128 ? LINUX_SIGNALS[end.code - 128] : undefined;
  const own = { exitCode: end.code, ...(name !== undefined && { signal: name }), ...(endedBy && { endedBy }) };
  return { ended: { ...describeExit({ ...measured, ...own }), ended_by: endIs(own) }, receipt: merged };
}

/** The files that came with the output, where they are whole; else they are fetched. Undefined: cancelled meanwhile. */
async function bringBack(
  system: ForeignSteps,
  run: Run,
  place: Place,
  told: Told,
): Promise<CollectedFile[] | undefined> {
  const { context, request, options } = run;
  if (request.collect.length === 0) return [];
  const came = readArchive(told);
  if (came !== undefined) return store(run, 'exec', came);
  const globs = request.collect.map((glob) => (glob.startsWith('!') ? `${WORKSPACE}**` : `${WORKSPACE}${glob}`));
  const limits = { timeoutMs: context.transferMs, signal: options.signal };
  const got = await awaitForeign((signal) => system.get(globs, { place: place.name, signal }), limits);
  if (got.status === 'cancelled') return undefined;
  const fetched = readFiles(context.name, 'get', required(context, 'get', got));
  const own = fetched.filter(({ path }) => path.startsWith(WORKSPACE));
  return store(
    run,
    'get',
    own.map((file) => ({ ...file, path: file.path.slice(WORKSPACE.length) })),
  );
}

const WORKSPACE = 'run/workspace/';

function readArchive({ end, archive }: Told): ForeignFile[] | undefined {
  if (end === undefined || archive === undefined) return undefined;
  if (end.count === 0) return [];
  const bytes = Buffer.from(archive, 'base64');
  if (sha256Hex(bytes) !== end.sha) return undefined;
  try {
    const files = unpackTar(bytes);
    return files.length === end.count ? files : undefined;
  } catch {
    return undefined;
  }
}
