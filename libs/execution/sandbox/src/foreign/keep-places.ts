import { hashRecord, type IsolationPolicy, type IsolationProperty, type Sha, type TreeEntry } from '@h/contracts';
import { diffTrees, type KnownTree, type TreeChanges } from '../disk/diff-trees.ts';

/** A place that holds a tree, and takes one run after another. */
export interface Place {
  readonly name: string;
  readonly kind: Sha;
  readonly base: KnownTree;
}

/** Places of one executor: each is lent to one run at a time, or idle. */
export interface Places {
  /** The idle place of that kind whose tree is nearest; undefined: none is near enough. */
  take(kind: Sha, entries: readonly TreeEntry[]): { readonly place: Place; readonly changes: TreeChanges } | undefined;
  /** One that is to be made. The answer is what has to be dropped for it. */
  add(place: Place): Place[];
  /** It may serve another run. */
  giveBack(place: Place): void;
  /** It is dropped. */
  lose(place: Place): void;
  /** Takes all that are idle. */
  empty(): Place[];
}

/** Files in which a tree may differ from the one that is there. */
const MOST_CHANGES = 256;

export function keepPlaces(most: number): Places {
  const lent = new Set<Place>();
  let idle: Place[] = [];
  return {
    take(kind, entries) {
      let best: { place: Place; changes: TreeChanges } | undefined;
      for (const place of idle) {
        const changes = place.kind === kind ? diffTrees(place.base, entries, MOST_CHANGES) : undefined;
        if (changes !== undefined && (best === undefined || sizeOf(changes) < sizeOf(best.changes)))
          best = { place, changes };
      }
      if (best === undefined) return undefined;
      idle = idle.filter((place) => place !== best.place);
      lent.add(best.place);
      return best;
    },
    add(place) {
      lent.add(place);
      return idle.splice(Math.max(0, most - lent.size));
    },
    giveBack(place) {
      lent.delete(place);
      idle.unshift(place);
    },
    lose: (place) => {
      lent.delete(place);
    },
    empty: () => idle.splice(0),
  };
}

function sizeOf({ removed, written }: TreeChanges): number {
  return removed.length + written.length;
}

/** What a place is made with: runs whose policies differ here cannot share one. */
export function kindOf(policy: IsolationPolicy): Sha {
  const { memory_bytes, pids_max, cpu_cores, disk_bytes, inodes_max, network, filesystem } = policy;
  return hashRecord({ memory_bytes, pids_max, cpu_cores, disk_bytes, inodes_max, network, filesystem });
}

/** Properties that a system keeps by what a place is: a second run in it would find what the first left, or share its limits. */
const OF_PLACES: ReadonlySet<IsolationProperty> = new Set([
  'workspace_private',
  'scratch_private',
  'no_survivors',
  'pid_namespace',
  'ipc_namespace',
  'memory_limit',
  'pids_limit',
  'cpu_time_limit',
  'disk_limit',
  'inodes_limit',
]);

export function holdsForPlaces(enforces: readonly IsolationProperty[]): boolean {
  return enforces.some((property) => OF_PLACES.has(property));
}
