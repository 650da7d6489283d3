import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ArtifactStore, getTree, type Sha, type TreeEntry } from '@h/contracts';
import type { KnownTree, TreeChanges } from '../disk/diff-trees.ts';
import { badTree } from '../errors.ts';
import type { LinkPlan } from './plan-links.ts';

/** Whose files a run's workspace are; undefined: those of this process. */
export type Owner = { readonly uid: number; readonly gid: number } | undefined;

export interface WriteOptions {
  readonly owner: Owner;
  readonly signal?: AbortSignal;
}

/** Writes trees into folders, as copies that share nothing. */
export interface Materialiser {
  entries(tree: Sha, options: { readonly signal?: AbortSignal }): Promise<readonly TreeEntry[]>;
  /** Into an empty folder. */
  materialise(tree: Sha, into: string, options: WriteOptions & { links: readonly LinkPlan[] }): Promise<void>;
  /** Makes another tree of a folder that holds `base`. */
  change(base: KnownTree, changes: TreeChanges, into: string, options: WriteOptions): Promise<void>;
  /** The bytes of a file of a tree. */
  read(sha: Sha, options: { readonly signal?: AbortSignal }): Promise<Uint8Array>;
}

const CACHE_BYTES = 64 * 1024 * 1024;
const LARGEST_CACHED = 1024 * 1024;
const CACHED_MANIFESTS = 512;
const FILES_AT_ONCE = 64;
const TURN_MS = 4;
const CREATE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const LINK_TYPE = 0o120000;
const TYPE_BITS = 0o170000;

/** Keeps file contents in memory (64 MiB), so that hundreds of trees that share most files are read once; a run has no way to reach them. */
export function createMaterialiser(artifacts: ArtifactStore): Materialiser {
  const contents = new Map<Sha, Uint8Array>();
  const manifests = new Map<Sha, TreeEntry[]>();
  let held = 0;

  const remember = (sha: Sha, bytes: Uint8Array) => {
    if (bytes.length > LARGEST_CACHED) return;
    contents.set(sha, bytes);
    held += bytes.length;
    for (const [oldest, old] of contents) {
      if (held <= CACHE_BYTES) break;
      contents.delete(oldest);
      held -= old.length;
    }
  };
  const read = async (sha: Sha, options: { signal?: AbortSignal }) => {
    const known = contents.get(sha);
    if (known !== undefined) return known;
    const bytes = await artifacts.get(sha, options);
    if (!contents.has(sha)) remember(sha, bytes);
    return bytes;
  };
  const entriesOf = async (tree: Sha, options: { signal?: AbortSignal }) => {
    const known = manifests.get(tree);
    if (known !== undefined) return known;
    const entries = await getTree(tree, artifacts, options);
    if (manifests.size >= CACHED_MANIFESTS) manifests.clear();
    manifests.set(tree, entries);
    return entries;
  };

  const write = async (
    entries: readonly TreeEntry[],
    folders: FolderMaker,
    { owner, links, signal }: WriteOptions & { links: readonly LinkPlan[] },
  ) => {
    const options = signal === undefined ? {} : { signal };
    const pause = pauseNowAndThen(signal);
    const files = entries.filter((entry) => !isLink(entry));
    for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
      const some = files.slice(at, at + FILES_AT_ONCE);
      const bytes = await Promise.all(some.map((entry) => contents.get(entry.sha) ?? read(entry.sha, options)));
      for (const [index, entry] of some.entries()) {
        await pause();
        writeEntry(folders, entry, bytes[index] ?? new Uint8Array(), owner);
      }
    }
    for (const plan of links) await placeLinks(folders, plan, owner, pause);
    // Last, so that no entry is ever written through a link of the tree.
    for (const entry of entries.filter(isLink)) {
      const target = new TextDecoder().decode(await read(entry.sha, options));
      attempt(entry.path, () => placeLink(folders.fileIn(entry.path), target, owner));
    }
  };

  return {
    entries: entriesOf,
    read,
    async materialise(tree, into, options) {
      const entries = await entriesOf(tree, options);
      await write(entries, new FolderMaker(into, options.owner), options);
    },
    async change({ folders }, { removed, emptied, written }, into, options) {
      for (const path of removed) unlinkSync(join(into, path));
      for (const path of emptied) rmdirSync(join(into, path));
      const left = new Set(folders);
      for (const path of emptied) left.delete(path);
      await write(written, new FolderMaker(into, options.owner, left), { ...options, links: [] });
    },
  };
}

export function isLink({ mode }: TreeEntry): boolean {
  return (mode & TYPE_BITS) === LINK_TYPE;
}

/** Synchronous writes are twice as fast; but a deadline of another run must not wait for them, nor a cancellation. */
function pauseNowAndThen(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let since = performance.now();
  signal?.throwIfAborted();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return new Promise((resolve, reject) =>
      setImmediate(() => {
        since = performance.now();
        if (signal?.aborted) reject(signal.reason);
        else resolve();
      }),
    );
  };
}

/** Makes each folder of one workspace once. */
class FolderMaker {
  readonly #root: string;
  readonly #owner: Owner;
  #masked: boolean | undefined;
  readonly #made: Set<string>;

  constructor(root: string, owner: Owner, there: Iterable<string> = []) {
    this.#root = root;
    this.#owner = owner;
    this.#made = new Set(['.', '', ...there]);
  }

  make(folder: string): void {
    if (this.#made.has(folder)) return;
    this.make(dirname(folder));
    const path = join(this.#root, folder);
    mkdirSync(path, { mode: 0o755 });
    if (this.#masked !== false) chmodSync(path, 0o755);
    if (this.#owner !== undefined) lchownSync(path, this.#owner.uid, this.#owner.gid);
    this.#made.add(folder);
  }

  /** Whether the mask of this process has taken rights from a file just made; asked of the system once. */
  masks(fd: number, mode: number): boolean {
    if (mode !== 0o644 && mode !== 0o755) return true;
    this.#masked ??= (fstatSync(fd).mode & 0o777) !== mode;
    return this.#masked;
  }

  fileIn(path: string): string {
    this.make(dirname(path));
    return `${this.#root}/${path}`;
  }
}

function writeEntry(folders: FolderMaker, entry: TreeEntry, bytes: Uint8Array, owner: Owner): void {
  attempt(entry.path, () => {
    const mode = entry.mode & 0o777;
    const fd = openSync(folders.fileIn(entry.path), CREATE_NEW, mode);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
      if (folders.masks(fd, mode)) fchmodSync(fd, mode);
    } finally {
      closeSync(fd);
    }
  });
}

async function placeLinks(
  folders: FolderMaker,
  plan: LinkPlan,
  owner: Owner,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  for (const folder of plan.folders) attempt(folder, () => folders.make(folder));
  for (const { path, target } of plan.links) {
    await pause();
    try {
      placeLink(folders.fileIn(path), target, owner);
    } catch (error) {
      // The tree brings this package itself: its own copy wins.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw badTree(path, 'cannot be linked', error);
    }
  }
}

function placeLink(path: string, target: string, owner: Owner): void {
  symlinkSync(target, path);
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
}

function attempt(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'ELOOP')
      throw badTree(path, 'is also a folder or file of another entry', error);
    if (code === 'ENAMETOOLONG') throw badTree(path, 'is longer than this host takes: mostly 255 bytes a name', error);
    throw error;
  }
}
