// The line ends that stand for a semicolon (ECMA-262, automatic semicolon insertion): elsewhere a line end is a space.

import { childInField, type FlatTree } from '../flat-tree.ts';
import type { LineIndex } from '../index-lines.ts';
import type { Leaf, Token } from '../list-tokens.ts';

const ENDED_BY_SEMICOLON = new Set([
  'abstract_method_signature',
  'break_statement',
  'call_signature',
  'construct_signature',
  'continue_statement',
  'debugger_statement',
  'expression_statement',
  'field_definition',
  'function_signature',
  'import_alias',
  'import_statement',
  'index_signature',
  'lexical_declaration',
  'method_signature',
  'property_signature',
  'public_field_definition',
  'return_statement',
  'throw_statement',
  'type_alias_declaration',
  'variable_declaration',
]);
/** What may stand after the last token of a statement without a line end. */
const NEEDS_NO_SEMICOLON = new Set(['}', ';', ',', ')']);

/** End offsets of nodes that want a semicolon and have none. */
export function automaticSemicolonEnds(tree: FlatTree): Set<number> {
  const ends = new Set<number>();
  for (let node = 0; node < tree.count; node++) {
    if (!wantsSemicolon(tree, node)) continue;
    const end = endOfCode(tree, node);
    if (tree.text[end - 1] !== ';') ends.add(end);
  }
  return ends;
}

/** Comments up to the line end that ends a statement lie inside its node. */
function endOfCode(tree: FlatTree, node: number): number {
  let last = tree.next(node) - 1;
  while (last > node && (tree.next(last) > last + 1 || isBlank(tree, last))) last -= 1;
  return tree.end(last);
}

function isBlank(tree: FlatTree, node: number): boolean {
  return tree.kind(node) === 'comment' || tree.end(node) === tree.start(node);
}

function wantsSemicolon(tree: FlatTree, node: number): boolean {
  const kind = tree.kind(node);
  if (kind === 'export_statement') return childInField(tree, node, 'declaration') < 0;
  return ENDED_BY_SEMICOLON.has(kind) && tree.kind(node + 1) !== 'internal_module';
}

/** Inserts a `newline` after each token at one of the ends, where a token that could not follow comes on a later line. */
export function javascriptLayout(
  text: string,
  leaves: readonly Leaf[],
  ends: ReadonlySet<number>,
  lines: LineIndex,
): Token[] {
  const tokens: Token[] = [];
  let pending: { at: number; line: number } | undefined;
  for (const leaf of leaves) {
    if (leaf.kind === 'continuation') continue;
    if (leaf.kind !== 'comment') {
      if (pending && leaf.line > pending.line && !NEEDS_NO_SEMICOLON.has(leaf.text)) {
        tokens.splice(pending.at, 0, newline(text, pending.line, lines));
      }
      pending = ends.has(leaf.end) ? { at: tokens.length + 1, line: lines.lineAt(leaf.end - 1) } : undefined;
    } else if (pending && lines.lineAt(leaf.end - 1) === pending.line) {
      pending.at = tokens.length + 1;
    }
    tokens.push(leaf);
  }
  return tokens;
}

function newline(text: string, line: number, lines: LineIndex): Token {
  const end = lines.startOf(line + 1);
  const start = end - (text.startsWith('\r\n', end - 2) ? 2 : 1);
  return { kind: 'newline', text: text.slice(start, end), start, end, line };
}
