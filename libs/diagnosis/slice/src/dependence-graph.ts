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
   * that a row ran, -1: none; one for every row, which is why it is no edge.
   */
  walk(controlOf: (row: number) => number): Walk;
}

export type Kind = typeof data | typeof control;
export const data = 0;
export const control = 1;

export interface Walk {
  /**
   * Goes on from these nodes, nearest first; gives back the rows that were not reached before. `levels`: how far away each node is taken to be,
   * ascending; 0 when absent.
   */
  follow(nodes: readonly number[], kind: Kind, levels?: readonly number[]): Int32Array;
  /** Per row: 0 not reached, 1 through control alone, 2 through data. */
  readonly rows: Uint8Array;
  /** Per row that was reached: the fewest dependences between it and the nodes first followed. */
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
  let heads = new Int32Array(4 * size + 64);
  let nodes = 2 * size;
  /** Per edge, from 1: the next edge of its node, and twice the node it leads to, plus 1 for control. */
  let next = new Int32Array(12 * size + 64);
  let targets = new Int32Array(12 * size + 64);
  let edges = 1;
  const link = (from: number, to: number, kind: Kind): void => {
    if (from < 0 || to < 0 || from === to) return;
    const target = 2 * to + kind;
    const head = heads[from] as number;
    if (head > 0 && targets[head] === target) return;
    if (edges === next.length) [next, targets] = [enlarge(next), enlarge(targets)];
    next[edges] = head;
    targets[edges] = target;
    heads[from] = edges;
    edges += 1;
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
      link(node, a, data);
      link(node, b, data);
      return node;
    },
    walk: (controlOf) => createWalk({ size, nodes, heads, next, targets, controlOf }),
  };
}

interface Edges {
  readonly size: number;
  readonly nodes: number;
  readonly heads: Int32Array;
  readonly next: Int32Array;
  readonly targets: Int32Array;
  readonly controlOf: (row: number) => number;
}

function createWalk({ size, nodes, heads, next, targets, controlOf }: Edges): Walk {
  const rows = new Uint8Array(size);
  const depths = new Int32Array(size);
  const seen = new Uint8Array(nodes);
  // Nearest first: what waits lies between `head` and `tail`.
  let queue = new Int32Array(1024);
  const found = new Int32Array(size);
  let [head, tail, depth, count, steps] = [0, 0, 0, 0, 0];
  const push = (node: number): void => {
    if (seen[node] === 1) return;
    seen[node] = 1;
    if (tail === queue.length) queue = enlarge(queue);
    queue[tail] = node;
    tail += 1;
  };
  const visit = (node: number, kind: number): void => {
    if (node < 2 * size) {
      const row = node >> 1;
      const flag = rows[row] as number;
      if (flag === 0) {
        found[count] = row;
        depths[row] = depth;
        count += 1;
      }
      if (flag < 2 - kind) rows[row] = 2 - kind;
      // A result cannot be had without the row having run.
      if ((node & 1) === 1) push(node - 1);
    }
    push(node);
  };
  const expand = (node: number): void => {
    steps += 1;
    const decided = node < 2 * size && (node & 1) === 0 ? controlOf(node >> 1) : -1;
    if (decided >= 0) visit(decided, control);
    for (let edge = heads[node] as number; edge > 0; edge = next[edge] as number) {
      steps += 1;
      const target = targets[edge] as number;
      visit(target >> 1, target & 1);
    }
  };
  return {
    rows,
    depths,
    steps: () => steps,
    follow(from, kind, levels = []) {
      const before = count;
      let waiting = 0;
      [head, tail] = [0, 0];
      for (let level = 0; head < tail || waiting < from.length; level += 1) {
        depth = level;
        for (; waiting < from.length && (levels[waiting] ?? 0) <= level; waiting += 1)
          visit(from[waiting] as number, kind);
        depth = level + 1;
        for (const end = tail; head < end; head += 1) expand(queue[head] as number);
      }
      return found.subarray(before, count);
    },
  };
}
