import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Programs of the host that backends use, by absolute path; absent when the host has none. */
export interface HostTools {
  readonly bwrap?: string;
  readonly setpriv?: string;
  readonly prlimit?: string;
  readonly setarch?: string;
  readonly unshare?: string;
  readonly nsenter?: string;
  readonly mount?: string;
  readonly umount?: string;
  readonly pivot_root?: string;
  readonly setsid?: string;
  readonly ip?: string;
  readonly perl?: string;
}

const NAMES: readonly (keyof HostTools)[] = [
  'bwrap',
  'setpriv',
  'prlimit',
  'setarch',
  'unshare',
  'nsenter',
  'mount',
  'umount',
  'pivot_root',
  'setsid',
  'ip',
  'perl',
];

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** Looks in the system's folders first, so that nothing in a project's PATH stands in for a tool of isolation. */
export function findTools(path: string): HostTools {
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const file = findProgram(name, [...SYSTEM_FOLDERS, ...path.split(delimiter)].join(delimiter));
    if (file !== undefined) found[name] = file;
  }
  return found;
}

/** First executable of that name in the folders of `path`; an absolute name is only checked. */
export function findProgram(name: string, path: string): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
