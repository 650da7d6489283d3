import { lstatSync, readlinkSync } from 'node:fs';

const MOST_LINKS = 40;

/**
 * Whether a relative, normalized path leads to a folder without leaving the one it begins in. Links are followed by hand: the folder may
 * lie in mounts of another process, where the system would follow them in ours.
 */
export function isFolderInside(root: string, path: string): boolean {
  const left = path.split('/').filter((name) => name !== '');
  const at: string[] = [];
  for (let links = 0; left.length > 0; ) {
    const name = left.shift() ?? '';
    if (name === '.') continue;
    if (name === '..') {
      if (at.pop() === undefined) return false;
      continue;
    }
    const place = [root, ...at, name].join('/');
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) {
      const target = readlinkSync(place);
      links += 1;
      if (target.startsWith('/') || links > MOST_LINKS) return false;
      left.unshift(...target.split('/').filter((part) => part !== ''));
    } else if (stat?.isDirectory()) at.push(name);
    else return false;
  }
  return true;
}
