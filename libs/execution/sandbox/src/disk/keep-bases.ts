import { basename } from 'node:path';
import type { Sha, TreeEntry } from '@h/contracts';
import { baseChanged } from '../errors.ts';
import { removeTree } from '../workspace/own-scratch.ts';
import type { LinkPlan } from '../workspace/plan-links.ts';
import type { Materialiser, Owner } from '../workspace/prepare-workspace.ts';
import { compareTree } from './compare-tree.ts';
import { diffTrees, type KnownTree, knowTree, type TreeChanges } from './diff-trees.ts';

/** A tree that lies ready, and what makes the wanted one of it. */
export interface Preparation {
  readonly base: KnownTree;
  readonly changes: TreeChanges;
  /** Folder with the base, never written again; settles when it is there. */
  readonly folder: Promise<string>;
  /** The folder may go once nobody uses it. */
  release(): void;
}

/** Trees that many runs begin with, each written once for every user that payloads have. */
export interface Bases {
  prepare(tree: Sha, owner: Owner, signal: AbortSignal | undefined): Promise<Preparation>;
  /** Another use of the folder of that name; undefined: it is gone. */
  hold(name: string): (() => void) | undefined;
  close(): Promise<void>;
}

export interface BasesOptions {
  readonly materialiser: Materialiser;
  readonly links: readonly LinkPlan[];
  /** A fresh folder of that name, where there is room. */
  readonly folder: (name: string) => string;
}

/** Files in which a tree may differ from one that lies ready and still be made of it. */
const MOST_CHANGES = 64;
const MOST_BASES = 4;
/** Uses after which a base is compared with its tree, byte by byte. */
const CHECKED_EVERY = 32;
const REMEMBERED = 1024;

interface Base {
  readonly tree: Sha;
  readonly known: KnownTree;
  /** By owner. */
  readonly copies: Map<string, Copy>;
}

interface Copy {
  readonly folder: Promise<string>;
  users: number;
  uses: number;
}

/** Candidates differ in few files: what they share is written once, and lies below what each of them adds. */
export function keepBases(options: BasesOptions): Bases {
  const { materialiser, links } = options;
  const closing = new AbortController();
  const copies = keepCopies(options, closing.signal);
  const chosen = new Map<Sha, Base>();
  let bases: Base[] = [];

  const choose = (tree: Sha, entries: readonly TreeEntry[]): { base: Base; changes: TreeChanges } => {
    const remembered = chosen.get(tree);
    const some = remembered !== undefined && bases.includes(remembered) ? [remembered] : bases;
    const { base, changes } = nearest(some, entries, links) ?? {
      base: { tree, known: knowTree(entries), copies: new Map() },
      changes: { removed: [], emptied: [], written: [] },
    };
    bases = [base, ...bases.filter((other) => other !== base)];
    if (chosen.size >= REMEMBERED) chosen.clear();
    // The same base for the same tree: else its folders could list in another order.
    chosen.set(tree, base);
    return { base, changes };
  };

  const evict = () => {
    const kept: Base[] = [];
    for (const base of bases) {
      const idle = [...base.copies.values()].every(({ users }) => users === 0);
      if (kept.length < MOST_BASES || !idle) kept.push(base);
      else for (const copy of base.copies.values()) copies.drop(copy);
    }
    bases = kept;
  };

  const use = (copy: Copy) =>
    countUse(copy, () => {
      if (bases.length > MOST_BASES) evict();
    });

  /** A payload has no way to a base; that it has none is looked at, not only believed. */
  const checked = async (base: Base, copy: Copy): Promise<string> => {
    const folder = await copy.folder;
    copy.uses += 1;
    if (copy.uses % CHECKED_EVERY !== 0) return folder;
    const difference = await compareTree(folder, base.known, { materialiser, links, signal: closing.signal });
    if (difference === undefined) return folder;
    bases = bases.filter((other) => other !== base);
    copies.forget(copy);
    throw baseChanged(difference);
  };

  return {
    async prepare(tree, owner, signal) {
      const entries = await materialiser.entries(tree, signal === undefined ? {} : { signal });
      const { base, changes } = choose(tree, entries);
      const copy = copies.of(base, owner);
      const release = use(copy);
      const folder = checked(base, copy);
      // Whoever was cancelled does not wait for it.
      folder.catch(() => undefined);
      return { base: base.known, changes, folder, release };
    },
    hold(name) {
      const copy = copies.named(name);
      return copy && use(copy);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(bases.flatMap((base) => [...base.copies.values()].map((copy) => copy.folder)));
      await copies.close();
    },
  };
}

/** One user more, until the answer is called. */
function countUse(copy: Copy, onEnd: () => void): () => void {
  let released = false;
  copy.users += 1;
  return () => {
    if (released) return;
    released = true;
    copy.users -= 1;
    onEnd();
  };
}

/** Folders with bases: one a base and user. */
function keepCopies({ materialiser, links, folder: makeFolder }: BasesOptions, signal: AbortSignal) {
  const byName = new Map<string, Copy>();
  const removals = new Set<Promise<void>>();
  let serial = 0;
  const forget = (copy: Copy) => {
    for (const [name, known] of byName) if (known === copy) byName.delete(name);
  };
  return {
    forget,
    named: (name: string) => byName.get(name),
    of(base: Base, owner: Owner): Copy {
      const key = String(owner?.uid);
      const known = base.copies.get(key);
      if (known !== undefined) return known;
      serial += 1;
      const path = makeFolder(`base-${serial}`);
      const write = async () => {
        await materialiser.materialise(base.tree, path, { owner, links, signal });
        byName.set(basename(path), copy);
        return path;
      };
      const copy: Copy = { folder: write(), users: 0, uses: 0 };
      // The next run tries again.
      copy.folder.catch(() => base.copies.delete(key));
      base.copies.set(key, copy);
      return copy;
    },
    drop(copy: Copy) {
      forget(copy);
      const removal = copy.folder.then(removeTree).catch(() => undefined);
      removals.add(removal);
      void removal.finally(() => removals.delete(removal));
    },
    close: () => Promise.all(removals),
  };
}

function nearest(bases: readonly Base[], entries: readonly TreeEntry[], links: readonly LinkPlan[]) {
  let best: { base: Base; changes: TreeChanges } | undefined;
  for (const base of bases) {
    const changes = diffTrees(base.known, entries, MOST_CHANGES);
    if (changes === undefined || touches(changes, links)) continue;
    if (best === undefined || sizeOf(changes) < sizeOf(best.changes)) best = { base, changes };
  }
  return best;
}

function sizeOf({ removed, written }: TreeChanges): number {
  return removed.length + written.length;
}

/** In folders of packages the tree and the links to the host share places: what wins there is decided when they are written together. */
function touches({ removed, written }: TreeChanges, links: readonly LinkPlan[]): boolean {
  const tops = links.flatMap(({ folders }) => folders.slice(0, 1));
  const within = (path: string) =>
    tops.some((top) => path === top || path.startsWith(`${top}/`) || top.startsWith(`${path}/`));
  return tops.length > 0 && (removed.some(within) || written.some(({ path }) => within(path)));
}
