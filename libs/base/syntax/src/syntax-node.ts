/** Row and column of a place, both from 0; only LF counts as a line end here. */
export interface SyntaxPoint {
  row: number;
  /** UTF-16 units. */
  column: number;
}

/**
 * A node of a tree-sitter tree, as web-tree-sitter gives it: valid inside `withTree` alone. Lists are made anew at each
 * access; a large tree is read faster with `walk()`.
 */
export interface SyntaxNode {
  /** Unique in its tree. */
  readonly id: number;
  /** The grammar's name of the node; for an anonymous node (keyword, operator, punctuation) its text. */
  readonly type: string;
  readonly isNamed: boolean;
  /** Stands outside of the grammar's rules, as comments do. */
  readonly isExtra: boolean;
  readonly isError: boolean;
  /** Inserted by the parser to go on; empty. */
  readonly isMissing: boolean;
  /** It or something in it is an error or missing. */
  readonly hasError: boolean;
  readonly text: string;
  /** UTF-16 offsets, half-open. */
  readonly startIndex: number;
  readonly endIndex: number;
  readonly startPosition: SyntaxPoint;
  readonly endPosition: SyntaxPoint;
  readonly parent: SyntaxNode | null;
  readonly childCount: number;
  readonly namedChildCount: number;
  readonly children: SyntaxNode[];
  readonly namedChildren: SyntaxNode[];
  readonly firstChild: SyntaxNode | null;
  readonly lastChild: SyntaxNode | null;
  readonly firstNamedChild: SyntaxNode | null;
  readonly lastNamedChild: SyntaxNode | null;
  readonly nextSibling: SyntaxNode | null;
  readonly previousSibling: SyntaxNode | null;
  readonly nextNamedSibling: SyntaxNode | null;
  readonly previousNamedSibling: SyntaxNode | null;
  child(index: number): SyntaxNode | null;
  namedChild(index: number): SyntaxNode | null;
  childForFieldName(field: string): SyntaxNode | null;
  childrenForFieldName(field: string): SyntaxNode[];
  fieldNameForChild(index: number): string | null;
  /** In source order, the node itself included. */
  descendantsOfType(types: string | string[]): SyntaxNode[];
  /** The smallest node over the range; `end` is exclusive, `start` alone when absent. */
  descendantForIndex(start: number, end?: number): SyntaxNode | null;
  namedDescendantForIndex(start: number, end?: number): SyntaxNode | null;
  equals(other: SyntaxNode): boolean;
  walk(): SyntaxCursor;
  /** The S-expression of the node. */
  toString(): string;
}

/** Walks a tree without making a node object at each step. Call `delete()` when done. */
export interface SyntaxCursor {
  readonly currentNode: SyntaxNode;
  readonly currentFieldName: string | null;
  readonly currentDepth: number;
  readonly nodeType: string;
  readonly nodeIsNamed: boolean;
  readonly nodeIsMissing: boolean;
  readonly nodeText: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly startPosition: SyntaxPoint;
  readonly endPosition: SyntaxPoint;
  gotoFirstChild(): boolean;
  gotoLastChild(): boolean;
  gotoNextSibling(): boolean;
  gotoPreviousSibling(): boolean;
  gotoParent(): boolean;
  delete(): void;
}
