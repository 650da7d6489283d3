import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemPaths } from './show-paths.ts';
import { writeEtc } from './write-etc.ts';

/** Where the host's own root is until a run has taken from it what it needs; empty afterwards. */
export const HOST_FOLDER = '/.host';

/** Devices of the host that every run has, as far as this host has them. */
export const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

const FOLDERS = ['proc', 'etc', 'dev/pts', 'dev/shm', 'tmp', 'var', 'h/workspace', 'h/home', HOST_FOLDER.slice(1)];
const LINKS = {
  'dev/fd': '/proc/self/fd',
  'dev/stdin': '/proc/self/fd/0',
  'dev/stdout': '/proc/self/fd/1',
  'dev/stderr': '/proc/self/fd/2',
  'dev/ptmx': 'pts/ptmx',
  'var/tmp': '/tmp',
};

/** Fills a folder to be the root of runs: places for mounts, the links of this host, an /etc of its own. */
export function buildRoot(root: string): void {
  for (const folder of FOLDERS) makeFolder(root, folder);
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(root, path));
  for (const { path, linkTo } of systemPaths()) {
    if (linkTo === undefined) makeFolder(root, path.slice(1));
    else symlinkSync(linkTo, join(root, path));
  }
  for (const name of DEVICES) if (existsSync(`/dev/${name}`)) writeFileSync(join(root, 'dev', name), '');
  writeEtc(join(root, 'etc'));
}

/** Makes a place in the root for a host path to be mounted on. */
export function makeMountPoint(root: string, path: string): void {
  if (existsSync(join(root, path))) return;
  const isFolder = statSync(path).isDirectory();
  makeFolder(root, (isFolder ? path : dirname(path)).slice(1));
  if (!isFolder) writeFileSync(join(root, path), '');
}

/** With its ancestors, each passable whatever the mask of this process takes away. */
function makeFolder(root: string, folder: string): void {
  let path = root;
  for (const name of folder.split('/')) {
    path = join(path, name);
    if (existsSync(path)) continue;
    mkdirSync(path);
    chmodSync(path, 0o755);
  }
}
