// What is on the disk while a package is written, so that whoever finds it can take the package back.
//
//   .h/edit-apply/            there: a package is being written, or its writer died
//     old/<n>  new/<n>        bytes before and after
//     plan.json               every byte needed is here; from now on files may be touched
//     done.json, undone.json  plan.json renamed: all files are new, or all are old again; only this folder is left to delete
import { join } from 'node:path';
import { codeOf, type FileSystemPort } from './file-system.ts';

export const JOURNAL = '.h/edit-apply';

export type Step =
  | {
      readonly kind: 'replace';
      readonly target: string;
      readonly before: string;
      readonly after: string;
      readonly inPlace: boolean;
    }
  | { readonly kind: 'create'; readonly target: string; readonly after: string }
  | { readonly kind: 'remove'; readonly target: string; readonly before: string };

export interface JournalPlan {
  readonly version: 1;
  /** Folders to make, outer ones first; like all paths here relative to the root. */
  readonly folders: readonly string[];
  /** Done in this order, taken back in the reverse one; the index of a step names its files. */
  readonly steps: readonly Step[];
}

export interface JournalPlaces {
  readonly folder: string;
  readonly plan: string;
  readonly done: string;
  readonly undone: string;
  readonly before: (step: number) => string;
  readonly after: (step: number) => string;
}

export function placesIn(root: string): JournalPlaces {
  const folder = join(root, JOURNAL);
  return {
    folder,
    plan: join(folder, 'plan.json'),
    done: join(folder, 'done.json'),
    undone: join(folder, 'undone.json'),
    before: (step) => join(folder, 'old', String(step)),
    after: (step) => join(folder, 'new', String(step)),
  };
}

/** Deletes the journal; the mark that it is settled goes last. Works on what an earlier try has left. */
export async function clearJournal(root: string, fileSystem: FileSystemPort): Promise<void> {
  const { folder, done, undone } = placesIn(root);
  for (const side of ['old', 'new']) {
    const within = join(folder, side);
    if ((await fileSystem.stat(within)) === undefined) continue;
    for (const name of await fileSystem.list(within)) await fileSystem.remove(join(within, name));
    await fileSystem.removeFolder(within);
  }
  const marks = [done, undone].map((path) => path.slice(folder.length + 1));
  const names = await fileSystem.list(folder);
  const ordered = [...names.filter((name) => !marks.includes(name)), ...names.filter((name) => marks.includes(name))];
  for (const name of ordered) await fileSystem.remove(join(folder, name));
  await fileSystem.removeFolder(folder);
  await removeIfEmpty(join(root, '.h'), fileSystem);
}

/** A folder that others may have put something into. */
export async function removeIfEmpty(folder: string, fileSystem: FileSystemPort): Promise<void> {
  try {
    await fileSystem.removeFolder(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
  }
}
