// What is mounted for a run under util-linux: as lines for `mount --all`, before its run is known and after.
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { type DiskMaker, type DiskPlan, overlayOptions } from '../disk/plan-disk.ts';
import type { SlotFolders } from '../disk/slot-folders.ts';
import { isInside } from '../workspace/plan-links.ts';
import type { LaunchPlan } from './backend.ts';
import { DEVICES, HOST_FOLDER, makeMountPoint } from './build-root.ts';
import { findSockets } from './find-sockets.ts';
import { bindOptions, fstabLine, type HostMount, showReadOnly } from './plan-mounts.ts';
import { quoteWord } from './shape-process.ts';
import { coveredFiles, systemFolderPaths, systemPaths, visiblePaths } from './show-paths.ts';

/** Where the payload sees its own folders. */
export const PAYLOAD_ROOT = '/h';
const TMP_PATHS = ['/tmp', '/dev/shm'];

export interface MountParts {
  /** Folder that becomes the root of every run, read-only. */
  readonly root: string;
  readonly mounts: readonly HostMount[];
  /** Absent where this host cannot make disks of a limited size. */
  readonly disks?: { readonly maker: DiskMaker; readonly folders: SlotFolders };
}

/** Mounts that are the same for every run with such a disk, read where the host's root still is the root. */
export function rootMounts({ mounts, root, disks }: MountParts, disk: DiskPlan | undefined): string {
  const bind = (source: string, target: string, options: readonly string[]) =>
    fstabLine(source, target, 'none', bindOptions(mounts, source, options));
  const devices = DEVICES.map((name) => `/dev/${name}`).filter((path) => existsSync(path));
  const lines = [
    bind(root, root, ['ro', 'nosuid', 'nodev']),
    ...systemPaths()
      .filter(({ linkTo }) => linkTo === undefined)
      .flatMap(({ path }) => showReadOnly(mounts, path, path, `${root}${path}`)),
    fstabLine('proc', `${root}/proc`, 'proc', 'nosuid,nodev,noexec'),
    ...devices.map((path) => bind(path, `${root}${path}`, ['nosuid'])),
    fstabLine('devpts', `${root}/dev/pts`, 'devpts', 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec'),
    ...(disk === undefined || disks === undefined
      ? TMP_PATHS.map((path) => fstabLine('tmpfs', `${root}${path}`, 'tmpfs', temporaryOptions(1024 * 1024)))
      : diskMounts(root, overlayOptions(disks.maker, disk))),
  ];
  return `${lines.join('\n')}\n`;
}

function diskMounts(root: string, overlay: string): string[] {
  const own = (name: string, target: string) =>
    fstabLine(`disk/${name}`, `${root}${target}`, 'none', 'bind,nosuid,nodev');
  return [
    fstabLine('h', `${root}${PAYLOAD_ROOT}/workspace`, 'overlay', `nosuid,nodev,${overlay}`),
    own('home', `${PAYLOAD_ROOT}/home`),
    ...TMP_PATHS.map((path) => own(posix.basename(path), path)),
  ];
}

function temporaryOptions(bytes: number): string {
  return `nosuid,nodev,mode=1777,size=${bytes}`;
}

/** Host paths as runs see them. */
export interface Shown {
  readonly fstab: readonly string[];
  /** Commands for their places in folders that are in memory. */
  readonly places: readonly string[];
}

export function showPaths({ mounts, root }: MountParts, readOnlyPaths: readonly string[]): Shown {
  const paths = visiblePaths(readOnlyPaths);
  const inMemory = paths.filter((path) => TMP_PATHS.some((folder) => isInside(path, folder)));
  for (const path of paths) makeMountPoint(root, path);
  return {
    fstab: paths.flatMap((path) => showReadOnly(mounts, path, `${HOST_FOLDER}${path}`, path)),
    places: inMemory.flatMap((path) => {
      const folder = quoteWord(posix.dirname(path));
      const place = quoteWord(path);
      return [`if [ -d ${HOST_FOLDER}${place} ]; then mkdir -p ${place}; else mkdir -p ${folder}; : > ${place}; fi`];
    }),
  };
}

/** Empty where nothing is left to be mounted. */
export function runMounts(
  { mounts }: MountParts,
  { policy, disk, readOnlyPaths }: LaunchPlan,
  folder: string,
  { fstab }: Shown,
): string {
  const late = [...fstab, ...coverSockets(mounts, readOnlyPaths)];
  if (disk !== undefined) return late.map((line) => `${line}\n`).join('');
  const options = bindOptions(mounts, folder, ['nosuid', 'nodev']);
  const own = ['workspace', 'home'].map((name) =>
    fstabLine(`${HOST_FOLDER}${folder}/${name}`, `${PAYLOAD_ROOT}/${name}`, 'none', options),
  );
  const temporary = TMP_PATHS.map((path) =>
    fstabLine('none', path, 'none', `remount,${temporaryOptions(policy.disk_bytes)}`),
  );
  return `${[...temporary, ...own, ...late].join('\n')}\n`;
}

function coverSockets(mounts: readonly HostMount[], readOnlyPaths: readonly string[]): string[] {
  const nothing = `${HOST_FOLDER}/dev/null`;
  const sockets = findSockets([...systemFolderPaths(), ...visiblePaths(readOnlyPaths)]);
  return [...sockets, ...coveredFiles()].map((path) =>
    fstabLine(nothing, path, 'none', bindOptions(mounts, '/dev/null', ['nosuid'])),
  );
}
