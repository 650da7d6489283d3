import { chmodSync, chownSync, closeSync, constants, openSync, statfsSync } from 'node:fs';
import type { DiskPlaces } from '../backends/backend.ts';
import type { Owner } from '../workspace/prepare-workspace.ts';

/** What is on a disk at one moment. */
export interface DiskRoom {
  /** Whether there is no room left, for bytes or for files. */
  readonly full: boolean;
  readonly usedBytes: number;
}

/** The disk of one run, held open: it lives until `close`, whatever becomes of the run's processes and mounts. */
export interface OpenDisk {
  /** The workspace as this program reaches it, now and after the run. */
  readonly workspace: string;
  room(): DiskRoom;
  close(): void;
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Less than a page: nothing can be written. */
const PAGE_BYTES = 4096;

/** Takes hold of a disk before its payload begins, and gives it to the payload's user. */
export function openDisk({ workspace, home }: DiskPlaces, owner: Owner): OpenDisk {
  const fd = openSync(workspace, OPEN_FOLDER);
  // Through the descriptor: the mounts themselves end with the run.
  const path = `/proc/self/fd/${fd}/.`;
  try {
    for (const folder of [path, home]) {
      chmodSync(folder, 0o755);
      if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let open = true;
  return {
    workspace: path,
    room: () => {
      const { bavail, bfree, blocks, bsize, ffree } = statfsSync(path);
      return { full: bavail * bsize < PAGE_BYTES || ffree === 0, usedBytes: (blocks - bfree) * bsize };
    },
    close: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}
