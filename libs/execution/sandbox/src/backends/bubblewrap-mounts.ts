import { statSync } from 'node:fs';
import { posix } from 'node:path';
import type { StartPlan } from './backend.ts';
import { findSockets } from './find-sockets.ts';
import { coveredFiles, systemFolderPaths, systemPaths, visiblePaths } from './show-paths.ts';

/** Where a run sees its own folders. */
export const ROOT = '/h';
const TMP_PATHS = ['/tmp', '/dev/shm'];

/** Options of bwrap for what every run sees of this host. */
export function showSystem(etc: string): string[] {
  const system = systemPaths().flatMap(({ path, linkTo }) =>
    linkTo === undefined ? ['--ro-bind', path, path] : ['--symlink', linkTo, path],
  );
  const temporary = ['--perms', '0755', '--dir', '/var', '--symlink', '/tmp', '/var/tmp'];
  return [...system, '--ro-bind', etc, '/etc', '--proc', '/proc', '--dev', '/dev', ...temporary];
}

/** Temporary folders on the run's disk. */
export function showDisk(disk: string): string[] {
  return TMP_PATHS.flatMap((path) => ['--bind', `${disk}/${posix.basename(path)}`, path]);
}

/** Temporary folders of a run that has no disk. */
export function makeTemporary(help: string, { policy }: StartPlan): string[] {
  const size = help.includes('--size') ? ['--size', String(policy.disk_bytes)] : [];
  return TMP_PATHS.flatMap((path) => [...size, '--perms', '1777', '--tmpfs', path]);
}

/** What a run has of its own, as host paths; `control` holds what it is to do. */
export interface OwnFolders {
  readonly control: string;
  readonly workspace: string;
  readonly home: string;
}

/** The run's own folder comes last: without it nothing is started, so that half-written options start nothing. */
export function showFolders({ readOnlyPaths }: StartPlan, { control, workspace, home }: OwnFolders): string[] {
  const made = new Set(['/', '/tmp']);
  const shown = visiblePaths(readOnlyPaths);
  const bound = shown.flatMap((path) => [...ancestors(path, made), '--ro-bind', path, path]);
  const covered = [...findSockets([...systemFolderPaths(), ...shown]), ...coveredFiles()].flatMap((path) => [
    '--ro-bind',
    '/dev/null',
    path,
  ]);
  const sealed = ['/dev', '/'].flatMap((path) => ['--remount-ro', path]);
  const own = ['--ro-bind', control, ROOT, '--bind', workspace, `${ROOT}/workspace`, '--bind', home, `${ROOT}/home`];
  return [...bound, ...covered, ...own, ...sealed];
}

/** bwrap makes missing parents 0700; the payload's user has to pass them. */
function ancestors(path: string, made: Set<string>): string[] {
  const parent = posix.dirname(path);
  if (made.has(parent)) return [];
  made.add(parent);
  return [...ancestors(parent, made), '--perms', '0755', '--dir', parent];
}

/** What the mounts of a start were made for. A socket that came since, or came again, would not be covered; a folder made anew not be seen. */
export function mountKey({ policy, readOnlyPaths }: StartPlan): string {
  const shown = visiblePaths(readOnlyPaths);
  const sockets = findSockets([...systemFolderPaths(), ...shown]);
  const identities = [...shown, ...sockets].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Of a folder the time is that of its last change, which is of no matter.
    return [path, stat?.dev, stat?.ino, stat?.isSocket() ? stat.ctimeMs : undefined];
  });
  return JSON.stringify([policy.network, policy.determinism.no_aslr, identities]);
}
