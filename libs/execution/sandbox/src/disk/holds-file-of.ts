import { type Dirent, lstatSync, readdirSync } from 'node:fs';

const MOST_ENTRIES = 50_000;
/** A shell may count sizes in blocks of so much. */
const BLOCK_BYTES = 1024;

/** Whether some file in these folders, or below, has grown to just this size. Follows no links, and looks at 50,000 entries at most. */
export function holdsFileOf(bytes: number, folders: readonly string[]): boolean {
  const left = [...folders];
  let seen = 0;
  for (let folder = left.pop(); folder !== undefined && seen < MOST_ENTRIES; folder = left.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) left.push(path);
      if (!entry.isFile()) continue;
      const size = sizeOf(path);
      if (size >= bytes && size < bytes + BLOCK_BYTES) return true;
    }
  }
  return false;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return -1;
  }
}
