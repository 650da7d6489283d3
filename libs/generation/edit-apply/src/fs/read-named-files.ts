import { join, sep } from 'node:path';
import type { ApplyReason } from '@h/contracts';
import { type EditInput, isPackage, isRepositoryPath } from '../plan-files.ts';
import type { FileState, FileSystemPort } from './file-system.ts';
import { JOURNAL } from './journal.ts';

/** A file that an edit names, as it was found. */
export interface NamedFile {
  readonly path: string;
  /** Absolute path of the file itself; where `path` is a link, of what it leads to. */
  readonly target: string;
  readonly state?: FileState;
  readonly bytes?: Uint8Array;
}

export type NamedFiles =
  | { readonly status: 'read'; readonly files: ReadonlyMap<string, NamedFile> }
  | { readonly status: 'refused'; readonly path: string; readonly reason: ApplyReason };

/**
 * The files that an edit names, read; or the first that must not be touched. No folder on the way may be a link. A link in the last place
 * is followed to a file of the repository, and stays.
 */
export async function readNamedFiles(
  root: string,
  edit: EditInput,
  maxBytes: number,
  fileSystem: FileSystemPort,
): Promise<NamedFiles> {
  const files = new Map<string, NamedFile>();
  const targets = new Map<string, string>();
  for (const path of pathsOf(edit)) {
    if (!isRepositoryPath(path) || isInJournal(path)) return refused(path, 'path_outside_repo');
    const named = await readNamed(root, path, maxBytes, fileSystem);
    // A link is edited through; it is no text that could be deleted or moved.
    if (typeof named !== 'string' && named.target !== join(root, path) && isTakenAway(edit, path))
      return refused(path, 'not_text');
    if (named === 'exists' && !isMade(edit, path)) continue; // below a file nothing is found
    if (typeof named === 'string') return refused(path, named);
    const other = targets.get(named.target);
    if (other !== undefined && other !== path) return refused(path, 'overlapping_edits');
    targets.set(named.target, path);
    files.set(path, named);
  }
  return { status: 'read', files };
}

function refused(path: string, reason: ApplyReason): NamedFiles {
  return { status: 'refused', path, reason };
}

function pathsOf(edit: EditInput): string[] {
  if (!isPackage(edit)) return [edit.file];
  return [...new Set(edit.files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))].sort();
}

function isTakenAway(edit: EditInput, path: string): boolean {
  return (
    isPackage(edit) && edit.files.some((file) => file.path === path && (file.op === 'delete' || file.op === 'move'))
  );
}

function isMade(edit: EditInput, path: string): boolean {
  return isPackage(edit) && edit.files.some((file) => (file.op === 'create' ? file.path : file.to) === path);
}

/** The journal is no file of the repository, whatever the case of its name on this disk. */
function isInJournal(path: string): boolean {
  const folded = path.normalize('NFKC').toLowerCase();
  return folded === JOURNAL || folded.startsWith(`${JOURNAL}/`);
}

async function readNamed(
  root: string,
  path: string,
  maxBytes: number,
  fileSystem: FileSystemPort,
): Promise<NamedFile | ApplyReason> {
  const above = await checkFolders(root, path, fileSystem);
  if (above !== undefined) return above === 'none' ? { path, target: join(root, path) } : above;
  const place = join(root, path);
  const found = await fileSystem.stat(place);
  if (found === undefined) return { path, target: place };
  const target = found.kind === 'link' ? await followInside(root, place, fileSystem) : place;
  if (target === undefined) return 'path_outside_repo';
  const state = found.kind === 'link' ? await fileSystem.stat(target) : found;
  if (state?.kind !== 'file') return 'not_text';
  if (state.size > maxBytes) return 'too_large';
  return { path, target, state, bytes: await fileSystem.read(target) };
}

/** Undefined where all folders above are there; `none` where one is missing, so that the file is too; else why not. */
export async function checkFolders(
  root: string,
  path: string,
  fileSystem: FileSystemPort,
): Promise<'none' | ApplyReason | undefined> {
  const segments = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= segments.length; depth++) {
    const state = await fileSystem.stat(join(root, ...segments.slice(0, depth)));
    if (state === undefined) return 'none';
    if (state.kind === 'file') return 'exists';
    if (state.kind !== 'folder') return 'path_outside_repo';
  }
  return undefined;
}

/** What a link leads to, when that is a file of the repository. */
async function followInside(root: string, place: string, fileSystem: FileSystemPort): Promise<string | undefined> {
  let real: string;
  try {
    real = await fileSystem.realPath(place);
  } catch {
    return undefined; // it leads nowhere, or round in a circle: either way out of the repository
  }
  if (!real.startsWith(root + sep)) return undefined;
  const path = real
    .slice(root.length + 1)
    .split(sep)
    .join('/');
  return isRepositoryPath(path) && !isInJournal(path) ? real : undefined;
}
