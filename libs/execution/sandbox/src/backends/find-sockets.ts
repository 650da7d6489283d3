import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { posix, relative } from 'node:path';
import { isInside } from '../workspace/plan-links.ts';

const NAMED = /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/gm;

/**
 * Unix sockets of this host that a run would see below the folders it is shown, as paths inside; sorted. A mount that is read-only stops
 * no connection to them, so each has to be covered. Found in the kernel's list of this network namespace, by their absolute paths.
 */
export function findSockets(folders: readonly string[], list: string = readList()): string[] {
  const bound = [...list.matchAll(NAMED)].flatMap(([, path = '']) => locateSocket(path));
  if (bound.length === 0) return [];
  const shown = folders.flatMap((folder) => {
    const real = realpathSync(folder);
    return bound.filter((path) => isInside(path, real)).map((path) => posix.join(folder, relative(real, path)));
  });
  return [...new Set(shown)].sort();
}

function readList(): string {
  try {
    return readFileSync('/proc/net/unix', 'utf8');
  } catch {
    return '';
  }
}

/** Where it really is; nothing when it is gone, or not for this user to look at, and then not for a run either. */
function locateSocket(path: string): string[] {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isSocket() ? [real] : [];
  } catch {
    return [];
  }
}
