import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@h/contracts';
import { codeOf, type FileSystemPort, nodeFileSystem } from './file-system.ts';
import { clearJournal, type JournalPlaces, type JournalPlan, placesIn, removeIfEmpty, type Step } from './journal.ts';

export interface Recovery {
  /** `clean`: no file was left half done. `old`: all files are as before the package. `new`: all files are as after it. */
  readonly state: 'clean' | 'old' | 'new';
  /** Files that someone else changed since: left as they are. Sorted. */
  readonly conflicts: readonly string[];
}

/**
 * Takes back what a writer that died has left half done. Call it before the first `applyToFolder` on a folder, with no writer at work there;
 * safe to call again when it was itself interrupted.
 */
export async function recover(root: string, options: { readonly fileSystem?: FileSystemPort } = {}): Promise<Recovery> {
  const { fileSystem = nodeFileSystem } = options;
  const real = await realpath(root);
  const places = placesIn(real);
  const outer = await fileSystem.stat(join(real, '.h'));
  if (outer === undefined || outer.kind !== 'folder') return { state: 'clean', conflicts: [] };
  const state = await fileSystem.stat(places.folder);
  if (state === undefined || state.kind !== 'folder') {
    await removeIfEmpty(join(real, '.h'), fileSystem);
    return { state: 'clean', conflicts: [] };
  }
  const isDone = (await fileSystem.stat(places.done)) !== undefined;
  const isUndone = (await fileSystem.stat(places.undone)) !== undefined;
  const isPlanned = (await fileSystem.stat(places.plan)) !== undefined;
  const conflicts = isPlanned ? await undo(real, await readPlan(places, fileSystem), fileSystem) : [];
  await clearJournal(real, fileSystem);
  return { state: isDone ? 'new' : isPlanned || isUndone ? 'old' : 'clean', conflicts };
}

async function readPlan({ plan }: JournalPlaces, fileSystem: FileSystemPort): Promise<JournalPlan> {
  return JSON.parse(new TextDecoder().decode(await fileSystem.read(plan))) as JournalPlan;
}

/**
 * Brings every file back to what it was; each of the steps before `begun` may have been done or not, and taken back or not. Gives the
 * paths left alone.
 */
export async function undo(
  root: string,
  plan: JournalPlan,
  fileSystem: FileSystemPort,
  begun = plan.steps.length,
): Promise<string[]> {
  const places = placesIn(root);
  const conflicts: string[] = [];
  for (let at = begun - 1; at >= 0; at--) {
    const step = plan.steps[at];
    if (step === undefined) continue;
    const isBack = await undoStep(join(root, step.target), places.before(at), step, fileSystem);
    if (!isBack) conflicts.push(step.target);
  }
  for (const folder of plan.folders.toReversed()) await removeIfEmpty(join(root, folder), fileSystem);
  await fileSystem.rename(places.plan, places.undone);
  return conflicts.sort();
}

/** False where the file holds what neither the package nor its maker put there. */
async function undoStep(target: string, before: string, step: Step, fileSystem: FileSystemPort): Promise<boolean> {
  const state = await fileSystem.stat(target);
  if (state !== undefined && state.kind !== 'file') return false;
  const sha = state === undefined ? undefined : sha256Hex(await fileSystem.read(target));
  if (step.kind === 'create') {
    if (sha === step.after) await fileSystem.remove(target);
    return sha === undefined || sha === step.after;
  }
  if (sha === step.before) return true;
  if (step.kind === 'replace' && step.inPlace && sha !== undefined) {
    await fileSystem.overwrite(target, await fileSystem.read(before));
    return true;
  }
  if (sha === undefined) await bringBack(before, target, fileSystem);
  else if (step.kind === 'replace' && sha === step.after) await fileSystem.rename(before, target);
  else return false;
  return true;
}

/** A kept file under the name it belongs to, never onto another file. Where the disk knows no second names it is moved there. */
export async function bringBack(kept: string, target: string, fileSystem: FileSystemPort): Promise<void> {
  try {
    await fileSystem.link(kept, target);
  } catch (error) {
    if (!isWithoutLinks(error) || (await fileSystem.stat(target)) !== undefined) throw error;
    await fileSystem.rename(kept, target);
  }
}

/** True for the error of a disk that knows no second names. */
export function isWithoutLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error) ?? '');
}
