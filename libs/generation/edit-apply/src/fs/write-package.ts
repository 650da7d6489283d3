import { dirname, join, relative, sep } from 'node:path';
import { sha256Hex } from '@h/contracts';
import type { ChangedFile } from '../apply-edits.ts';
import { undoFailed, unfinishedPackage, writeFailed } from '../errors.ts';
import { codeOf, type FileSystemPort, type Ownership } from './file-system.ts';
import { clearJournal, type JournalPlan, placesIn, type Step } from './journal.ts';
import { checkFolders, type NamedFile } from './read-named-files.ts';
import { bringBack, isWithoutLinks, undo } from './recover.ts';

export interface Writing {
  /** Real path of the folder. */
  readonly root: string;
  readonly named: ReadonlyMap<string, NamedFile>;
  /** Where a file was that is moved to a path. */
  readonly movedFrom: ReadonlyMap<string, string>;
  readonly fileSystem: FileSystemPort;
  readonly signal?: AbortSignal;
}

interface PlannedWrite {
  readonly step: Step;
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly like: Ownership;
}

/** `stale`: a file is not what it was when it was read; nothing was written. */
export type Written =
  | { readonly status: 'written'; readonly journal: 'cleared' | 'left' }
  | { readonly status: 'stale'; readonly target: string };

class StaleFile extends Error {
  readonly target: string;
  constructor(target: string) {
    super(`${target} was changed since it was read.`);
    this.target = target;
  }
}

const NEW_FILE: Ownership = { mode: 0o644 };

/** Writes all files or none: stages everything, then touches the files, then says that it is done; takes all back when a step fails. */
export async function writePackage(changes: readonly ChangedFile[], writing: Writing): Promise<Written> {
  const { root, fileSystem, signal } = writing;
  const writes = plannedWrites(changes, writing);
  await openJournal(root, fileSystem);
  let plan: JournalPlan | undefined;
  const progress = { begun: 0 };
  try {
    plan = await stage(writes, writing);
    signal?.throwIfAborted();
    await perform(plan, writing, progress);
    await fileSystem.rename(placesIn(root).plan, placesIn(root).done);
  } catch (cause) {
    const isBack = await takeBack(plan, writing, progress, cause);
    if (isBack && cause instanceof StaleFile) return { status: 'stale', target: cause.target };
    if (isBack) throw signal?.aborted === true && cause === signal.reason ? cause : writeFailed(cause);
  }
  const cleared = await clearJournal(root, fileSystem).then(
    () => true,
    () => false, // all files are new whatever becomes of the journal: the result says that it is left
  );
  return { status: 'written', journal: cleared ? 'cleared' : 'left' };
}

async function openJournal(root: string, fileSystem: FileSystemPort): Promise<void> {
  const outer = join(root, '.h');
  const found = await fileSystem.stat(outer);
  if (found !== undefined && found.kind !== 'folder') throw writeFailed(new Error(`${outer} is no folder.`));
  try {
    if (found === undefined) await fileSystem.makeFolder(outer);
    await fileSystem.makeFolder(placesIn(root).folder);
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST')
      throw unfinishedPackage('Another package is being written here, or its writer died.', cause);
    throw writeFailed(cause);
  }
}

/** False when the package was done all the same, and only the last word on it failed. */
async function takeBack(
  plan: JournalPlan | undefined,
  { root, fileSystem }: Writing,
  { begun }: Progress,
  cause: unknown,
): Promise<boolean> {
  try {
    if ((await fileSystem.stat(placesIn(root).done)) !== undefined) return false;
    const isPlanned = (await fileSystem.stat(placesIn(root).plan)) !== undefined;
    const conflicts = plan !== undefined && isPlanned ? await undo(root, plan, fileSystem, begun) : [];
    if (conflicts.length > 0) throw new Error(`Changed by someone else: ${conflicts.join(', ')}`);
    await clearJournal(root, fileSystem);
    return true;
  } catch (second) {
    throw undoFailed(new AggregateError([cause, second], 'Writing failed, and so did taking it back.'));
  }
}

/** Created files first, removed ones last: until then nothing is missing. */
function plannedWrites(changes: readonly ChangedFile[], { root, named, movedFrom }: Writing): PlannedWrite[] {
  const rank = { create: 0, replace: 1, remove: 2 };
  return changes
    .filter(({ before, after }) => before !== after)
    .map((change): PlannedWrite => {
      const file = named.get(change.path);
      const place = file?.target ?? join(root, change.path);
      const target = relative(root, place).split(sep).join('/');
      const like = file?.state ?? named.get(movedFrom.get(change.path) ?? '')?.state ?? NEW_FILE;
      return { ...change, step: stepOf(change, target, (file?.state?.links ?? 1) > 1), like };
    })
    .sort((a, b) => rank[a.step.kind] - rank[b.step.kind]);
}

