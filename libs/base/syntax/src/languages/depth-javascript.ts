import type { FlatTree } from '../flat-tree.ts';

/**
 * Weighted nesting that oxc takes with half of a 4 MiB stack (measured; a native crash cannot be caught). Chains of binary
 * operators, calls and members cost least.
 */
const LIMIT = 6000;
const CHAIN_WEIGHT = 1;
const NEST_WEIGHT = 4;
const CHAINS = new Set(['binary_expression', 'call_expression', 'member_expression', 'subscript_expression']);
const CHAIN_FIELDS = new Set(['left', 'function', 'object']);
const OPENING = new Set([':(', ':[', ':{', ':${']);
const CLOSING = new Set([':)', ':]', ':}']);

/** Whether the nesting could exhaust the native stack. */
export function isTooDeep(tree: FlatTree): boolean {
  return treeDepth(tree) > LIMIT || (tree.partial && tokenDepth(tree) > LIMIT);
}

function treeDepth(tree: FlatTree): number {
  const depths = new Int32Array(tree.count);
  let deepest = 0;
  for (let node = 1; node < tree.count; node++) {
    if (tree.next(node) === node + 1) continue;
    const depth = (depths[tree.parent(node)] as number) + weightOf(tree, node);
    depths[node] = depth;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** `a < b < c` may open type arguments in each place: oxc tries that first. */
function weightOf(tree: FlatTree, node: number): number {
  if (!CHAINS.has(tree.kind(node)) || !CHAIN_FIELDS.has(tree.field(node))) return NEST_WEIGHT;
  return tree.kind(tree.next(node + 1)) === ':<' ? NEST_WEIGHT : CHAIN_WEIGHT;
}

/** In a broken text the tree is flat where the parser would nest: count brackets, and tokens between separators. */
function tokenDepth(tree: FlatTree): number {
  const chains: number[] = [0];
  let total = 0;
  let deepest = 0;
  for (let node = 0; node < tree.count; node++) {
    if (tree.next(node) > node + 1) continue;
    const kind = tree.kind(node);
    const last = chains.length - 1;
    if (OPENING.has(kind)) {
      chains.push(0);
      total += NEST_WEIGHT;
    } else if (CLOSING.has(kind) && last > 0) {
      total -= NEST_WEIGHT + (chains.pop() as number);
    } else if (kind === ':;' || kind === ':,') {
      total -= chains[last] as number;
      chains[last] = 0;
    } else {
      chains[last] = (chains[last] as number) + CHAIN_WEIGHT;
      total += CHAIN_WEIGHT;
    }
    if (total > deepest) deepest = total;
  }
  return deepest;
}
