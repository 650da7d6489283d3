import { chmodSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { DiskSupport } from '../backends/backend.ts';

/** Folder beside the disk where a process finds what it is to do; a run sees its own folders within it. */
export const CONTROL = 'control';

/** One folder a slot in which its disks are mounted, in mounts that only the run has. */
export interface SlotFolders {
  path(slot: number): string;
}

export function slotFolders(folder: (name: string) => string, slots: number): SlotFolders {
  const paths = Array.from({ length: slots }, (_, slot) => {
    // As it is, without links: those would be followed in this program's mounts, not in the run's.
    const path = realpathSync(folder(`slot-${slot}`));
    for (const name of ['disk', 'merged', CONTROL, `${CONTROL}/workspace`, `${CONTROL}/home`]) {
      mkdirSync(`${path}/${name}`);
      // Whatever the mask of this process takes away.
      chmodSync(`${path}/${name}`, 0o755);
    }
    return path;
  });
  return { path: (slot) => paths[slot] ?? '' };
}

/** Disks of processes that see the host's own folders until they are let go. */
export function diskSupport(folders: SlotFolders): DiskSupport {
  return {
    offer: offerIn(folders),
    places: (leader, slot) => {
      const path = `/proc/${leader}/root${folders.path(slot)}`;
      return { workspace: `${path}/merged`, home: `${path}/disk/home` };
    },
  };
}

/** A link beside the disk: mount options take no path that holds a comma or a colon. */
export function offerIn(folders: SlotFolders): DiskSupport['offer'] {
  const known = new Set<string>();
  return (slot, folder) => {
    const link = `${folders.path(slot)}/${basename(folder)}`;
    if (!known.has(link)) symlinkSync(folder, link);
    known.add(link);
    return basename(folder);
  };
}
