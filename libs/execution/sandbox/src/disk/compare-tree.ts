import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import type { TreeEntry } from '@h/contracts';
import type { LinkPlan } from '../workspace/plan-links.ts';
import { isLink, type Materialiser } from '../workspace/prepare-workspace.ts';
import type { KnownTree } from './diff-trees.ts';

export interface CompareOptions {
  readonly materialiser: Pick<Materialiser, 'read'>;
  readonly links: readonly LinkPlan[];
  readonly signal: AbortSignal;
}

const TURN_MS = 4;
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The first way in which a folder is not the tree that was written to it; undefined: byte for byte the same. */
export async function compareTree(
  folder: string,
  tree: KnownTree,
  options: CompareOptions,
): Promise<string | undefined> {
  const added = findAdded(folder, tree, options.links);
  if (added !== undefined) return `${added} was added`;
  let since = performance.now();
  for (const entry of tree.entries.values()) {
    const wanted = await options.materialiser.read(entry.sha, options);
    if (!isSame(`${folder}/${entry.path}`, entry, wanted)) return `${entry.path} was changed`;
    if (performance.now() - since < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    options.signal.throwIfAborted();
    since = performance.now();
  }
  return undefined;
}

function isSame(path: string, entry: TreeEntry, wanted: Uint8Array): boolean {
  try {
    if (isLink(entry)) return readlinkSync(path) === new TextDecoder().decode(wanted);
    const fd = openSync(path, OPEN_FILE);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile() || stat.size !== wanted.length || (stat.mode & 0o777) !== (entry.mode & 0o777)) return false;
      const bytes = Buffer.alloc(stat.size);
      return readSync(fd, bytes, 0, bytes.length, 0) === bytes.length && Buffer.compare(bytes, wanted) === 0;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}

function findAdded(folder: string, tree: KnownTree, links: readonly LinkPlan[]): string | undefined {
  const places = new Set(links.flatMap((plan) => [...plan.folders, ...plan.links.map(({ path }) => path)]));
  for (const path of places) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) places.add(path.slice(0, at));
  }
  const search = (inside: string): string | undefined => {
    for (const entry of readdirSync(`${folder}/${inside}`, { withFileTypes: true })) {
      const path = inside + entry.name;
      const known = entry.isDirectory() ? tree.folders.has(path) : tree.entries.has(path);
      if (!known && !places.has(path)) return path;
      const below = entry.isDirectory() ? search(`${path}/`) : undefined;
      if (below !== undefined) return below;
    }
    return undefined;
  };
  return search('');
}
