// Python's NEWLINE, INDENT and DEDENT, by the rules of the language reference (2.1.5 to 2.1.8).
import type { LineIndex } from '../index-lines.ts';
import type { Leaf, Token } from '../list-tokens.ts';

const OPENING = new Set(['(', '[', '{', '${']);
const CLOSING = new Set([')', ']', '}']);
const TAB_STOP = 8;

/** Inserts the layout tokens; a comment line of its own has no layout. */
export function pythonLayout(text: string, leaves: readonly Leaf[], lines: LineIndex): Token[] {
  const tokens: Token[] = [];
  const indents = [0];
  let depth = 0;
  let lineOfEnd = 0;
  let isJoined = false;
  let isLineOpen = false;
  for (const leaf of leaves) {
    if (leaf.kind === 'continuation') {
      isJoined = true;
      continue;
    }
    if (isLineOpen && depth === 0 && !isJoined && leaf.line > lineOfEnd) {
      tokens.push(newline(text, lineOfEnd, lines));
      isLineOpen = false;
    }
    if (leaf.kind !== 'comment') {
      if (!isLineOpen) indentTo(text, leaf, indents, tokens, lines);
      isLineOpen = true;
      isJoined = false;
      lineOfEnd = lines.lineAt(leaf.end - 1);
      if (leaf.kind === 'punctuation') depth = depthAfter(leaf.text, depth);
    }
    tokens.push(leaf);
  }
  if (isLineOpen) tokens.push(newline(text, lineOfEnd, lines));
  for (; indents.length > 1; indents.pop()) tokens.push(empty('dedent', text.length, lines));
  return tokens;
}

function depthAfter(bracket: string, depth: number): number {
  if (OPENING.has(bracket)) return depth + 1;
  return CLOSING.has(bracket) ? Math.max(0, depth - 1) : depth;
}

function indentTo(text: string, leaf: Token, indents: number[], tokens: Token[], lines: LineIndex): void {
  const start = lines.startOf(leaf.line);
  const column = columnOf(text.slice(start, leaf.start));
  if (column > (indents[indents.length - 1] as number)) {
    indents.push(column);
    tokens.push({ kind: 'indent', text: text.slice(start, leaf.start), start, end: leaf.start, line: leaf.line });
  }
  while (column < (indents[indents.length - 1] as number)) {
    indents.pop();
    tokens.push(empty('dedent', leaf.start, lines));
  }
}

function columnOf(indentation: string): number {
  let column = 0;
  for (const character of indentation) {
    if (character === '\t') column = (Math.floor(column / TAB_STOP) + 1) * TAB_STOP;
    else if (character === '\f') column = 0;
    else if (character !== '\ufeff') column += 1;
  }
  return column;
}

function newline(text: string, line: number, lines: LineIndex): Token {
  if (line >= lines.count) return empty('newline', text.length, lines);
  const end = lines.startOf(line + 1);
  const start = end - (text.startsWith('\r\n', end - 2) ? 2 : 1);
  return { kind: 'newline', text: text.slice(start, end), start, end, line };
}

function empty(kind: 'newline' | 'dedent', at: number, lines: LineIndex): Token {
  return { kind, text: '', start: at, end: at, line: lines.lineAt(at) };
}
