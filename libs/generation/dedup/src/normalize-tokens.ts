import type { Language, Token } from '@h/syntax';
import { closesMetadata, directiveOf, opensMetadata } from './find-directives.ts';

/** A text as words, and where each of them comes from. */
export interface NormalForm {
  readonly words: string[];
  /** UTF-16 offset of each word, ascending: of a token its start, of a line end that counts (`L`) the end of the token before it. */
  readonly starts: number[];
  /** Lines that each directive of line scope speaks of, from its own to the next one with code; 1-based, inclusive. */
  readonly directives: { readonly first: number; readonly last: number }[];
}

/**
 * The program as a list of words: tokens in order, without ordinary comments and without white space that means nothing.
 *
 * Kept: string contents to the last blank, Python's indentation structure and line structure, line ends that JavaScript reads
 * (restricted productions, and those that stand for a semicolon), directives with the place they speak of. Equal lists are the same
 * program; two spellings of one program may still differ. Line ends inside strings count as LF, as both languages read them.
 * `lines` is added to the lines of the tokens, where they are a part of a text.
 */
export function normalizeTokens(text: string, tokens: readonly Token[], language: Language, lines = 0): NormalForm {
  const form: NormalForm = { words: [], starts: [], directives: [] };
  const add = (word: string, start: number) => {
    form.words.push(word);
    form.starts.push(start);
  };
  const commentWord = commentReader(tokens, language, lines, form);
  let before: Token | undefined;
  let read = 0;
  for (const token of tokens) {
    const unread = withoutContinuations(text.slice(read, token.start), language);
    if (unread.trim() !== '') add(`?${unread}`, read); // no token holds it, so it is kept as it stands
    read = Math.max(read, token.end);
    if (token.kind === 'comment') {
      const word = commentWord(token);
      if (word !== undefined) add(`#${word}`, token.start);
      continue;
    }
    if (language !== 'python' && before !== undefined && splitsLine(text, before, token, language))
      add('L', before.end);
    // In a script, though not in a module, `a <!--b` is `a` and a comment.
    add(language !== 'python' && text.startsWith('<!--', token.start) ? '.<!--' : wordOf(token), token.start);
    if (!LAYOUT.has(token.kind)) before = token;
  }
  return form;
}

const LAYOUT: ReadonlySet<Token['kind']> = new Set(['newline', 'indent', 'dedent']);

function wordOf({ kind, text }: Token): string {
  if (kind === 'newline') return 'N';
  if (kind === 'indent') return 'I';
  if (kind === 'dedent') return 'D';
  return kind === 'string' ? `"${withLf(text)}` : `.${text}`;
}

function withoutContinuations(gap: string, language: Language): string {
  return language === 'python' && gap.includes('\\') ? gap.replace(/\\(?:\r\n?|\n)/g, ' ') : gap;
}

function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

const LINE_END = /[\n\r\u2028\u2029]/;

/** Words after which, and words before which, a line end means another program (ECMA-262 [no LineTerminator here]; TypeScript's likewise). */
const SPLITS_AFTER = new Set(
  (
    'return throw break continue yield async using ' +
    'type interface namespace module declare abstract global asserts accessor readonly public private protected override'
  ).split(' '),
);
const SPLITS_BEFORE = new Set(['++', '--', '=>', '!', 'as', 'satisfies', 'is']);
const TYPE_SPLITS_BEFORE = new Set(['[', '(', '<', '{', '`']);

function splitsLine(text: string, before: Token, after: Token, language: Language): boolean {
  if (LAYOUT.has(after.kind) || !LINE_END.test(text.slice(before.end, after.start))) return false;
  if (SPLITS_AFTER.has(before.text) || SPLITS_BEFORE.has(after.text)) return true;
  return language !== 'javascript' && TYPE_SPLITS_BEFORE.has(after.text[0] ?? '') && endsOperand(before);
}

function endsOperand({ kind, text }: Token): boolean {
  return ['name', 'keyword', 'number', 'string'].includes(kind) || [')', ']', '}', '>', '!', '?'].includes(text);
}

/** Gives the word of each comment that a tool reads, undefined for one that only people read; comments come in order. */
function commentReader(
  tokens: readonly Token[],
  language: Language,
  lines: number,
  { directives }: NormalForm,
): (comment: Token) => string | undefined {
  let layout: Layout | undefined;
  let metadata = false;
  return (token) => {
    const comment = withLf(token.text).trimEnd();
    if (language === 'python' && (metadata || opensMetadata(comment))) {
      metadata = !closesMetadata(comment);
      return comment;
    }
    const directive = directiveOf(comment, token.line + lines, language);
    if (directive?.scope !== 'line') return directive && comment;
    layout ??= readLayout(tokens);
    const { place, next } = placeOf(comment, token, layout);
    directives.push({ first: token.line + lines, last: next === undefined ? Number.POSITIVE_INFINITY : next + lines });
    return `${comment}\0${place}`;
  };
}

/** How many tokens start on each line, and the lines on which any does. */
interface Layout {
  readonly starts: ReadonlyMap<number, readonly Token[]>;
  readonly lines: readonly number[];
}

function readLayout(tokens: readonly Token[]): Layout {
  const starts = new Map<number, Token[]>();
  for (const token of tokens) {
    if (token.kind === 'comment' || LAYOUT.has(token.kind)) continue;
    const there = starts.get(token.line);
    if (there === undefined) starts.set(token.line, [token]);
    else there.push(token);
  }
  return { starts, lines: [...starts.keys()] };
}

/** What a directive of line scope speaks of: the tokens before it on its line, how far down the next ones are, how many stand there. */
function placeOf(
  comment: string,
  token: Token,
  { starts, lines }: Layout,
): { place: string; next: number | undefined } {
  const before = (starts.get(token.line) ?? []).filter(({ start }) => start < token.start).length;
  const last = token.line + (comment.match(/\n/g)?.length ?? 0);
  const next = lines.find((line) => line > last);
  const place = next === undefined ? `${before}` : `${before},${next - last},${starts.get(next)?.length ?? 0}`;
  return { place, next };
}