function stepOf({ before, after }: ChangedFile, target: string, inPlace: boolean): Step {
  if (before === undefined) return { kind: 'create', target, after: sha256Hex(after ?? new Uint8Array()) };
  if (after === undefined) return { kind: 'remove', target, before: sha256Hex(before) };
  return { kind: 'replace', target, before: sha256Hex(before), after: sha256Hex(after), inPlace };
}

/** Puts every byte that writing or taking back can need into the journal; the plan comes last, in one step. */
async function stage(writes: readonly PlannedWrite[], { root, fileSystem, signal }: Writing): Promise<JournalPlan> {
  const places = placesIn(root);
  await fileSystem.makeFolder(join(places.folder, 'old'));
  await fileSystem.makeFolder(join(places.folder, 'new'));
  for (const [at, { step, before, after, like }] of writes.entries()) {
    signal?.throwIfAborted();
    if (before !== undefined) await keepOld(join(root, step.target), places.before(at), step, before, like, fileSystem);
    if (after !== undefined) await fileSystem.create(places.after(at), after, like);
  }
  const folders = await missingFolders(root, writes, fileSystem);
  const plan: JournalPlan = { version: 1, folders, steps: writes.map(({ step }) => step) };
  const draft = join(places.folder, 'plan.tmp');
  await fileSystem.create(draft, new TextEncoder().encode(JSON.stringify(plan)), { mode: 0o600 });
  for (const folder of ['old', 'new', '.']) await fileSystem.syncFolder(join(places.folder, folder));
  await fileSystem.rename(draft, places.plan);
  await fileSystem.syncFolder(places.folder);
  return plan;
}

/** A second name for the old file, so that taking back restores the very file; a copy where it is written into, or has no second name. */
async function keepOld(
  target: string,
  kept: string,
  step: Step,
  before: Uint8Array,
  like: Ownership,
  fileSystem: FileSystemPort,
): Promise<void> {
  if (step.kind === 'replace' && step.inPlace) return fileSystem.create(kept, before, like);
  try {
    await fileSystem.link(target, kept);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    await fileSystem.create(kept, before, like);
  }
}

async function missingFolders(
  root: string,
  writes: readonly PlannedWrite[],
  fileSystem: FileSystemPort,
): Promise<string[]> {
  const missing = new Set<string>();
  for (const { step } of writes) {
    const segments = step.target.split('/').slice(0, -1);
    for (let depth = 1; depth <= segments.length; depth++) {
      const folder = segments.slice(0, depth).join('/');
      if (!missing.has(folder) && (await fileSystem.stat(join(root, folder))) === undefined) missing.add(folder);
    }
  }
  return [...missing].sort();
}

/** Steps whose file may have been touched. */
interface Progress {
  begun: number;
}

async function perform(plan: JournalPlan, { root, fileSystem, signal }: Writing, progress: Progress): Promise<void> {
  for (const folder of plan.folders) await fileSystem.makeFolder(join(root, folder));
  for (const [at, step] of plan.steps.entries()) {
    signal?.throwIfAborted();
    await checkUnchanged(root, step, fileSystem);
    progress.begun = at + 1;
    await performStep(root, at, step, fileSystem);
  }
  const touched = new Set([...plan.folders, ...plan.steps.map(({ target }) => target)].map(dirname));
  for (const folder of touched) await fileSystem.syncFolder(join(root, folder));
}

/** What was checked when the files were read may have been swapped since. Throws `StaleFile`. */
async function checkUnchanged(root: string, step: Step, fileSystem: FileSystemPort): Promise<void> {
  if ((await checkFolders(root, step.target, fileSystem)) !== undefined) throw new StaleFile(step.target);
  if (step.kind === 'create') return;
  const target = join(root, step.target);
  const state = await fileSystem.stat(target);
  const isSame = state?.kind === 'file' && sha256Hex(await fileSystem.read(target)) === step.before;
  if (!isSame) throw new StaleFile(step.target);
}

async function performStep(root: string, at: number, step: Step, fileSystem: FileSystemPort): Promise<void> {
  const target = join(root, step.target);
  const after = placesIn(root).after(at);
  if (step.kind === 'remove') return fileSystem.remove(target);
  if (step.kind === 'create') return bringBack(after, target, fileSystem);
  return step.inPlace ? fileSystem.overwrite(target, await fileSystem.read(after)) : fileSystem.rename(after, target);
}
