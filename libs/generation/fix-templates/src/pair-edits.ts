// Two changes at once, from the likeliest single ones: for faults that one change does not mend. They come late.
import { type CandidateBatch, type EditBlock, hashRecord, type ProposedEdit, type Span, sha256Hex } from '@h/contracts';
import { indexLines, type LineIndex } from '@h/syntax';
import type { SourceFile } from './propose-edits.ts';

export interface PairOptions {
  files: readonly SourceFile[];
  /** Pairs kept, the likeliest ones. 200. */
  limit?: number;
  /** Also changes that one block of 40 lines cannot hold: a list of two blocks. */
  multiEdit?: boolean;
}

/** A pair is so much less likely than its two changes by themselves. */
const PAIR_PRIOR = 0.01;
/** Single changes that are paired, from the first. */
const AMONG = 60;
const MAX_LINES = 40;
const MAX_SEARCH = 4_000;
const DIGITS = 6;

interface PlacedEdit {
  readonly edit: ProposedEdit;
  /** UTF-16 offsets of the search text in the file with LF line ends. */
  readonly start: number;
  readonly end: number;
  readonly replace: string;
}

/** Pairs of single-block candidates of one file that do not overlap, one batch a file, likeliest first. Two that fit in 40 lines become one block. */
export function pairEdits(
  candidates: readonly ProposedEdit[],
  { files, limit = 200, multiEdit = false }: PairOptions,
): CandidateBatch[] {
  const sources = new Map(files.map((file) => [file.path, file]));
  const texts = new Map<string, LinedText>();
  const placed = candidates.slice(0, AMONG).flatMap((edit) => {
    const source = sources.get(edit.file);
    if (!source) return [];
    const text = texts.get(edit.file) ?? linedText(source);
    texts.set(edit.file, text);
    return place(edit, text) ?? [];
  });
  const pairs = placed
    .flatMap((one, index) => placed.slice(index + 1).map((other) => inOrder(one, other)))
    .filter(([first, second]) => first.edit.file === second.edit.file && first.end <= second.start)
    .map((pair) => ({ pair, score: scoreOf(pair) }))
    .sort((left, right) => right.score - left.score);
  const batches = new Map<string, ProposedEdit[]>();
  let left = limit;
  for (const { pair, score } of pairs) {
    const { file } = pair[0].edit;
    const lined = texts.get(file);
    const candidate = left > 0 && lined !== undefined ? pairOf(pair, lined, multiEdit) : undefined;
    if (!candidate) continue;
    left -= 1;
    batches.set(file, [...(batches.get(file) ?? []), { ...candidate, score }]);
  }
  return [...batches].map(([file, edits]) => ({
    target: { file, span: edits[0]?.span ?? [1, 1] },
    format: 'search_replace',
    candidates: edits,
    regenerate: false,
    origin: 'templates',
  }));
}

/** A file with LF line ends. */
interface LinedText {
  readonly source: SourceFile;
  readonly text: string;
  readonly lines: LineIndex;
}

function linedText(source: SourceFile): LinedText {
  const text = source.text.replace(/\r\n?/g, '\n');
  return { source, text, lines: indexLines(text, 'python') };
}

function place(edit: ProposedEdit, { text, lines }: LinedText): PlacedEdit | undefined {
  const [block, ...more] = edit.blocks ?? [];
  if (!block || more.length > 0 || !edit.span) return undefined;
  const start = text.indexOf(block.search, lines.startOf(edit.span[0]));
  return start < 0 ? undefined : { edit, start, end: start + block.search.length, replace: block.replace };
}

type Pair = readonly [first: PlacedEdit, second: PlacedEdit];

function inOrder(one: PlacedEdit, other: PlacedEdit): Pair {
  return one.start <= other.start ? [one, other] : [other, one];
}

function scoreOf([first, second]: Pair): number {
  return Number((PAIR_PRIOR * (first.edit.score ?? 0) * (second.edit.score ?? 0)).toPrecision(DIGITS));
}

function pairOf(pair: Pair, lined: LinedText, multiEdit: boolean): ProposedEdit | undefined {
  const [first, second] = pair;
  const { source } = lined;
  const { file } = first.edit;
  const found = joined(pair, lined) ?? (multiEdit ? listed(pair, lined) : undefined);
  if (!found) return undefined;
  const content = { file, ...found };
  return {
    candidate_id: hashRecord({ ...content, before: source.sha ?? sha256Hex(source.text) }),
    origin: 'templates',
    ...content,
    template: `pair/${found.blocks.length === 1 ? 'joined' : 'listed'}`,
    provenance: `${first.edit.provenance}, and ${second.edit.provenance}`,
  };
}

/** One block from the first line of the one to the last line of the other. */
function joined([first, second]: Pair, lined: LinedText): { span: Span; blocks: EditBlock[] } | undefined {
  const { text, lines } = lined;
  const [from, to] = wholeLines(lined, first.start, second.end);
  const search = text.slice(from, to);
  const span: Span = [lines.lineAt(from), lines.lineAt(Math.max(from, to - 1))];
  if (span[1] - span[0] >= MAX_LINES || search.length > MAX_SEARCH) return undefined;
  const between = text.slice(first.end, second.start);
  const replace = `${text.slice(from, first.start)}${first.replace}${between}${second.replace}${text.slice(second.end, to)}`;
  return replace.includes(search) ? undefined : { span, blocks: [{ search, replace }] };
}

/** A list of two blocks, each of whole lines that the file has once. */
function listed(pair: Pair, lined: LinedText): { blocks: EditBlock[] } | undefined {
  const { text } = lined;
  const blocks = pair.map(({ start, end, replace }) => {
    const [from, to] = wholeLines(lined, start, end);
    return {
      from,
      to,
      search: text.slice(from, to),
      replace: `${text.slice(from, start)}${replace}${text.slice(end, to)}`,
    };
  });
  const [first, second] = blocks;
  if (!first || !second || first.to >= second.from) return undefined;
  const isClear = blocks.every(
    ({ search, replace }) =>
      search !== '' && text.indexOf(search) === text.lastIndexOf(search) && !replace.includes(search),
  );
  return isClear ? { blocks: blocks.map(({ search, replace }) => ({ search, replace })) } : undefined;
}

/** Whole lines around a range, without the last line end where the range has none, and without a byte order mark. */
function wholeLines({ text, lines }: LinedText, start: number, end: number): [from: number, to: number] {
  const first = lines.startOf(lines.lineAt(start));
  const from = first === 0 && text.startsWith('\ufeff') ? 1 : first;
  if (end > start && text[end - 1] === '\n') return [from, end];
  const last = lines.lineAt(end);
  return [from, last < lines.count ? lines.startOf(last + 1) - 1 : text.length];
}
