import { posix } from 'node:path';
import type { TreeEntry } from '@h/contracts';

/** A tree as a run may begin with it, taken apart once. */
export interface KnownTree {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly folders: ReadonlySet<string>;
}

/** What makes one tree of another. Applied in this order: files removed, then folders, then everything written. */
export interface TreeChanges {
  /** Files and links that are gone or are to be written anew. */
  readonly removed: readonly string[];
  /** Folders that hold nothing any more, those within others first. */
  readonly emptied: readonly string[];
  readonly written: readonly TreeEntry[];
}

export function knowTree(entries: readonly TreeEntry[]): KnownTree {
  return { entries: new Map(entries.map((entry) => [entry.path, entry])), folders: foldersOf(entries) };
}

/** Every folder that a file of the tree implies, without the root. */
function foldersOf(entries: readonly TreeEntry[]): Set<string> {
  const folders = new Set<string>();
  for (const { path } of entries) {
    for (let folder = posix.dirname(path); folder !== '.' && !folders.has(folder); folder = posix.dirname(folder))
      folders.add(folder);
  }
  return folders;
}

/** Undefined: they differ in more than `most` entries. */
export function diffTrees(base: KnownTree, wanted: readonly TreeEntry[], most: number): TreeChanges | undefined {
  const written: TreeEntry[] = [];
  const removed: string[] = [];
  let found = 0;
  for (const entry of wanted) {
    const known = base.entries.get(entry.path);
    if (known !== undefined) found += 1;
    if (known !== undefined && known.sha === entry.sha && known.mode === entry.mode) continue;
    written.push(entry);
    if (known !== undefined) removed.push(entry.path);
    if (written.length > most) return undefined;
  }
  const gone = base.entries.size - found;
  if (gone === 0) return { removed, emptied: [], written };
  if (gone + written.length > most) return undefined;
  const paths = new Set(wanted.map(({ path }) => path));
  for (const path of base.entries.keys()) if (!paths.has(path)) removed.push(path);
  return { removed, emptied: emptiedFolders(base, wanted), written };
}

function emptiedFolders(base: KnownTree, wanted: readonly TreeEntry[]): string[] {
  const left = foldersOf(wanted);
  const emptied = [...base.folders].filter((folder) => !left.has(folder));
  return emptied.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}
