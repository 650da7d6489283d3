import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import type { ArtifactStore, CollectedFile, ObserveOptions } from '@h/contracts';

export interface CollectionLimits {
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** Told of each file that matched and was left out. */
  readonly onLeftOut?: (path: string, why: string) => void;
}

export interface CollectOptions extends CollectionLimits {
  /** Folders that are not searched by patterns, relative to the workspace. */
  readonly skip: readonly string[];
}

/** 64 MiB a file, 256 MiB a run; what is left out is an event. */
export function collectionLimits(onEvent: ObserveOptions['onEvent']): CollectionLimits {
  return {
    maxFileBytes: 64 * 1024 * 1024,
    maxTotalBytes: 256 * 1024 * 1024,
    onLeftOut: (path, why) => onEvent?.({ kind: 'file_left_out', message: `${path} was not collected: ${why}` }),
  };
}

/** Folders below folders; each that is open takes a descriptor of this program. */
const DEEPEST = 64;
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
// Without waiting: opening a named pipe would otherwise hang.
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Stores the regular files that match, sorted by path. Each folder is opened without following links and searched through its
 * descriptor, so that a path replaced meanwhile by a symbolic link leads nowhere.
 */
export async function collectFiles(
  workspace: string,
  globs: readonly string[],
  artifacts: ArtifactStore,
  options: CollectOptions,
): Promise<CollectedFile[]> {
  const files: CollectedFile[] = [];
  // Loaded with the first use: importing the sandbox should cost next to nothing.
  const { default: picomatch } = await import('picomatch');
  // By `s` also where a name holds the end of a line, which "." else does not match.
  const matches = picomatch([...globs], { dot: true, flags: 's' });
  const bases = globs.map((glob) => picomatch.scan(glob).base);
  const worthEntering = (path: string) =>
    bases.some((base) => leadsTo(path, base) || (isBelow(path, base) && !options.skip.includes(path)));
  let total = 0;
  const take = async (place: Place, name: string) => {
    const room = Math.min(options.maxFileBytes, options.maxTotalBytes - total);
    const bytes = await readRegular(`${place.folder}/${name}`, room);
    if (typeof bytes === 'number') options.onLeftOut?.(place.inside + name, `${bytes} bytes, ${room} allowed`);
    if (bytes === undefined) options.onLeftOut?.(place.inside + name, UNREADABLE);
    if (bytes === undefined || typeof bytes === 'number') return;
    total += bytes.length;
    files.push({ path: place.inside + name, sha: await artifacts.put(bytes), bytes: bytes.length });
  };
  const show = async (place: Place, entry: Entry) => {
    if (!entry.isText) {
      const path = place.inside + entry.name;
      if ((entry.isFile && matches(path)) || (entry.isFolder && worthEntering(path)))
        options.onLeftOut?.(path, 'its name is not UTF-8');
      return false;
    }
    if (entry.isFile && matches(place.inside + entry.name)) await take(place, entry.name);
    if (!entry.isFolder || !worthEntering(place.inside + entry.name)) return false;
    if (place.depth >= DEEPEST)
      options.onLeftOut?.(`${place.inside}${entry.name}/`, `more than ${DEEPEST} folders deep`);
    return place.depth < DEEPEST;
  };
  const onClosed = (inside: string) => options.onLeftOut?.(inside, UNREADABLE);
  await visit(workspace, '', { show, onClosed });
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function leadsTo(path: string, base: string): boolean {
  return base === path || base.startsWith(`${path}/`);
}

function isBelow(path: string, base: string): boolean {
  return base === '' || path.startsWith(`${base}/`);
}

const UNREADABLE = 'it could not be opened';

/** An entry of a folder; `isText`: its name is UTF-8, else there may be another of this name. */
interface Entry {
  readonly name: string;
  readonly isText: boolean;
  readonly isFile: boolean;
  readonly isFolder: boolean;
}

function readEntry(entry: Dirent<Buffer>): Entry {
  const name = entry.name.toString();
  const isText = Buffer.from(name).equals(entry.name);
  return { name, isText, isFile: entry.isFile(), isFolder: entry.isDirectory() };
}

/** A folder that is open, and its name in the workspace with a "/" behind, or "". */
interface Place {
  readonly folder: string;
  readonly inside: string;
  readonly depth: number;
}

interface Visitor {
  readonly show: (place: Place, entry: Entry) => Promise<boolean>;
  /** Told of a folder that could not be opened. */
  readonly onClosed: (inside: string) => void;
}

/** Shows every entry of a folder, in order; enters those for which the answer is true. A folder that cannot be opened is empty. */
async function visit(path: string, inside: string, visitor: Visitor, depth = 0): Promise<void> {
  const handle = await open(path, OPEN_FOLDER).catch(() => undefined);
  if (handle === undefined) {
    visitor.onClosed(inside);
    return;
  }
  try {
    // Linux: names are resolved from the open folder itself. Elsewhere the path has to do.
    const folder = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    for (const entry of entries.map(readEntry).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (await visitor.show({ folder, inside, depth }, entry))
        await visit(`${folder}/${entry.name}`, `${inside}${entry.name}/`, visitor, depth + 1);
    }
  } finally {
    await handle.close();
  }
}

/** Bytes of a regular file; its size when that is more than allowed; undefined when it is none. */
async function readRegular(path: string, allowed: number): Promise<Uint8Array | number | undefined> {
  const handle = await open(path, OPEN_FILE).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    if (stat.size > allowed) return stat.size;
    const bytes = Buffer.alloc(stat.size);
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await handle.close();
  }
}
