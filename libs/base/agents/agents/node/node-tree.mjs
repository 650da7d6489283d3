// Puts a tree back as it was before a candidate ran.
import { chmodSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file of a tree by what a write to it would change. `files` are the bytes of those that candidates change. */
export function createTree(root, files, { own, kept }) {
  const device = lstatSync(root).dev;
  const before = look();

  function look() {
    const folders = new Set();
    const marks = new Map();
    const work = [''];
    for (let folder = work.pop(); folder !== undefined; folder = work.pop()) {
      for (const name of readdirSync(join(root, folder))) {
        const path = folder === '' ? name : `${folder}/${name}`;
        const place = join(root, path);
        if (place === own || place === kept) continue;
        const status = lstatSync(place, { bigint: true, throwIfNoEntry: false });
        if (status === undefined) continue;
        if (status.isDirectory()) {
          folders.add(path);
          if (Number(status.dev) === device) work.push(path);
        } else marks.set(path, markOf(status));
      }
    }
    return { folders, marks };
  }

  /** Puts a file in the place of another: the one that was there may have other names. */
  function replace(path, bytes) {
    const place = join(root, path);
    remove(place);
    writeFileSync(place, bytes, { flag: 'wx' });
    chmodSync(place, Number(before.marks.get(path).split(' ', 1)[0]) & 0o7777);
  }

  return {
    replace,
    /** False where a file that no candidate changes is not as it was. */
    putBack() {
      const { folders, marks } = look();
      let isWhole = [...before.folders].every((folder) => folders.has(folder));
      for (const path of marks.keys()) if (!before.marks.has(path)) remove(join(root, path));
      for (const path of [...folders].sort()) if (!before.folders.has(path)) remove(join(root, path));
      for (const [path, mark] of before.marks) {
        if (marks.get(path) === mark) continue;
        if (files.has(path) && marks.has(path)) {
          replace(path, files.get(path));
          before.marks.set(path, markOf(lstatSync(join(root, path), { bigint: true })));
        } else isWhole = false;
      }
      return isWhole;
    },
  };
}

function markOf({ mode, size, mtimeNs, ctimeNs }) {
  return `${mode} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** What cannot be removed stays, and is seen by who looks again. */
export function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}
