import { isDirected, type LexedText, lexPart, type TextChange, wordAt } from './lexed-text.ts';
import type { ProgramParser } from './read-program.ts';

/** A logical line: from the start of its first physical line to the start of the next one, comments and blank lines after it included. */
interface LogicalLine {
  readonly start: number;
  /** Of its first token. */
  readonly token: number;
  readonly line: number;
  readonly indentation: string;
  /** Blocks it stands in. */
  readonly depth: number;
  /** Goes on with the statement before: `else`, `except` … */
  readonly isClause: boolean;
}

const CLAUSES = new Set(['else', 'elif', 'except', 'finally', 'case']);
const HEADER = 'if 1:\n';
const linesOf = new WeakMap<LexedText, readonly LogicalLine[]>();

/** Lexes the logical lines around the change, with the block that they are part of standing for what encloses them. */
export function relexPython(
  base: LexedText,
  text: string,
  change: TextChange,
  parser: ProgramParser,
): string[] | undefined {
  const lines = linesOf.get(base) ?? readLines(base);
  linesOf.set(base, lines);
  const part = partOf(lines, change, Number.POSITIVE_INFINITY);
  if (part === undefined) return undefined;
  // A line that enters or leaves a block, or goes on with the statement before it, concerns the block around it too.
  const around = part.depth > 0 ? partOf(lines, change, part.depth - 1) : undefined;
  return relexPart(base, text, part, parser) ?? (around && relexPart(base, text, around, parser));
}

interface Part {
  readonly first: LogicalLine;
  readonly after: LogicalLine | undefined;
  readonly depth: number;
}

function relexPart(
  base: LexedText,
  text: string,
  { first, after, depth }: Part,
  parser: ProgramParser,
): string[] | undefined {
  if (isDirected(base, first.line, after === undefined ? Number.POSITIVE_INFINITY : after.line - 1)) return undefined;
  const changed = text.slice(
    first.start,
    after === undefined ? text.length : text.length - base.text.length + after.start,
  );
  if (after !== undefined && !/[\n\r]$/.test(changed)) return undefined;
  const header = depth > 0 ? HEADER : '';
  const lexed = lexPart({ text: header + changed, lines: first.line - (depth > 0 ? 2 : 1) }, base.language, parser);
  if (lexed === undefined) return undefined;
  const code = lexed.tokens.filter((token) => token.start >= header.length && !NO_CODE.has(token.kind));
  const start = code[0];
  if (isJoinedOutside(header + changed, start?.start ?? header.length, code[code.length - 1]?.end ?? 0))
    return undefined;
  if (start !== undefined && indentationBefore(header + changed, start.start) !== first.indentation) return undefined;
  const inner = innerWords(
    lexed.form.words,
    lexed.form.starts,
    header.length,
    start?.start ?? Number.POSITIVE_INFINITY,
  );
  if (inner === undefined || (start === undefined && depth > 0)) return undefined;
  const { words } = base.form;
  const layout = words.slice(wordAt(base.form, first.start), firstToken(base, first));
  const closed = Math.max(0, depth + inner.depth - (after?.depth ?? 0));
  return [
    ...words.slice(0, wordAt(base.form, first.start)),
    ...inner.comments,
    ...(start === undefined ? [] : layout),
    ...inner.code,
    ...(start === undefined ? layout : new Array<string>(closed).fill('D')),
    ...(after === undefined ? [] : words.slice(firstToken(base, after))),
  ];
}

/** A `\` at a line end before the first or after the last code joins what is on either side of the part. */
function isJoinedOutside(source: string, first: number, last: number): boolean {
  return /^[^#\n\r]*\\[ \t]*$/m.test(source.slice(0, first)) || /^[^#\n\r]*\\[ \t]*$/m.test(source.slice(last));
}

const NO_CODE: ReadonlySet<string> = new Set(['comment', 'newline', 'indent', 'dedent']);
const isLayout = (word: string | undefined) => word === 'I' || word === 'D' || word === 'N';

function readLines({ text, tokens }: LexedText): LogicalLine[] {
  const lines: LogicalLine[] = [];
  let depth = 0;
  let isFresh = true;
  for (const { kind, start, line, text: word } of tokens) {
    if (kind === 'indent') depth++;
    else if (kind === 'dedent') depth--;
    else if (kind === 'newline') isFresh = true;
    else if (kind !== 'comment' && isFresh) {
      const indentation = indentationBefore(text, start);
      lines.push({
        start: start - indentation.length,
        token: start,
        line,
        indentation,
        depth,
        isClause: CLAUSES.has(word),
      });
      isFresh = false;
    }
  }
  return lines;
}

function indentationBefore(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return text.slice(start, offset);
}

/** The lines that the change touches, and those that must go with them: statements of one block, no deeper than `deepest`. */
function partOf(lines: readonly LogicalLine[], { start, end }: TextChange, deepest: number): Part | undefined {
  let first = lines.findLastIndex((line) => line.start <= start);
  if (first < 0) return undefined;
  const depthAt = (index: number) => lines[index]?.depth ?? 0;
  let last = Math.max(
    first,
    lines.findLastIndex((line) => line.start < end),
  );
  let depth = deepest;
  for (let index = first; index <= last; index++) depth = Math.min(depth, depthAt(index));
  while (first > 0 && (depthAt(first) > depth || lines[first]?.isClause)) first--;
  depth = Math.min(depth, depthAt(first));
  while (last + 1 < lines.length && depthAt(last + 1) > depth) last++;
  const found = lines[first];
  return found === undefined ? undefined : { first: found, after: lines[last + 1], depth };
}

/** Index of the word of a line's first token, after its layout. */
function firstToken({ form }: LexedText, line: LogicalLine): number {
  let index = wordAt(form, line.token);
  while (isLayout(form.words[index])) index++;
  return index;
}

/** The words of the part alone: without the header, the indentation it stands at and the blocks still open at its end. */
function innerWords(
  words: readonly string[],
  starts: readonly number[],
  from: number,
  code: number,
): { comments: string[]; code: string[]; depth: number } | undefined {
  let end = words.length;
  while (words[end - 1] === 'D') end--;
  const begin = starts.findIndex((start, index) => start >= from && words[index] !== 'N');
  const comments: string[] = [];
  let index = begin < 0 ? end : begin;
  for (; index < end && (starts[index] as number) < code; index++) {
    const word = words[index] as string;
    if (word !== 'I') comments.push(word);
  }
  const rest = words.slice(index, end);
  let depth = 0;
  for (const word of rest) {
    if (word === 'I') depth++;
    if (word === 'D' && --depth < 0) return undefined;
  }
  return { comments, code: rest, depth };
}
