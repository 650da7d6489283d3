import { canonicalJson } from './canonical-json.ts';
import type { Sha } from './define-record.ts';
import { invalidTreePath } from './errors.ts';
import { type TreeEntry, TreeManifest } from './execution.ts';
import { parseRecord } from './parse-record.ts';
import type { ArtifactStore, CancelOptions } from './ports.ts';

export const REGULAR_FILE = 0o100644;
export const EXECUTABLE_FILE = 0o100755;
export const SYMBOLIC_LINK = 0o120000;

export interface TreeChange {
  readonly path: string;
  /** New bytes, or null to delete the file. */
  readonly bytes: Uint8Array | null;
  /** Absent: the mode the path had, else a regular file. */
  readonly mode?: number;
}

/** Stores the manifest of the entries, sorted by path, and returns the hash that names the tree. Throws `invalid_tree_path`. */
export async function putTree(
  entries: readonly TreeEntry[],
  artifacts: ArtifactStore,
  options?: CancelOptions,
): Promise<Sha> {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const [index, { path }] of sorted.entries()) {
    const why = problemOfPath(path) ?? (sorted[index + 1]?.path === path ? 'twice in one tree' : undefined);
    if (why !== undefined) throw invalidTreePath(path, why);
  }
  return artifacts.put(new TextEncoder().encode(canonicalJson(sorted)), options);
}

/** Entries of a stored tree, sorted by path. */
export async function getTree(tree: Sha, artifacts: ArtifactStore, options?: CancelOptions): Promise<TreeEntry[]> {
  const bytes = await artifacts.get(tree, options);
  return parseRecord(TreeManifest, JSON.parse(new TextDecoder().decode(bytes)));
}

/** A tree with some files written or deleted; the tree it came from stays as it is. */
export async function editTree(
  tree: Sha,
  changes: readonly TreeChange[],
  artifacts: ArtifactStore,
  options?: CancelOptions,
): Promise<Sha> {
  const entries = new Map((await getTree(tree, artifacts, options)).map((entry) => [entry.path, entry]));
  for (const { path, bytes, mode } of changes) {
    if (bytes === null) entries.delete(path);
    else
      entries.set(path, {
        path,
        mode: mode ?? entries.get(path)?.mode ?? REGULAR_FILE,
        sha: await artifacts.put(bytes, options),
      });
  }
  return putTree([...entries.values()], artifacts, options);
}

function problemOfPath(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0'))
    return 'absolute, or holds a backslash or NUL';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'empty, "." or ".." segment';
  return undefined;
}
