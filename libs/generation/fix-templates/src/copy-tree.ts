// A syntax tree as plain objects: templates read parents, fields and texts many times, and the WebAssembly tree is
// freed before the first candidate leaves.
import type { SyntaxNode } from '@h/syntax';

/** A node of the copied tree. */
export interface TreeNode {
  /** tree-sitter's node type; for an anonymous node (operator, keyword, punctuation) its text. */
  readonly type: string;
  readonly named: boolean;
  /** Field name in the parent, or ''. */
  readonly field: string;
  /** UTF-16 offsets, half-open. */
  readonly start: number;
  readonly end: number;
  readonly parent: TreeNode | undefined;
  readonly children: readonly TreeNode[];
}

/** Offsets `[start, end)`. */
export type OffsetRange = readonly [start: number, end: number];

export interface CopyLimits {
  /** Nodes copied anywhere in the file; beyond, only what a kept range touches. */
  nodes: number;
  /** Nodes copied in all. */
  keptNodes: number;
  /** Depth below which nodes are left out: code that people write stays below 60. */
  depth: number;
}

/** The cursor's part of web-tree-sitter that is used here. */
type Cursor = ReturnType<SyntaxNode['walk']>;

interface MutableNode extends TreeNode {
  readonly children: TreeNode[];
}

/** What may stand between any two nodes; the copy has none of it. */
const EXTRAS = new Set(['comment', 'html_comment', 'line_continuation']);

/** Copies the tree under a root in preorder; what exceeds a limit becomes a node without children. `keep` is sorted and disjoint. */
export function copyTree(root: SyntaxNode, keep: readonly OffsetRange[], limits: CopyLimits): TreeNode {
  const cursor = root.walk();
  try {
    return copyUnder(cursor, keep, limits);
  } finally {
    cursor.delete();
  }
}

function copyUnder(cursor: Cursor, keep: readonly OffsetRange[], limits: CopyLimits): TreeNode {
  let count = 1;
  let depth = 0;
  const root = copyNode(cursor, undefined);
  let parent: MutableNode = root;
  const isWanted = (node: TreeNode) =>
    depth < limits.depth && (count < limits.nodes || (count < limits.keptNodes && touches(keep, node)));
  if (!isWanted(root) || !cursor.gotoFirstChild()) return root;
  for (;;) {
    if (!EXTRAS.has(cursor.nodeType)) {
      const node = copyNode(cursor, parent);
      parent.children.push(node);
      count += 1;
      depth += 1;
      if (isWanted(node) && cursor.gotoFirstChild()) {
        parent = node;
        continue;
      }
      depth -= 1;
    }
    while (!cursor.gotoNextSibling()) {
      cursor.gotoParent();
      if (!parent.parent) return root;
      parent = parent.parent as MutableNode;
      depth -= 1;
    }
  }
}

function copyNode(cursor: Cursor, parent: TreeNode | undefined): MutableNode {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName ?? '',
    start: cursor.startIndex,
    end: cursor.endIndex,
    parent,
    children: [],
  };
}

function touches(ranges: readonly OffsetRange[], { start, end }: TreeNode): boolean {
  const range = ranges[firstNotBefore(ranges, (candidate) => candidate[1] <= start)];
  return range !== undefined && range[0] < end;
}

/** The first child in a field. */
export function childIn(node: TreeNode, field: string): TreeNode | undefined {
  return node.children.find((child) => child.field === field);
}

/** Children that are no operators, keywords or punctuation. */
export function namedChildren(node: TreeNode): TreeNode[] {
  return node.children.filter((child) => child.named);
}

/** The smallest node that holds a range. */
export function nodeAround(root: TreeNode, start: number, end: number): TreeNode {
  let node = root;
  for (;;) {
    const inner = childAround(node, start, end);
    if (!inner) return node;
    node = inner;
  }
}

/** The child that holds a range. */
export function childAround(node: TreeNode, start: number, end: number): TreeNode | undefined {
  const child = node.children[firstNotBefore(node.children, (candidate) => candidate.end <= start)];
  return child && child.start <= start && end <= child.end && child.end > start ? child : undefined;
}

/** Index of the first item of a sorted list that is not before what is looked for; the list's length when all are. */
export function firstNotBefore<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
