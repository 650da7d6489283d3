// The edges a slice walks, and the walk. Every row has two nodes: that it ran, and what came out of it.

/** Nodes are numbers: `2i` row i ran, `2i + 1` the result of row i; further ones stand for several nodes at once. -1 is no node. */
export interface DependenceGraph {
  /** Rows. */
  readonly size: number;
  link(from: number, to: number, kind: 'data' | 'control'): void;
  /** A node for both; the other one where one is missing. */
  both(a: number, b: number): number;
  /** A node that stands for no row and leads nowhere yet. */
  fresh(): number;
  /** A walk over everything that nodes depend on; linear in nodes and edges reached, without recursion. */
  walk(): Walk;
}

export interface Walk {
  /** Goes on from these nodes; gives back the rows that were not reached before. */
  follow(nodes: readonly number[], kind: 'data' | 'control'): number[];
  /** Per row: 0 not reached, 1 through control alone, 2 through data. */
  readonly rows: Uint8Array;
  /** Nodes visited and edges followed so far. */
  steps(): number;
}

/** The node of row `row` having run. */
export const ran = (row: number): number => 2 * row;
/** The node of what row `row` computed. */
export const resultOf = (row: number): number => 2 * row + 1;

export function createGraph(size: number): DependenceGraph {
  const heads: number[] = new Array<number>(2 * size).fill(-1);
  /** Per edge: the next edge of its node, the node it leads to, 1 for control. */
  const next: number[] = [];
  const targets: number[] = [];
  const kinds: number[] = [];
  const link = (from: number, to: number, control: number): void => {
    if (from < 0 || to < 0 || from === to) return;
    next.push(heads[from] ?? -1);
    targets.push(to);
    kinds.push(control);
    heads[from] = next.length - 1;
  };
  const fresh = (): number => heads.push(-1) - 1;
  return {
    size,
    fresh,
    link: (from, to, kind) => link(from, to, kind === 'control' ? 1 : 0),
    both(a, b) {
      if (a < 0 || a === b) return b;
      if (b < 0) return a;
      const node = fresh();
      link(node, a, 0);
      link(node, b, 0);
      return node;
    },
    walk: () => createWalk({ size, heads, next, targets, kinds }),
  };
}

interface Edges {
  readonly size: number;
  readonly heads: readonly number[];
  readonly next: readonly number[];
  readonly targets: readonly number[];
  readonly kinds: readonly number[];
}

function createWalk({ size, heads, next, targets, kinds }: Edges): Walk {
  const rows = new Uint8Array(size);
  const seen = new Uint8Array(heads.length);
  const stack: number[] = [];
  let found: number[] = [];
  let steps = 0;
  const visit = (node: number, kind: number): void => {
    const row = node < 2 * size ? node >> 1 : -1;
    if (row >= 0) {
      if (rows[row] === 0) found.push(row);
      rows[row] = Math.max(rows[row] ?? 0, 2 - kind);
    }
    if (seen[node] === 1) return;
    seen[node] = 1;
    stack.push(node);
    // A result cannot be had without the row having run.
    if (row >= 0 && (node & 1) === 1) visit(node - 1, kind);
  };
  return {
    rows,
    steps: () => steps,
    follow(nodes, kind) {
      found = [];
      for (const node of nodes) visit(node, kind === 'control' ? 1 : 0);
      for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
        steps += 1;
        for (let edge = heads[node] ?? -1; edge >= 0; edge = next[edge] ?? -1) {
          steps += 1;
          visit(targets[edge] ?? 0, kinds[edge] ?? 0);
        }
      }
      return found;
    },
  };
}
