import { childrenOf, type FlatTree, textOf } from './flat-tree.ts';
import { indexLines, type LineIndex } from './index-lines.ts';
import { automaticSemicolonEnds, javascriptLayout } from './languages/layout-javascript.ts';
import { pythonLayout } from './languages/layout-python.ts';

/**
 * One token. `text` is always the source between `start` and `end`. Brackets, comma, colon, semicolon and dot are
 * `punctuation`; a regular expression and JSX text are `string`; a string with embedded expressions gives one `string` per
 * piece. Layout: `newline`, `indent`, `dedent` as Python's tokenizer gives them (`dedent` is empty); in JavaScript and
 * TypeScript a `newline` only where the line end stands for a semicolon.
 */
export interface Token {
  kind:
    | 'name'
    | 'keyword'
    | 'number'
    | 'string'
    | 'operator'
    | 'punctuation'
    | 'comment'
    | 'newline'
    | 'indent'
    | 'dedent';
  text: string;
  /** UTF-16 offsets, half-open. */
  start: number;
  end: number;
  /** 1-based line of `start`. */
  line: number;
}

const COMMENTS = new Set(['comment', 'hash_bang_line', 'html_comment']);
const NAMES = new Set([
  'identifier',
  'property_identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
  'private_property_identifier',
  'statement_identifier',
  'type_identifier',
  'undefined',
  ':_',
  ':__future__',
]);
const NUMBERS = new Set(['integer', 'float', 'number']);
const WHOLE_STRINGS = new Set(['regex', 'jsx_text', 'html_character_reference']);
const STRINGS = new Set(['string', 'template_string', 'template_literal_type']);
const EMBEDDED = new Set(['interpolation', 'template_substitution', 'template_type']);
const STRING_PARTS = new Set(['string_start', 'string_content', 'string_end', 'string_fragment', 'escape_sequence']);
const PUNCTUATION = new Set(['(', ')', '[', ']', '{', '}', ',', ':', ';', '.', '${']);

/** Lists the tokens of a tree in source order. */
export function listTokens(tree: FlatTree): Token[] {
  const lines = indexLines(tree.text, tree.language);
  const leaves = listLeaves(tree, lines);
  if (tree.language === 'python') return pythonLayout(tree.text, leaves, lines);
  return javascriptLayout(tree.text, leaves, automaticSemicolonEnds(tree), lines);
}

/** A token or the mark of a Python line continuation, which is no token. */
export type Leaf = Token | { kind: 'continuation'; start: number; end: number; line: number };

function listLeaves(tree: FlatTree, lines: LineIndex): Leaf[] {
  const leaves: Leaf[] = [];
  const literals = formatLiterals(tree);
  let stringNode = -1;
  for (let node = 0; node < tree.count; ) {
    const kind = tree.kind(node);
    const literal = literals.get(node);
    for (const [start, end] of literal?.ranges ?? []) leaves.push(stringLeaf(tree, start, end, lines));
    const isUnit = COMMENTS.has(kind) || WHOLE_STRINGS.has(kind) || STRING_PARTS.has(kind) || isWholeString(tree, node);
    if (literal?.isWhole || (!isUnit && tree.next(node) > node + 1)) {
      node = literal?.isWhole ? tree.next(node) : node + 1;
      continue;
    }
    const part = isStringPart(tree, node) ? tree.parent(node) : -1;
    if (part >= 0 && stringNode === part && leaves[leaves.length - 1]?.end === tree.start(node)) {
      extend(leaves[leaves.length - 1] as Token, tree, node);
    } else if (tree.end(node) > tree.start(node)) leaves.push(leafOf(tree, node, kind, lines));
    stringNode = part;
    node = tree.next(node);
  }
  return leaves;
}

/** Text that is printed as it stands although it lies inside an embedded expression. */
interface Literal {
  /** Emitted before the node. */
  ranges: [start: number, end: number][];
  /** The node itself is part of the text. */
  isWhole: boolean;
}

/** Python prints format specifiers (`{x: >5}`) and the source of self-documenting expressions (`{x = }`) verbatim. */
function formatLiterals(tree: FlatTree): Map<number, Literal> {
  const literals = new Map<number, Literal>();
  if (tree.language !== 'python') return literals;
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    if (kind === 'format_specifier') addSpecifier(tree, node, literals);
    if (kind === 'interpolation') addSelfDocumenting(tree, node, literals);
  }
  return literals;
}

function addSpecifier(tree: FlatTree, node: number, literals: Map<number, Literal>): void {
  let end = tree.start(node) + 1;
  for (const child of [...childrenOf(tree, node), tree.next(node)]) {
    const start = child === tree.next(node) ? tree.end(node) : tree.start(child);
    if (start > end) literals.set(child, { ranges: [[end, start]], isWhole: false });
    if (child < tree.next(node)) end = tree.end(child);
  }
}

function addSelfDocumenting(tree: FlatTree, node: number, literals: Map<number, Literal>): void {
  const children = childrenOf(tree, node);
  const equals = children.findIndex((child) => tree.kind(child) === ':=');
  const after = children[equals + 1];
  if (equals < 0 || after === undefined) return;
  const [, first, ...rest] = children.slice(0, equals + 1);
  if (first === undefined) return;
  literals.set(first, { ranges: [[tree.start(node) + 1, tree.start(after)]], isWhole: true });
  for (const child of rest) literals.set(child, { ranges: [], isWhole: true });
}

function stringLeaf(tree: FlatTree, start: number, end: number, lines: LineIndex): Token {
  return { kind: 'string', text: tree.text.slice(start, end), start, end, line: lines.lineAt(start) };
}

function leafOf(tree: FlatTree, node: number, kind: string, lines: LineIndex): Leaf {
  const start = tree.start(node);
  const end = tree.end(node);
  const line = lines.lineAt(start);
  if (kind === 'line_continuation') return { kind: 'continuation', start, end, line };
  const text = textOf(tree, node);
  return { kind: tokenKind(tree, node, kind, text), text, start, end, line };
}

function tokenKind(tree: FlatTree, node: number, kind: string, text: string): Token['kind'] {
  if (COMMENTS.has(kind)) return 'comment';
  if (NAMES.has(kind)) return isAwait(tree, kind, text) ? 'keyword' : 'name';
  if (NUMBERS.has(kind)) return 'number';
  if (WHOLE_STRINGS.has(kind) || STRINGS.has(kind) || isStringPart(tree, node)) return 'string';
  if (PUNCTUATION.has(text)) return 'punctuation';
  if (!/^[\p{L}_$#]/u.test(text)) return 'operator';
  return kind === 'ERROR' ? 'name' : 'keyword';
}

/** The grammar takes `await (f)(x)` for a call of a function named await. */
function isAwait(tree: FlatTree, kind: string, text: string): boolean {
  return text === 'await' && kind === 'identifier' && tree.language !== 'python';
}

/** A string without embedded expressions is one token. */
function isWholeString(tree: FlatTree, node: number): boolean {
  if (!STRINGS.has(tree.kind(node))) return false;
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    if (EMBEDDED.has(tree.kind(child))) return false;
  }
  return true;
}

function isStringPart(tree: FlatTree, node: number): boolean {
  const kind = tree.kind(node);
  return STRING_PARTS.has(kind) || (kind === ':`' && STRINGS.has(tree.kind(tree.parent(node))));
}

function extend(token: Token, tree: FlatTree, node: number): void {
  token.end = tree.end(node);
  token.text = tree.text.slice(token.start, token.end);
}
