// The calls the adapter makes, each one step: what a test can let fail, and what another store can answer.
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';

/** A file system as the adapter needs it. Paths are absolute; no call but `realPath` follows a link in the last place. */
export interface FileSystemPort {
  /** Undefined where there is nothing. */
  readonly stat: (path: string) => Promise<FileState | undefined>;
  readonly realPath: (path: string) => Promise<string>;
  readonly read: (path: string) => Promise<Uint8Array>;
  /** Writes a file that was not there, down to the disk. */
  readonly create: (path: string, bytes: Uint8Array, like: Ownership) => Promise<void>;
  /** Writes into a file that is there and stays the same file. */
  readonly overwrite: (path: string, bytes: Uint8Array) => Promise<void>;
  /** A second name for a file; fails where the name is taken. */
  readonly link: (from: string, to: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly list: (path: string) => Promise<string[]>;
  readonly makeFolder: (path: string) => Promise<void>;
  readonly removeFolder: (path: string) => Promise<void>;
  /** Brings a folder's list of names down to the disk. */
  readonly syncFolder: (path: string) => Promise<void>;
}

export interface Ownership {
  /** Permission bits. */
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
}

export interface FileState extends Ownership {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Names the file has. */
  readonly links: number;
}

/** The code of an error of a file system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export const nodeFileSystem: FileSystemPort = {
  async stat(path) {
    try {
      const found = await lstat(path);
      const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
      const { mode, uid, gid, size, nlink } = found;
      return { kind, mode: mode & 0o7777, uid, gid, size, links: nlink };
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  },
  realPath: (path) => realpath(path),
  read: (path) => withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW, (file) => file.readFile()),
  create: (path, bytes, { mode, uid, gid }) =>
    withFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, async (file) => {
      await file.writeFile(bytes);
      const made = await file.stat();
      if (uid !== undefined && gid !== undefined && (made.uid !== uid || made.gid !== gid)) {
        await file.chown(uid, gid).catch((error: unknown) => {
          if (codeOf(error) !== 'EPERM') throw error; // only root may give files away: the file is then the writer's own
        });
      }
      await file.chmod(mode);
      await file.sync();
    }),
  overwrite: (path, bytes) =>
    withFile(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_TRUNC, async (file) => {
      await file.writeFile(bytes);
      await file.sync();
    }),
  link,
  rename,
  remove: unlink,
  list: (path) => readdir(path),
  makeFolder: (path) => mkdir(path).then(() => undefined),
  removeFolder: rmdir,
  syncFolder: (path) => withFile(path, constants.O_RDONLY, (folder) => folder.sync()),
};

type OpenFile = Awaited<ReturnType<typeof open>>;

async function withFile<T>(path: string, flags: number, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await open(path, flags, 0o600);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
