// What differs between two trees, asked by path.
import type { RepoPath, Sha } from '@h/contracts';
import { duplicatePath } from './errors.ts';

/** A file of a tree: a `TreeEntry` of `@h/contracts` is one. */
export interface PathIdentity {
  readonly path: RepoPath;
  readonly sha: Sha;
  /** Mode of the file as git writes it; a change of it is a change of the file. */
  readonly mode?: number;
}

export type PathChange = 'changed' | 'added' | 'removed';

export interface TreeDifference {
  /** By path, in code-unit order. */
  readonly changes: ReadonlyMap<RepoPath, PathChange>;
  /** Hash of a file at the baseline and now; undefined: it is in neither tree. */
  state(path: RepoPath): FileState | undefined;
  /** Whether a file or a folder that was not there has come. */
  appeared(path: string): boolean;
  /** Whether a name came to or vanished from a folder, `""` being the root. More changes never make this false. */
  listingChanged(folder: string): boolean;
}

export interface FileState {
  readonly before?: Sha;
  readonly after?: Sha;
  readonly change?: PathChange;
}

/** Compares two trees. Throws `duplicate_path`. */
export function compareTrees(before: readonly PathIdentity[], after: readonly PathIdentity[]): TreeDifference {
  const [old, now] = [byPath(before), byPath(after)];
  const states = new Map<RepoPath, FileState>();
  for (const path of [...new Set([...old.keys(), ...now.keys()])].sort(order))
    states.set(path, stateOf(old.get(path), now.get(path)));
  const changes = new Map<RepoPath, PathChange>();
  for (const [path, { change }] of states) if (change !== undefined) changes.set(path, change);
  const added = [...changes].filter(([, change]) => change === 'added').map(([path]) => path);
  const oldFolders = foldersOf(old.keys());
  const newFolders = foldersOf(added);
  const listings = changedListings(states, oldFolders);
  return {
    changes,
    state: (path) => states.get(path),
    appeared: (path) => changes.get(path) === 'added' || (newFolders.has(path) && !oldFolders.has(path)),
    listingChanged: (folder) => listings.has(folder),
  };
}

function byPath(tree: readonly PathIdentity[]): Map<RepoPath, PathIdentity> {
  const found = new Map<RepoPath, PathIdentity>();
  for (const entry of tree) {
    if (found.has(entry.path)) throw duplicatePath(entry.path);
    found.set(entry.path, entry);
  }
  return found;
}

function stateOf(before: PathIdentity | undefined, after: PathIdentity | undefined): FileState {
  if (before === undefined) return after === undefined ? {} : { after: after.sha, change: 'added' };
  if (after === undefined) return { before: before.sha, change: 'removed' };
  const equal = before.sha === after.sha && (before.mode ?? after.mode) === (after.mode ?? before.mode);
  return { before: before.sha, after: after.sha, ...(equal ? {} : { change: 'changed' }) };
}

function foldersOf(paths: Iterable<RepoPath>): Set<string> {
  const found = new Set<string>();
  for (const path of paths)
    for (let folder = folderOf(path); folder !== '' && !found.has(folder); folder = folderOf(folder)) found.add(folder);
  return found;
}

/**
 * Folders whose names differ: a new name, or one under which nothing of the baseline is left. The latter counts also when
 * something else took its place, so that more changes never undo a difference.
 */
function changedListings(states: ReadonlyMap<RepoPath, FileState>, oldFolders: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const surviving = foldersOf([...states].filter(([, state]) => isKept(state)).map(([path]) => path));
  for (const [path, { change }] of states) {
    if (change !== 'added' && change !== 'removed') continue;
    found.add(folderOf(path));
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const known = change === 'added' ? oldFolders : surviving;
      if (!known.has(folder)) found.add(folderOf(folder));
    }
  }
  return found;
}

function isKept({ before, after }: FileState): boolean {
  return before !== undefined && after !== undefined;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
