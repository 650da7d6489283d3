import { canonicalJson } from './canonical-json.ts';
import type { Sha } from './define-record.ts';
import { invalidTreePath } from './errors.ts';
import { type TreeEntry, TreeManifest } from './execution.ts';
import { parseJson } from './parse-json.ts';
import { checkRecord, parseRecord } from './parse-record.ts';
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

/**
 * Stores the manifest of the entries, sorted by path in code-unit order, and returns the hash that names the tree.
 * The bytes of the files are not looked for. Throws `invalid_tree_path`.
 */
export async function putTree(
  entries: readonly TreeEntry[],
  artifacts: ArtifactStore,
  options?: CancelOptions,
): Promise<Sha> {
  const sorted = [...entries].sort((a, b) => compareText(a.path, b.path));
  requireTree(sorted);
  return artifacts.put(new TextEncoder().encode(canonicalJson(checkRecord(TreeManifest, sorted))), options);
}

/** Entries of a stored tree, sorted by path. Throws `artifact_missing`, `not_json`, `invalid_record` or `invalid_tree_path`. */
export async function getTree(tree: Sha, artifacts: ArtifactStore, options?: CancelOptions): Promise<TreeEntry[]> {
  const text = new TextDecoder().decode(await artifacts.get(tree, options));
  const entries = parseRecord(TreeManifest, parseJson(text));
  requireTree(entries);
  return entries;
}

/**
 * A tree with some files written or deleted, in the order of the changes; the tree it came from stays as it is.
 * Deleting a path that is not there changes nothing. Throws `invalid_tree_path`.
 */
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

/** Every path inside the root, once, in order, and none both a file and a folder: else no run could be given the tree. */
function requireTree(entries: readonly TreeEntry[]): void {
  const paths = new Set(entries.map(({ path }) => path));
  let previous: string | undefined;
  for (const { path } of entries) {
    const why = problemOfPath(path) ?? problemOfOrder(path, previous) ?? problemOfParents(path, paths);
    if (why !== undefined) throw invalidTreePath(path, why);
    previous = path;
  }
}

function problemOfPath(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0'))
    return 'absolute, or holds a backslash or NUL';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'empty, "." or ".." segment';
  return undefined;
}

function problemOfOrder(path: string, previous: string | undefined): string | undefined {
  if (previous === undefined || previous < path) return undefined;
  return previous === path ? 'twice in one tree' : 'not sorted by path';
}

function problemOfParents(path: string, paths: ReadonlySet<string>): string | undefined {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    if (paths.has(path.slice(0, end))) return `${JSON.stringify(path.slice(0, end))} is a file of the tree`;
  }
  return undefined;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
