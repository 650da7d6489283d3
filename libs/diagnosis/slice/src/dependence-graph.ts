// The edges a slice walks, and the walk. Every row has two nodes: that it ran, and what came out of it.
import { enlarge } from './pair-table.ts';

/** Nodes are numbers: `2i` row i ran, `2i + 1` the result of row i; further ones stand for several nodes at once. -1 is no node. */
export interface DependenceGraph {
  /** Rows. */
  readonly size: number;
  link(from: number, to: number, kind: Kind): void;
  /** A node for both; the other one where one is missing. */
  both(a: number, b: number): number;
  /** A node that stands for no row and leads nowhere yet. */
  fresh(): number;
  /**
   * A walk over everything that nodes depend on; linear in nodes and edges reached, without recursion. `controlOf`: the node that decided
   * that a row ran, -1: none; one for every row, which is why it is no edge. `isShort`: nobody asks which rows were reached when, which takes room.
   */
  walk(controlOf: (row: number) => number, isShort: boolean): Walk;
}

export type Kind = typeof data | typeof control;
export const data = 0;
export const control = 1;

export interface Walk {
  /**
   * Goes on from these nodes, nearest first; gives back the rows that were not reached before (none where nobody asks). `levels`: how far away each node is taken to be,
   * ascending; 0 when absent.
   */
  follow(nodes: readonly number[], kind: Kind, levels?: readonly number[]): Int32Array;
  /** Per row: 0 not reached, 1 through control alone, 2 through data. */
  readonly rows: Uint8Array;
  /** Per row that was reached: dependences between it and the nodes first followed, the fewest at the `follow` that reached it; empty where nobody asks. */
  readonly depths: Int32Array;
  /** Nodes visited and edges followed so far. */
  steps(): number;
}

/** The node of row `row` having run. */
export const ran = (row: number): number => 2 * row;
/** The node of what row `row` computed. */
export const resultOf = (row: number): number => 2 * row + 1;

export function createGraph(size: number): DependenceGraph {
  // Room that is not written to costs no memory; making room later copies.
  // An edge is a number: twice the node it leads to, plus 1 for control. Most nodes have one: no cell is needed for it.
  /** Per node 0: no edge; below 0: all bits turned, its only edge; else the place of a cell. */
  let heads = new Int32Array(4 * size + 64);
  let nodes = 2 * size;
  /** Two numbers a cell, from place 2: what else the node has, as in `heads`, and an edge. */
  let cells = new Int32Array(16 * size + 64);
  let used = 2;
  const prepend = (from: number, rest: number, edge: number): void => {
    if (used === cells.length) cells = enlarge(cells);
    cells[used] = rest;
    cells[used + 1] = edge;
    heads[from] = used;
    used += 2;
  };
  const link = (from: number, to: number, kind: Kind): void => {
    if (from < 0 || to < 0 || from === to) return;
    const edge = 2 * to + kind;
    const head = heads[from] as number;
    if (head === 0) {
      heads[from] = ~edge;
      return;
    }
    if (edge === (head < 0 ? ~head : cells[head + 1])) return;
    prepend(from, head, edge);
  };
  const fresh = (): number => {
    if (nodes === heads.length) heads = enlarge(heads);
    nodes += 1;
    return nodes - 1;
  };
  return {
    size,
    fresh,
    link,
    both(a, b) {
      if (a < 0 || a === b) return b;
      if (b < 0) return a;
      const node = fresh();
      prepend(node, ~(2 * a + data), 2 * b + data);
      return node;
    },
    walk: (controlOf, isShort) => createWalk({ size, nodes, heads, cells, controlOf, isShort }),
  };
}

interface Edges {
  readonly size: number;
  readonly nodes: number;
  readonly heads: Int32Array;
  readonly cells: Int32Array;
  readonly controlOf: (row: number) => number;
  readonly isShort: boolean;
}

function createWalk({ size, nodes, heads, cells, controlOf, isShort }: Edges): Walk {
  const rows = new Uint8Array(size);
  const depths = new Int32Array(isShort ? 0 : size);
  const found = new Int32Array(isShort ? 0 : size);
  /** A bit a node. */
  const seen = new Int32Array((nodes >> 5) + 1);
  // Nearest first: those that wait to be followed, and those one dependence farther.
  let [near, far] = [new Int32Array(1024), new Int32Array(1024)];
  let [waiting, count, depth, steps] = [0, 0, 0, 0];
  const noteRow = (row: number, strength: number): void => {
    const flag = rows[row] as number;
    if (flag === 0 && !isShort) {
      found[count] = row;
      depths[row] = depth;
      count += 1;
    }
    if (flag < strength) rows[row] = strength;
  };
  const push = (node: number): void => {
    if (waiting === far.length) far = enlarge(far);
    far[waiting] = node;
    waiting += 1;
  };
  const reach = (edge: number): void => {
    const node = edge >> 1;
    const bit = 1 << (node & 31);
    let bits = bit;
    if (node < 2 * size) {
      noteRow(node >> 1, 2 - (edge & 1));
      // A result cannot be had without the row having run, which is the bit before.
      if ((node & 1) === 1) bits |= bit >>> 1;
    }
    const known = seen[node >> 5] as number;
    const fresh = bits & ~known;
    if (fresh === 0) return;
    seen[node >> 5] = known | bits;
    if (fresh !== bit) push(node - 1);
    if ((fresh & bit) !== 0) push(node);
  };
  const expand = (node: number): void => {
    steps += 1;
    const decided = node < 2 * size && (node & 1) === 0 ? controlOf(node >> 1) : -1;
    if (decided >= 0) reach(2 * decided + control);
    let at = heads[node] as number;
    for (; at > 0; at = cells[at] as number) {
      steps += 1;
      reach(cells[at + 1] as number);
    }
    if (at === 0) return;
    steps += 1;
    reach(~at);
  };
  return {
    rows,
    depths,
    steps: () => steps,
    follow(from, kind, levels = []) {
      const before = count;
      let next = 0;
      waiting = 0;
      for (depth = 0; waiting > 0 || next < from.length; ) {
        for (; next < from.length && (levels[next] ?? 0) <= depth; next += 1) reach(2 * (from[next] as number) + kind);
        [near, far] = [far, near];
        const end = waiting;
        waiting = 0;
        depth += 1;
        for (let at = 0; at < end; at += 1) expand(near[at] as number);
      }
      return found.subarray(before, count);
    },
  };
}
