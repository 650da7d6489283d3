import type { Language } from './language-of.ts';

/** A concrete syntax tree in preorder: node 0 is the root, the children of `n` lie in `(n, next(n))`. */
export interface FlatTree {
  readonly text: string;
  readonly language: Language;
  /** Number of nodes. */
  readonly count: number;
  /** The text did not parse as a whole: some nodes are errors or missing. */
  readonly partial: boolean;
  /** tree-sitter's node type; anonymous nodes (keywords, punctuation) carry a leading `:` to keep them apart. */
  kind(node: number): string;
  /** Field name of the node in its parent, or ''. */
  field(node: number): string;
  start(node: number): number;
  end(node: number): number;
  /** Parent node; -1 for the root. */
  parent(node: number): number;
  /** The first node after the subtree of this one. */
  next(node: number): number;
}

/** The direct children of a node, in order. */
export function childrenOf(tree: FlatTree, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) children.push(child);
  return children;
}

/** The first direct child in the field; -1 when there is none. */
export function childInField(tree: FlatTree, node: number, field: string): number {
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    if (tree.field(child) === field) return child;
  }
  return -1;
}

/** The first direct child of the kind; -1 when there is none. */
export function childOfKind(tree: FlatTree, node: number, kind: string): number {
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    if (tree.kind(child) === kind) return child;
  }
  return -1;
}

/** The sibling before a node; -1 when it is the first child. */
export function siblingBefore(tree: FlatTree, node: number): number {
  const parent = tree.parent(node);
  let before = node - 1;
  if (before === parent) return -1;
  while (tree.parent(before) !== parent) before = tree.parent(before);
  return before;
}

/** The source text of a node. */
export function textOf(tree: FlatTree, node: number): string {
  return tree.text.slice(tree.start(node), tree.end(node));
}
