import type { IsolationPolicy } from '@h/contracts';
import { quoteWord } from '../backends/shape-process.ts';
import type { HostTools } from '../host/find-tools.ts';

/** The disk of one run: what it begins with, and what the run may add. */
export interface DiskPlan {
  /** Name of a link to the prepared tree, in the folder that the disk is made in. */
  readonly lower: string;
  readonly bytes: number;
  readonly inodes: number;
}

/** How disks are made on this host. */
export interface DiskMaker {
  readonly mount: string;
  /** Inside a user namespace: overlays then keep their marks elsewhere, and a folder of the tree cannot be renamed in one step. */
  readonly inUserNamespace: boolean;
}

/** Below this a file system in memory would not be limited at all, or could not be set up. */
const FEWEST_BYTES = 64 * 1024;
const FEWEST_INODES = 32;
/** What the disk itself needs: its folders, and those of the overlay. */
const OWN_INODES = 12;

/** The same limits and tree: a disk made ahead for one will do for the other. */
export function sameDisk(one: DiskPlan | undefined, other: DiskPlan | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.lower === other.lower && one.bytes === other.bytes && one.inodes === other.inodes;
}

export function planDisk(lower: string, policy: Pick<IsolationPolicy, 'disk_bytes' | 'inodes_max'>): DiskPlan {
  return {
    lower,
    bytes: Math.max(FEWEST_BYTES, Math.floor(policy.disk_bytes)),
    inodes: Math.max(FEWEST_INODES, Math.floor(policy.inodes_max) + OWN_INODES),
  };
}

/** Shell commands, run in the folder of the disk, that make `disk`: a file system in memory with a place for everything a run writes. */
export function diskCommands({ mount }: Pick<DiskMaker, 'mount'>, { bytes, inodes }: DiskPlan): string[] {
  const options = `size=${bytes},nr_inodes=${inodes},mode=755,nosuid,nodev`;
  return [
    `${quoteWord(mount)} -t tmpfs -o ${options} h disk`,
    '/bin/mkdir -m 1777 disk/upper disk/work disk/home disk/tmp disk/shm',
  ];
}

/** Options of the overlay of prepared tree and disk, relative to the folder of the disk. */
export function overlayOptions({ inUserNamespace }: DiskMaker, { lower }: DiskPlan): string {
  const marks = inUserNamespace ? 'userxattr' : 'redirect_dir=on';
  return `${marks},lowerdir=${lower},upperdir=disk/upper,workdir=disk/work`;
}

/** Words by which a command gets mounts of its own. */
export function mountNamespace({ unshare }: HostTools, { inUserNamespace }: DiskMaker): string[] {
  return [unshare ?? 'unshare', ...(inUserNamespace ? ['--user', '--map-root-user'] : []), '--mount', '--'];
}
