// Who may have changed an object. Objects that may reach one another form a region (union-find); a region knows the rows that changed
// something in it. Where the whole text of an object or slot is on record, its cell knows exactly which rows made that text.
import type { DependenceGraph } from './dependence-graph.ts';
import { createPairTable, enlarge } from './pair-table.ts';

/** An object, or what one name was bound to where the object has no `ref`. */
export type ObjectId = number;

export interface ObjectTracker {
  /** The object with this serial; a serial met for the first time is one more object. */
  ofRef(ref: number): ObjectId;
  /** Whether an object with this serial was met before. */
  knows(ref: number): boolean;
  /** An object whose serial is not known. */
  fresh(): ObjectId;
  /** From now on the two may reach one another. */
  join(a: ObjectId, b: ObjectId): void;
  /** Node of all rows so far that may have changed anything the object reaches; -1: none. */
  changes(object: ObjectId): number;
  addChange(object: ObjectId, node: number): void;
  /**
   * Node of what made the text of `object` (slot 0: the whole of it) what it is now. `alone`: nothing can write it under another identity,
   * so that an unchanged text means that no other row wrote it.
   */
  read(object: ObjectId, slot: number, text: number, alone: boolean): number;
  /** `text`: 0 where it is not on record. */
  write(object: ObjectId, slot: number, text: number, node: number): void;
  /** Node of what is known of the object or slot without looking at it again; -1: nothing. */
  nodeOf(object: ObjectId, slot: number): number;
  /** Its text; 0: not on record. */
  textOf(object: ObjectId, slot: number): number;
}

export function createTracker(graph: DependenceGraph): ObjectTracker {
  let parents = new Int32Array(256);
  /** Per root of a region: a node plus one. */
  let changed = new Int32Array(256);
  let objects = 0;
  const refs = new Map<number, ObjectId>();
  const cells = createCells();
  const fresh = (): ObjectId => {
    if (objects === parents.length) [parents, changed] = [enlarge(parents), enlarge(changed)];
    parents[objects] = objects;
    objects += 1;
    return objects - 1;
  };
  const find = (object: ObjectId): ObjectId => {
    let at = object;
    for (let up = parents[at] as number; up !== at; up = parents[at] as number) {
      const higher = parents[up] as number;
      parents[at] = higher;
      at = higher;
    }
    return at;
  };
  const changes = (object: ObjectId): number => (changed[find(object)] as number) - 1;
  return {
    fresh,
    changes,
    knows: (ref) => refs.has(ref),
    ofRef(ref) {
      const known = refs.get(ref);
      if (known !== undefined) return known;
      const object = fresh();
      refs.set(ref, object);
      return object;
    },
    join(a, b) {
      if (a === b) return;
      const left = find(a);
      const right = find(b);
      if (left === right) return;
      const low = Math.min(left, right);
      const high = Math.max(left, right);
      parents[high] = low;
      changed[low] = 1 + graph.both((changed[low] as number) - 1, (changed[high] as number) - 1);
    },
    addChange(object, node) {
      const root = find(object);
      changed[root] = 1 + graph.both(node, (changed[root] as number) - 1);
    },
    read(object, slot, text, alone) {
      const now = changes(object);
      const cell = cells.find(object, slot);
      const known = cell < 0 ? 0 : cells.text(cell);
      if (known > 0 && known === text && (alone || cells.changes(cell) === now)) return cells.node(cell);
      const node = graph.both(cell < 0 ? -1 : cells.node(cell), now);
      if (text > 0) cells.set(object, slot, text, node, now);
      return node;
    },
    write: (object, slot, text, node) => cells.set(object, slot, text, node, changes(object)),
    nodeOf(object, slot) {
      const cell = cells.find(object, slot);
      return cell < 0 ? -1 : cells.node(cell);
    },
    textOf(object, slot) {
      const cell = cells.find(object, slot);
      return cell < 0 ? 0 : cells.text(cell);
    },
  };
}

/**
 * What is known of objects and slots, and the changes of the region when it became known. The cell of a whole object is twice its number, that of a
 * slot is odd.
 */
function createCells() {
  const pairs = createPairTable();
  let texts = new Int32Array(512);
  /** Plus two: 0 says that there is no cell. */
  let nodes = new Int32Array(512);
  let changes = new Int32Array(512);
  return {
    find(object: number, slot: number): number {
      const cell = slot === 0 ? 2 * object : 2 * pairs.find(object, slot) + 1;
      return cell >= 0 && cell < nodes.length && nodes[cell] !== 0 ? cell : -1;
    },
    text: (cell: number) => texts[cell] as number,
    node: (cell: number) => (nodes[cell] as number) - 2,
    changes: (cell: number) => changes[cell] as number,
    set(object: number, slot: number, text: number, node: number, now: number) {
      const cell = slot === 0 ? 2 * object : 2 * pairs.add(object, slot) + 1;
      while (cell >= texts.length) [texts, nodes, changes] = [enlarge(texts), enlarge(nodes), enlarge(changes)];
      texts[cell] = text;
      nodes[cell] = node + 2;
      changes[cell] = now;
    },
  };
}
