// A starred expression that stands alone: CPython's compiler refuses it, ruff lets it pass, and tree-sitter has no tree for most of them.
// Told by tokens, which a partial tree has too.
import type { SyntaxDiagnostic } from '../check-syntax.ts';
import type { FlatTree } from '../flat-tree.ts';
import { indexLines } from '../index-lines.ts';
import { listTokens, type Token } from '../list-tokens.ts';

/** Statements that start with `*` and have no comma of their own: `*a`, `* 5`. */
export function loneStars(tree: FlatTree): SyntaxDiagnostic[] {
  const lines = indexLines(tree.text, tree.language);
  const tokens = listTokens(tree).filter(({ kind }) => kind !== 'comment' && kind !== 'indent' && kind !== 'dedent');
  const found: SyntaxDiagnostic[] = [];
  let depth = 0;
  let isStart = true;
  for (const [at, token] of tokens.entries()) {
    if (isStart && depth === 0 && token.text === '*' && !hasOwnComma(tokens, at)) {
      const column = token.start - lines.startOf(token.line);
      found.push({ line: token.line, column, message: "can't use starred expression here", code: 'compile-error' });
    }
    depth += depthOf(token);
    isStart = depth === 0 && (token.kind === 'newline' || token.text === ';' || token.text === ':');
  }
  return found;
}

function depthOf({ kind, text }: Token): number {
  if (kind === 'string') return 0;
  return '([{'.includes(text) && text !== '' ? 1 : ')]}'.includes(text) && text !== '' ? -1 : 0;
}

function hasOwnComma(tokens: readonly Token[], start: number): boolean {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || (depth === 0 && (token.kind === 'newline' || token.text === ';'))) return false;
    // `*a = b` and its like are refused, or not, by others.
    if (depth === 0 && (token.text === ',' || token.text === '=')) return true;
    depth += depthOf(token);
  }
  return false;
}
