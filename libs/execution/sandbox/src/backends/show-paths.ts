import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { isInside } from '../workspace/plan-links.ts';

const SYSTEM_PATHS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/** A host path that every run sees: a folder, or the symbolic link that this host has in its place. */
export interface SystemPath {
  readonly path: string;
  readonly linkTo?: string;
}

/** Where programs, their libraries and nothing of users are. */
export function systemPaths(): SystemPath[] {
  return SYSTEM_PATHS.filter((path) => existsSync(path)).map((path) =>
    lstatSync(path).isSymbolicLink() ? { path, linkTo: readlinkSync(path) } : { path },
  );
}

/** Those of them that are folders. */
export function systemFolderPaths(): string[] {
  return systemPaths().flatMap(({ path, linkTo }) => (linkTo === undefined ? [path] : []));
}

/** Of the process list what no namespace parts: a payload of this same user would read the names of its keys. */
export function coveredFiles(): string[] {
  return ['/proc/keys', '/proc/key-users'].filter((path) => existsSync(path));
}

/** The paths and what they resolve to, without those that a system path or another of them shows already; sorted. */
export function visiblePaths(paths: readonly string[]): string[] {
  const all = [...new Set([...paths, ...paths.map((path) => realpathSync(path))])].sort();
  const seen = systemFolderPaths();
  return all.filter((path) => {
    if (seen.some((folder) => isInside(path, folder))) return false;
    seen.push(path);
    return true;
  });
}
