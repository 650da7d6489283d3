import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
} from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { scratchUnusable } from '../errors.ts';
import { isRunning, readStat } from '../host/read-proc.ts';
import { runTool } from '../host/run-tool.ts';

/** Folders of one run on the host. `root` is seen by a namespaced run as `/h`. */
export interface RunFolders {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly tmp: string;
}

/** The private folders of one sandbox, 0700, removed by `close`. */
export interface Scratch {
  /** One a root, in the order given. */
  readonly paths: readonly string[];
  /** A fresh set of run folders, in the first root with room. */
  open(): RunFolders;
  remove(folders: RunFolders): Promise<void>;
  /** A folder that lives as long as the sandbox. */
  keep(name: string): string;
  /** The same, in the first root with room. */
  roomy(name: string): string;
  close(): Promise<void>;
}

const PREFIX = 'h-sandbox-';
const FOREIGN_AGE_MS = 7 * 24 * 3600 * 1000;
const REMOVE_MS = 120_000;
const MEMORY_FOLDER = '/dev/shm';
/** Free memory and room in it below which copies go to the disk from the start, and for one run. */
const ROOM_AT_START = 2 * 1024 ** 3;
const ROOM_FOR_A_RUN = 512 * 1024 ** 2;

/**
 * Where private copies go when the caller does not say: into memory where that is plentiful and what a run writes there counts as its
 * own memory (`counted`), else the system's temporary folder. Making and removing 500 files takes 15 ms there and up to seconds on a busy disk.
 */
export function scratchRoots(counted: boolean): string[] {
  const plentiful = freemem() >= ROOM_AT_START && roomIn(MEMORY_FOLDER) >= ROOM_AT_START;
  return counted && plentiful && isPlainMemory(MEMORY_FOLDER) ? [MEMORY_FOLDER, tmpdir()] : [tmpdir()];
}

/** Makes a private folder under each root, and removes there those of processes that are dead. */
export async function ownScratch(roots: readonly string[]): Promise<Scratch> {
  const paths: string[] = [];
  for (const root of roots) paths.push(await makePrivate(root));
  const [first = ''] = paths;
  let serial = 0;
  const withRoom = () => paths.find((path) => roomIn(path) >= ROOM_FOR_A_RUN) ?? paths.at(-1) ?? first;
  return {
    paths,
    open: () => {
      serial += 1;
      return makeRunFolders(join(withRoom(), `run-${serial}`));
    },
    remove: (folders) => removeTree(folders.root),
    keep: (name) => makeFolder(join(first, name)),
    roomy: (name) => makeFolder(join(withRoom(), name)),
    close: async () => {
      await Promise.all(paths.map(removeTree));
    },
  };
}

async function makePrivate(root: string): Promise<string> {
  try {
    await removeStale(root);
    return mkdtempSync(join(root, `${PREFIX}${ownerTag()}-`));
  } catch (cause) {
    throw scratchUnusable(root, cause);
  }
}

function makeRunFolders(root: string): RunFolders {
  const folders = { root, workspace: join(root, 'workspace'), home: join(root, 'home'), tmp: join(root, 'tmp') };
  for (const folder of Object.values(folders)) makeFolder(folder);
  return folders;
}

/** With rights of its own, whatever the mask of this process takes away: the payload may be another user. */
function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  return path;
}

function roomIn(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Whether a file system in memory is mounted there, and programs may be run from it. */
function isPlainMemory(path: string): boolean {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'latin1')
      .split('\n')
      .filter((line) => line.split(' ')[4] === path);
    return mounts.length > 0 && mounts.every((line) => line.includes(' - tmpfs ') && !/\bnoexec\b/.test(line));
  } catch {
    return false;
  }
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
    const removed = await runTool('/bin/rm', ['-rf', '--', path], { timeoutMs: REMOVE_MS });
    if (removed.exitCode !== 0) await rm(path, { recursive: true, force: true, maxRetries: 3 });
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
