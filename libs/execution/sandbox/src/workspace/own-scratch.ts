import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { scratchUnusable } from '../errors.ts';
import { isRunning, readStat } from '../host/read-proc.ts';

/** Folders of one run on the host. `root` is seen by a namespaced run as `/h`. */
export interface RunFolders {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly tmp: string;
}

/** The private folder of one sandbox, 0700, removed by `close`. */
export interface Scratch {
  readonly path: string;
  /** A fresh set of run folders. */
  open(): RunFolders;
  remove(folders: RunFolders): Promise<void>;
  /** A folder that lives as long as the sandbox. */
  keep(name: string): string;
  close(): Promise<void>;
}

const PREFIX = 'h-sandbox-';
const FOREIGN_AGE_MS = 7 * 24 * 3600 * 1000;

/** Makes the private folder under `root` (default: the system's temporary folder) and removes those of processes that are dead. */
export async function ownScratch(root: string = tmpdir()): Promise<Scratch> {
  let path: string;
  try {
    mkdirSync(root, { recursive: true });
    await removeStale(root);
    path = mkdtempSync(join(root, `${PREFIX}${ownerTag()}-`));
  } catch (cause) {
    throw scratchUnusable(root, cause);
  }
  let serial = 0;
  return {
    path,
    open: () => {
      serial += 1;
      return makeRunFolders(join(path, `run-${serial}`));
    },
    remove: (folders) => removeTree(folders.root),
    keep: (name) => {
      const folder = join(path, name);
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    close: () => removeTree(path),
  };
}

function makeRunFolders(root: string): RunFolders {
  const folders = { root, workspace: join(root, 'workspace'), home: join(root, 'home'), tmp: join(root, 'tmp') };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o755 });
  return folders;
}

/** `<pid namespace>-<pid>-<start time>`: a pid alone is reused, and means another process in another container. */
export function ownerTag(): string {
  return `${pidNamespace()}-${process.pid}-${readStat(process.pid)?.startTime ?? '0'}`;
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

async function removeStale(root: string): Promise<void> {
  const stale = readdirSync(root).filter((name) => name.startsWith(PREFIX) && isStale(join(root, name), name));
  await Promise.all(stale.map((name) => removeTree(join(root, name))));
}

function isStale(path: string, name: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const tag = name.slice(PREFIX.length);
  return isStaleTag(tag) || (!isOfThisNamespace(tag) && Date.now() - stat.mtimeMs > FOREIGN_AGE_MS);
}

function isOfThisNamespace(tag: string): boolean {
  return tag.startsWith(`${pidNamespace()}-`);
}

/** Whether the owner in a name made with `ownerTag` is known to be dead. */
export function isStaleTag(tag: string): boolean {
  const [, pid, startTime] = tag.split('-');
  if (!isOfThisNamespace(tag)) return false;
  if (startTime !== '0') return !isRunning({ pid: Number(pid), startTime: startTime ?? '' });
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Removes a tree whatever a payload made of it: folders without rights, names that are no text, paths longer than the system takes.
 * Symbolic links are removed, not followed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await unlockFolders(path);
    // Node names files by text and whole paths; rm by bytes and from the folder they are in.
    const removed = await execa('rm', ['-rf', '--', path], { reject: false });
    if (removed.failed) await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function unlockFolders(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || !stat.isDirectory()) return;
  await chmod(path, 0o700).catch(() => undefined);
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await unlockFolders(join(path, entry.name));
  }
}
