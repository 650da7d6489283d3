import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { INSIDE_ID } from './user-namespace.ts';

/** Host files that runtimes read and that tell nothing of the host's users or secrets. */
const COPIED = [
  'alternatives',
  'debian_version',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'magic.mime',
  'mime.types',
  'os-release',
  'protocols',
  'services',
  'ssl/certs/ca-certificates.crt',
  'ssl/openssl.cnf',
];
const COPIED_PREFIXES = ['python2', 'python3'];
const LARGEST_COPIED = 4 * 1024 * 1024;

/** Fills a folder to stand in for /etc: one user, no resolver, no host names but localhost; returns the folder. */
export function writeEtc(folder: string): string {
  const names = [
    ...COPIED,
    ...readdirSync('/etc').filter((name) => COPIED_PREFIXES.some((prefix) => name.startsWith(prefix))),
  ];
  for (const name of names) copyFrom(join('/etc', name), join(folder, name));
  const files = {
    passwd: `root:x:0:0:root:/nonexistent:/bin/false\nh:x:${INSIDE_ID}:${INSIDE_ID}:h:/h/home:/bin/sh\n`,
    group: `root:x:0:\nh:x:${INSIDE_ID}:\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
    hosts: '127.0.0.1 localhost h\n::1 localhost\n',
    'host.conf': 'multi on\n',
    hostname: 'h\n',
    'resolv.conf': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  makeReadable(folder);
  return folder;
}

function copyFrom(source: string, target: string): void {
  const stat = lstatSync(source, { throwIfNoEntry: false });
  if (stat === undefined) return;
  mkdirSync(dirname(target), { recursive: true });
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else if (stat.isFile() && stat.size <= LARGEST_COPIED && (stat.mode & 0o004) !== 0) copyFileSync(source, target);
  else if (stat.isDirectory()) {
    mkdirSync(target, { recursive: true });
    for (const name of readdirSync(source)) copyFrom(join(source, name), join(target, name));
  }
}

/** Whatever the mask of this process took away: the payload is another user. */
function makeReadable(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, stat.isDirectory() ? 0o755 : 0o644);
  if (stat.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}
