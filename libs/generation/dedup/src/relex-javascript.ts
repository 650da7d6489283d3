import type { FlatTree } from '@h/syntax';
import { isDirected, type LexedText, lexPart, type TextChange, wordAt } from './lexed-text.ts';
import type { ProgramParser } from './read-program.ts';

/** The statements of a file or of a block in braces. */
interface StatementList {
  /** Offset after `{`, and of `}`. */
  readonly open: number;
  readonly close: number;
  readonly isFile: boolean;
  readonly statements: readonly { readonly start: number; readonly end: number }[];
}

interface Indexed {
  readonly lists: readonly StatementList[];
  readonly lineAt: (offset: number) => number;
}

const HEADER = 'function _() {';
/** First characters, and first words, with which a statement may go on across a line end. */
const GOES_ON = /^(?:[-+*/%<>=&|^?:.,([`!~]|(?:in|instanceof|as|satisfies|is|of|else|while|catch|finally|from)\b)/;
const indexOf = new WeakMap<LexedText, Indexed>();

/** Lexes the statements that the change touches with one more on either side, in braces of a function where they stand in braces. */
export function relexJavaScript(
  base: LexedText,
  text: string,
  change: TextChange,
  parser: ProgramParser,
): string[] | undefined {
  const index = indexOf.get(base) ?? indexStatements(parser.flatTree(base.text, base.language));
  indexOf.set(base, index);
  const part = partOf(index.lists, change);
  if (part === undefined) return undefined;
  const { start, end, list, after } = part;
  if (isDirected(base, index.lineAt(start), index.lineAt(end))) return undefined;
  const shift = text.length - base.text.length;
  if (after !== undefined && !isSettled(base, end, after)) return undefined;
  const header = list.isFile ? '' : HEADER;
  const source = header + text.slice(start, end + shift) + (list.isFile ? '' : '}');
  const lexed = lexPart({ text: source, lines: index.lineAt(start) - 1 }, base.language, parser);
  if (lexed === undefined) return undefined;
  const { form } = lexed;
  const first = wordAt(form, header.length);
  const last = list.isFile ? form.words.length : form.words.lastIndexOf('.}');
  if (!list.isFile && !hasBalancedBraces(form.words.slice(first, last))) return undefined;
  if (after !== undefined) {
    const begins = wordAt(form, header.length + after.start + shift - start);
    const kept = base.form.words.slice(wordAt(base.form, after.start), wordAt(base.form, end));
    if (!ENDS.has(form.words[begins - 1] ?? '.{') || !isEqual(form.words.slice(begins, last), kept)) return undefined;
  }
  const { words } = base.form;
  return [
    ...words.slice(0, wordAt(base.form, start)),
    ...form.words.slice(first, last),
    ...words.slice(wordAt(base.form, end)),
  ];
}

/** Words after which a statement has ended, whatever comes. */
const ENDS: ReadonlySet<string> = new Set(['N', '.;', '.}', '.{']);

/** Neither the statement after the change nor what follows it can be read as going on with what the change left before it. */
function isSettled({ text, form }: LexedText, end: number, after: { readonly start: number }): boolean {
  const next = form.words[wordAt(form, end)];
  const following = next === 'N' || next === 'L' ? form.words[wordAt(form, end) + 1] : next;
  return !GOES_ON.test(text.slice(after.start)) && !GOES_ON.test((following ?? '').slice(1));
}

function partOf(lists: readonly StatementList[], { start, end }: TextChange) {
  const list = lists.findLast(({ open, close }) => open <= start && end <= close);
  if (list === undefined) return undefined;
  const { statements, open, close } = list;
  const touched = statements.findIndex((one) => one.end >= start);
  const from = touched < 0 ? statements.length : touched;
  const until = statements.findLastIndex((one) => one.start <= end);
  const before = statements[from - 1];
  const after = statements[Math.max(from - 1, until) + 1];
  return { list, start: before?.start ?? open, end: after?.end ?? close, after };
}

/** The lists of statements in preorder, so that an inner one stands after what it is in. */
function indexStatements(tree: FlatTree): Indexed {
  const lists: StatementList[] = [];
  for (let node = 0; node < tree.count; node++) {
    const isFile = tree.kind(node) === 'program';
    if (!isFile && tree.kind(node) !== 'statement_block') continue;
    const statements: { start: number; end: number }[] = [];
    for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
      const kind = tree.kind(child);
      if (!kind.startsWith(':') && kind !== 'comment')
        statements.push({ start: tree.start(child), end: tree.end(child) });
    }
    const open = isFile ? 0 : tree.start(node) + 1;
    lists.push({ open, close: isFile ? tree.text.length : tree.end(node) - 1, isFile, statements });
  }
  return { lists, lineAt: lineCounter(tree.text) };
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((end) => end.index + end[0].length)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

function hasBalancedBraces(words: readonly string[]): boolean {
  let depth = 0;
  for (const word of words) {
    if (word === '.{' || word === '.${') depth++;
    if (word === '.}' && --depth < 0) return false;
  }
  return depth === 0;
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
