// One pass over a tree-sitter tree into flat arrays in preorder. Everything else works on these arrays with loops,
// so nesting depth is never stack depth, and the WebAssembly tree is freed before any analysis starts.
import type * as TreeSitter from 'web-tree-sitter';
import type { FlatTree } from './flat-tree.ts';
import type { Language } from './language-of.ts';

const ERROR_TYPE = 65535;
const FIRST_CAPACITY = 4096;

/** Copies the tree; the caller still owns and deletes it. */
export function readTree(tree: TreeSitter.Tree, text: string, language: Language): FlatTree {
  const columns = readColumns(tree);
  const kinds = nodeKinds(tree.language);
  const fields = tree.language.fields;
  const { type, field, start, end, parent, next } = columns;
  const kindOf = (id: number) => (id === ERROR_TYPE ? 'ERROR' : (kinds[id] ?? ''));
  return {
    text,
    language,
    count: columns.count,
    partial: tree.rootNode.hasError,
    kind: (node) => kindOf(type[node] as number),
    field: (node) => fields[field[node] as number] ?? '',
    start: (node) => start[node] as number,
    end: (node) => end[node] as number,
    parent: (node) => parent[node] as number,
    next: (node) => next[node] as number,
  };
}

interface Columns {
  count: number;
  type: Uint16Array;
  field: Uint16Array;
  start: Int32Array;
  end: Int32Array;
  parent: Int32Array;
  next: Int32Array;
}

function readColumns(tree: TreeSitter.Tree): Columns {
  let columns = emptyColumns(FIRST_CAPACITY);
  const cursor = tree.walk();
  try {
    let parent = -1;
    for (;;) {
      if (columns.count === columns.type.length) columns = grownColumns(columns);
      const node = appendNode(columns, cursor, parent);
      if (cursor.gotoFirstChild()) {
        parent = node;
        continue;
      }
      columns.next[node] = columns.count;
      while (!cursor.gotoNextSibling()) {
        if (parent < 0 || !cursor.gotoParent()) return columns;
        columns.next[parent] = columns.count;
        parent = columns.parent[parent] as number;
      }
    }
  } finally {
    cursor.delete();
  }
}

function appendNode(columns: Columns, cursor: TreeSitter.TreeCursor, parent: number): number {
  const node = columns.count++;
  columns.type[node] = cursor.nodeTypeId;
  columns.field[node] = cursor.currentFieldId;
  columns.start[node] = cursor.startIndex;
  columns.end[node] = cursor.endIndex;
  columns.parent[node] = parent;
  return node;
}

function emptyColumns(capacity: number): Columns {
  return {
    count: 0,
    type: new Uint16Array(capacity),
    field: new Uint16Array(capacity),
    start: new Int32Array(capacity),
    end: new Int32Array(capacity),
    parent: new Int32Array(capacity),
    next: new Int32Array(capacity),
  };
}

function grownColumns(old: Columns): Columns {
  const grown = emptyColumns(old.type.length * 2);
  grown.count = old.count;
  grown.type.set(old.type);
  grown.field.set(old.field);
  grown.start.set(old.start);
  grown.end.set(old.end);
  grown.parent.set(old.parent);
  grown.next.set(old.next);
  return grown;
}

function nodeKinds(language: TreeSitter.Language): string[] {
  const kinds: string[] = [];
  for (let id = 0; id < language.nodeTypeCount; id++) {
    const name = language.nodeTypeForId(id) ?? '';
    kinds.push(language.nodeTypeIsNamed(id) ? name : `:${name}`);
  }
  return kinds;
}
