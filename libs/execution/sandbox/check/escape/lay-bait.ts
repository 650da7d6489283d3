import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callNumbers } from './payloads.ts';

/** Folders below the shared one. Everything in them is open to every user: only the sandbox is to stand in the way. */
const FOLDERS = ['hidden', 'ro', 'packages/tool', 'home/.ssh', 'cwd', 'sockets', 'out'] as const;
const HOME_SECRETS = ['.netrc', '.npmrc', '.git-credentials', '.ssh/id_rsa'];

/** What the host of the attacks wrote down about itself. */
export interface SharedBait {
  readonly tcp: number;
  readonly hostname: string;
  readonly [name: string]: unknown;
}

/** What an attack is told. It never holds the canary. */
export interface Bait extends SharedBait {
  readonly token: string;
  /** Folder of the host that runs do not see. */
  readonly hidden: string;
  /** Folder of the host that runs may read. */
  readonly ro: string;
  /** The same, and in reach through a link of the workspace. */
  readonly packages: string;
  readonly home: string;
  readonly cwd: string;
  readonly caller: number;
  /** A process of the caller's that has nothing to do with the run. */
  readonly bystander: number;
  readonly calls: Readonly<Record<string, number>>;
  /** Device that holds the root of the host. */
  readonly disk: readonly [major: number, minor: number];
}

/** Makes the folders that all runs share, before their host starts. */
export function layFolders(shared: string, canary: string): void {
  writeFileSync(join(shared, 'canary'), canary);
  for (const folder of FOLDERS) makeOpenFolder(join(shared, folder));
  for (const name of HOME_SECRETS) writeOpenFile(join(shared, 'home', name), canary);
  for (const place of ['hidden/secret', 'hidden/appended', 'cwd/secret', 'packages/tool/keep'])
    writeOpenFile(join(shared, place), place.endsWith('secret') ? canary : 'kept');
  writeOpenFile(join(shared, 'resolv.conf'), `# ${canary}\nnameserver 127.0.0.77\noptions timeout:1 attempts:1\n`);
  writeOpenFile(join(shared, 'hosts'), `127.0.0.1 localhost\n127.0.0.1 host-of-${canary}\n`);
  for (const log of ['contacts', 'typed']) writeOpenFile(join(shared, log), '');
}

/** Folders of one run's own. */
export function layRunBait(shared: string, name: string, canary: string): Pick<Bait, 'hidden' | 'ro' | 'packages'> {
  const folders = {
    hidden: join(shared, 'hidden', name),
    ro: join(shared, 'ro', name),
    packages: join(shared, 'packages/tool', name),
  };
  for (const folder of Object.values(folders)) {
    makeOpenFolder(join(folder, 'inner'));
    makeOpenFolder(folder);
    writeOpenFile(join(folder, 'keep'), 'kept');
    chmodSync(join(folder, 'keep'), 0o666);
  }
  writeOpenFile(join(folders.hidden, 'secret'), canary);
  return folders;
}

export function describeHost(shared: string): Pick<Bait, 'home' | 'cwd' | 'caller' | 'calls' | 'disk'> {
  const { dev } = lstatSync('/');
  return {
    home: join(shared, 'home'),
    cwd: join(shared, 'cwd'),
    caller: process.pid,
    calls: callNumbers(process.arch),
    disk: [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)],
  };
}

/** Everything below a folder, as text that differs when anything is made, changed, moved or taken away. */
export function photograph(folder: string): Map<string, string> {
  const seen = new Map<string, string>();
  const visit = (path: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const { ino, mode, uid, gid, nlink, mtimeMs, size } = stat;
    const content = stat.isFile() && size < 10_000 ? read(path) : stat.isSymbolicLink() ? readlinkSync(path) : '';
    const folderly = stat.isDirectory() ? [] : [nlink, mtimeMs, size];
    seen.set(path, [ino, mode, uid, gid, ...folderly, content].join(' '));
    if (stat.isDirectory()) for (const name of names(path)) visit(join(path, name));
  };
  visit(folder);
  return seen;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '(not readable)';
  }
}

function names(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function makeOpenFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
}

function writeOpenFile(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o666);
}
