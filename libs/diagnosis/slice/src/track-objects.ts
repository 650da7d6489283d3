// Who may have changed an object. Objects that may reach one another form a region (union-find); a region knows the rows that changed
// something in it. Where the whole text of an object or slot is on record, its cell knows exactly which rows made that text.
import type { DependenceGraph } from './dependence-graph.ts';

/** An object, or what one name was bound to where the object has no `ref`. */
export type ObjectId = number;

export interface ObjectTracker {
  /** The object with this serial; `known` tells whether it was met before. */
  ofRef(ref: number): { readonly object: ObjectId; readonly known: boolean };
  /** An object whose serial is not known. */
  fresh(): ObjectId;
  /** From now on the two may reach one another. */
  join(a: ObjectId, b: ObjectId): void;
  /** Node of all rows so far that may have changed anything the object reaches; -1: none. */
  changes(object: ObjectId): number;
  addChange(object: ObjectId, node: number): void;
  /**
   * Node of what made the text of `object` (slot "": the whole of it) what it is now. `alone`: nothing can write it under another identity,
   * so that an unchanged text means that no other row wrote it.
   */
  read(object: ObjectId, slot: string, text: string | undefined, alone: boolean): number;
  write(object: ObjectId, slot: string, cell: Cell): void;
  /** What is known of the object or slot without looking at it again. */
  cellOf(object: ObjectId, slot: string): Cell | undefined;
}

export interface Cell {
  /** Absent: not on record. */
  readonly text: string | undefined;
  readonly node: number;
}

export function createTracker(graph: DependenceGraph): ObjectTracker {
  const parents: number[] = [];
  /** Per root of a region. */
  const changed: number[] = [];
  const refs = new Map<number, ObjectId>();
  const cells = new Map<string, Cell & { readonly changes: number }>();
  const fresh = (): ObjectId => {
    changed.push(-1);
    return parents.push(parents.length) - 1;
  };
  const find = (object: ObjectId): ObjectId => {
    let at = object;
    for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
      const higher = parents[up] ?? up;
      parents[at] = higher;
      at = higher;
    }
    return at;
  };
  const changes = (object: ObjectId): number => changed[find(object)] ?? -1;
  return {
    fresh,
    changes,
    ofRef(ref) {
      const known = refs.get(ref);
      if (known !== undefined) return { object: known, known: true };
      const object = fresh();
      refs.set(ref, object);
      return { object, known: false };
    },
    join(a, b) {
      const [low, high] = [find(a), find(b)].sort((x, y) => x - y) as [number, number];
      if (low === high) return;
      parents[high] = low;
      changed[low] = graph.both(changed[low] ?? -1, changed[high] ?? -1);
    },
    addChange(object, node) {
      const root = find(object);
      changed[root] = graph.both(node, changed[root] ?? -1);
    },
    read(object, slot, text, alone) {
      const key = `${object}.${slot}`;
      const cell = cells.get(key);
      const now = changes(object);
      if (cell?.text !== undefined && cell.text === text && (alone || cell.changes === now)) return cell.node;
      const node = graph.both(cell?.node ?? -1, now);
      if (text !== undefined) cells.set(key, { text, node, changes: now });
      return node;
    },
    write: (object, slot, cell) => void cells.set(`${object}.${slot}`, { ...cell, changes: changes(object) }),
    cellOf: (object, slot) => cells.get(`${object}.${slot}`),
  };
}
