import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { ArtifactStore, CollectedFile } from '@h/contracts';
import picomatch from 'picomatch';

export interface CollectOptions {
  /** Folders that are not searched by patterns, relative to the workspace. */
  readonly skip: readonly string[];
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** Told of each file that matched and was left out. */
  readonly onLeftOut?: (path: string, why: string) => void;
}

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
  const found = new Map<string, Uint8Array>();
  const visit = createVisitor(globs, options, found);
  const root = openFolder(workspace);
  if (root !== undefined) visit(root, workspace, '');
  const files: CollectedFile[] = [];
  for (const [path, bytes] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    files.push({ path, sha: await artifacts.put(bytes), bytes: bytes.length });
  }
  return files;
}

function createVisitor(globs: readonly string[], options: CollectOptions, found: Map<string, Uint8Array>) {
  const matches = picomatch([...globs], { dot: true });
  const bases = globs.map((glob) => picomatch.scan(glob).base);
  let total = 0;
  const leaveOut = (path: string, why: string) => options.onLeftOut?.(path, why);
  const worthEntering = (path: string) =>
    bases.some(
      (base) =>
        base === path ||
        base.startsWith(`${path}/`) ||
        ((base === '' || path.startsWith(`${base}/`)) && !options.skip.includes(path)),
    );

  const takeFile = (folder: string, name: string, path: string) => {
    const room = Math.min(options.maxFileBytes, options.maxTotalBytes - total);
    const read = readRegular(`${folder}/${name}`, room);
    if (read === undefined) return;
    if (typeof read === 'number') return leaveOut(path, `${read} bytes, ${room} allowed`);
    total += read.length;
    found.set(path, read);
  };
  const visit = (fd: number, path: string, inside: string) => {
    // Linux: names are resolved from the open folder itself. Elsewhere the path has to do.
    const folder = process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
        if (entry.isFile() && matches(name)) takeFile(folder, entry.name, name);
        if (!entry.isDirectory() || !worthEntering(name)) continue;
        const child = openFolder(`${folder}/${entry.name}`);
        if (child !== undefined) visit(child, `${path}/${entry.name}`, name);
      }
    } finally {
      closeSync(fd);
    }
  };
  return visit;
}

function openFolder(path: string): number | undefined {
  try {
    return openSync(path, OPEN_FOLDER);
  } catch {
    return undefined;
  }
}

/** Bytes of a regular file; its size when that is more than allowed; undefined when it is none. */
function readRegular(path: string, allowed: number): Uint8Array | number | undefined {
  let fd: number;
  try {
    fd = openSync(path, OPEN_FILE);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    if (stat.size > allowed) return stat.size;
    const bytes = Buffer.alloc(stat.size);
    let at = 0;
    for (let read = 1; read > 0 && at < bytes.length; at += read) read = readSync(fd, bytes, at, bytes.length - at, at);
    return bytes.subarray(0, at);
  } finally {
    closeSync(fd);
  }
}
