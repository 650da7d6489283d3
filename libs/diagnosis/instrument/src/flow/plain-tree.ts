import type { Language, Parser, SyntaxCursor } from '@h/syntax';

/** A node of a parse tree as plain data, which outlives the tree. Offsets are UTF-16 units, half-open. */
export interface PlainNode {
  readonly kind: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly parent: PlainNode | undefined;
  readonly children: PlainNode[];
}

/** The tree of a text; comments are left out. Throws `parse_stopped` of `@h/syntax`. */
export function readPlainTree(parser: Parser, text: string, language: Language): PlainNode {
  return parser.withTree(text, language, (root) => {
    const cursor = root.walk();
    try {
      return copyTree(cursor);
    } finally {
      cursor.delete();
    }
  });
}

function copyTree(cursor: SyntaxCursor): PlainNode {
  const root = nodeAt(cursor, undefined);
  let current = root;
  for (;;) {
    if (cursor.gotoFirstChild()) current = addTo(current, cursor);
    else {
      while (!cursor.gotoNextSibling()) {
        if (current.parent === undefined) return root;
        cursor.gotoParent();
        current = current.parent;
      }
      current = addTo(current.parent ?? root, cursor);
    }
  }
}

function addTo(parent: PlainNode, cursor: SyntaxCursor): PlainNode {
  const node = nodeAt(cursor, parent);
  if (node.kind !== 'comment') parent.children.push(node);
  return node;
}

function nodeAt(cursor: SyntaxCursor, parent: PlainNode | undefined): PlainNode {
  return {
    kind: cursor.nodeType,
    field: cursor.currentFieldName ?? undefined,
    start: cursor.startIndex,
    end: cursor.endIndex,
    parent,
    children: [],
  };
}

export function childIn(node: PlainNode, field: string): PlainNode | undefined {
  return node.children.find((child) => child.field === field);
}

export function childrenIn(node: PlainNode, field: string): PlainNode[] {
  return node.children.filter((child) => child.field === field);
}

/** Every node below and the node itself, in source order. */
export function* eachNode(node: PlainNode): Generator<PlainNode> {
  const stack = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next;
    for (let index = next.children.length - 1; index >= 0; index--) stack.push(next.children[index] as PlainNode);
  }
}
