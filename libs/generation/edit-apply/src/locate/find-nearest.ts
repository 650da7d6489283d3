import type { Span } from '@h/contracts';
import { LF, type LineTable, lineAt, startOfLine } from '../write/line-table.ts';
import type { BlockQuery } from './block-query.ts';

/** The lines of the file that are most like a block. */
export interface NearestLines {
  /** 0-based index of the first line; none of the lines around it is blank. */
  readonly first: number;
  readonly lines: readonly string[];
  /** 0..1, four decimals. */
  readonly similarity: number;
}

/** Windows that are compared in full, best first by shared trigrams. */
const COMPARED = 16;
/** Cells of edit distance that one miss may cost; then shared pairs of characters decide. */
const CELLS = 1_200_000;
/** Blank lines, beyond one a line, that a place may have. */
const BLANK_LINES = 8;
const MAX_LINE = 2000;
const SOLID = 0;
const LINE_END = 2;
/** Kind of each byte; 1 are blanks and the two bytes of a no-break space. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === LF ? LINE_END : [32, 9, 11, 12, 0xc2, 0xa0].includes(byte) ? 1 : SOLID,
);
const LEAST_SIMILARITY = 0.4;
const ROUNDING = 0.0001;

/**
 * The place most like the search block inside the query's region; the lowest line on a tie; undefined when nothing is alike. Places that
 * share a line with `except` do not count. Blank lines are passed over: block and place may have them between other lines.
 *
 * One pass counts, line by line, the trigrams of non-blank bytes (pairs or single bytes for a short block) that the block has too; the
 * windows that share most are compared by edit distance. Work: linear in the region, and bounded by `CELLS` beyond that.
 */
export function findNearest(query: BlockQuery, except?: Span): NearestLines | undefined {
  const wanted = linesOf(query.search).filter((line) => line.trim() !== '');
  if (query.text.length === 0 || wanted.length === 0) return undefined;
  const table = query.file.unified().lines();
  const budget = { cells: CELLS };
  let best: NearestLines | undefined;
  for (const start of likelyWindows(query, table, linesOf(query.search))) {
    const place = solidLines(query.text, table, start, wanted.length);
    if (place === undefined || (except !== undefined && place.first < except[1] && place.end >= except[0])) continue;
    const similarity = similarityOf(wanted, place.solid, budget, best?.similarity ?? LEAST_SIMILARITY);
    const closer = best === undefined || similarity > best.similarity;
    if (closer || (similarity === best?.similarity && place.first < best.first)) best = { ...place, similarity };
  }
  return best !== undefined && best.similarity >= LEAST_SIMILARITY ? best : undefined;
}

/** The lines from the first that is not blank, at or after `start`, to the `count`-th such line; fewer at the end of the file. */
function solidLines(text: Uint8Array, table: LineTable, start: number, count: number) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines: string[] = [];
  const solid: string[] = [];
  let at = start;
  for (
    const limit = start + 2 * count + BLANK_LINES;
    solid.length < count && at < limit && at < table.starts.length;
    at++
  ) {
    const line = decodeLine(decoder, text, table, at);
    if (line.trim() !== '') solid.push(line);
    if (solid.length > 0) lines.push(line);
  }
  while (lines.at(-1)?.trim() === '') lines.pop();
  const first = at - lines.length;
  return solid.length === 0 ? undefined : { first, end: first + lines.length, lines, solid };
}

/** Lines of a block without the blank ones around it. */
export function linesOf(block: string): string[] {
  const lines = block.split('\n');
  const isText = (line: string) => line.trim() !== '';
  return lines.slice(
    lines.findIndex(isText) < 0 ? lines.length : lines.findIndex(isText),
    lines.findLastIndex(isText) + 1,
  );
}

function decodeLine(
  decoder: InstanceType<typeof TextDecoder>,
  text: Uint8Array,
  table: LineTable,
  line: number,
): string {
  const start = startOfLine(table, line);
  const end = Math.min(startOfLine(table, line + 1), start + MAX_LINE);
  const ended = text[end - 1] === LF ? end - 1 : end;
  return decoder.decode(text.subarray(start, ended));
}

function likelyWindows(query: BlockQuery, table: LineTable, wanted: readonly string[]): number[] {
  const { region, text } = query;
  const from = Math.max(0, lineAt(table, region.start));
  const to = Math.max(from, lineAt(table, Math.max(region.start, region.end - 1))) + 1;
  const grams = markGrams(new TextEncoder().encode(wanted.join('\n')));
  if (grams.count === 0) return [];
  const bytes = text.subarray(startOfLine(table, from), startOfLine(table, to));
  const shared = scanGrams(bytes, grams.size, grams.has, 'compare', to - from);
  return bestWindows(shared, wanted.length, grams.count).map((line) => line + from);
}

/** Runs of 1, 2 or 3 non-blank bytes of one line (blanks between them skipped), counted line by line. */
interface GramCounts {
  readonly all: Uint32Array;
  /** Those that the block has. */
  readonly shared: Uint32Array;
}

interface BlockGrams {
  readonly size: number;
  readonly count: number;
  /** By the 16-bit hash of a run. */
  readonly has: Uint8Array;
}

function markGrams(block: Uint8Array): BlockGrams {
  const solid = block.filter((byte) => KINDS[byte] === SOLID).length;
  const size = solid < 4 ? 1 : solid < 12 ? 2 : 3;
  const has = new Uint8Array(1 << 16);
  const { all } = scanGrams(block, size, has, 'mark', 1 + block.filter((byte) => byte === LF).length);
  return { size, has, count: all.reduce((sum, runs) => sum + runs, 0) };
}

/** Counts the runs of `bytes`; `mark` writes them down in `has`, `compare` looks them up there. One loop, as it runs over whole files. */
function scanGrams(
  bytes: Uint8Array,
  size: number,
  has: Uint8Array,
  mode: 'mark' | 'compare',
  lines: number,
): GramCounts {
  const all = new Uint32Array(lines);
  const shared = new Uint32Array(lines);
  const mark = mode === 'mark';
  const [far, near] = [size > 2 ? 961 : 0, size > 1 ? 31 : 0];
  let line = 0;
  let runs = 1 - size;
  let common = 0;
  let a = 0;
  let b = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const kind = KINDS[byte];
    if (kind === SOLID) {
      if (++runs > 0) {
        const gram = (a * far + b * near + byte) & 0xffff;
        if (mark) has[gram] = 1;
        common += has[gram] ?? 0;
      }
      a = b;
      b = byte;
    } else if (kind === LINE_END) {
      all[line] = Math.max(0, runs);
      shared[line] = common;
      line++;
      runs = 1 - size;
      common = 0;
    }
  }
  if (line < lines) {
    all[line] = Math.max(0, runs);
    shared[line] = common;
  }
  return { all, shared };
}

/** First lines of the windows of `height` lines that share most with the block, the lowest first among equals. */
function bestWindows({ all, shared }: GramCounts, height: number, wanted: number): number[] {
  const best: { line: number; score: number }[] = [];
  let inWindow = 0;
  let common = 0;
  for (let next = 0; next < all.length + height - 1; next++) {
    inWindow += (all[next] ?? 0) - (all[next - height] ?? 0);
    common += (shared[next] ?? 0) - (shared[next - height] ?? 0);
    const line = next - height + 1;
    const complete = line >= 0 && (next < all.length || line === 0);
    if (!complete || common === 0) continue;
    const score = Math.min(common, wanted) * (2 / (inWindow + wanted) + 0.1 / wanted);
    keepBest(best, line, score);
  }
  const top = best[0]?.score ?? 0;
  return best.filter(({ score }) => score >= top / 2).map(({ line }) => line);
}

function keepBest(best: { line: number; score: number }[], line: number, score: number): void {
  const last = best[COMPARED - 1];
  if (last !== undefined && last.score >= score) return;
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < score) at--;
  best.splice(at, 0, { line, score });
  if (best.length > COMPARED) best.pop();
}

/**
 * 0..1 over all lines, weighted by their length. The block may start inside its first line and end inside its last. 0 as soon as the
 * lines left cannot bring it to `floor` any more.
 */
function similarityOf(
  wanted: readonly string[],
  lines: readonly string[],
  budget: { cells: number },
  floor: number,
): number {
  const sizes = wanted.map((line) => line.trim().length);
  const weight = sizes.reduce((sum, size) => sum + size, 0);
  let lost = 0;
  for (const [i, line] of wanted.entries()) {
    const likeness = lineSimilarity(line, lines[i] ?? '', i === 0, i === wanted.length - 1, budget);
    lost += (sizes[i] ?? 0) * (1 - likeness);
    if (1 - lost / weight < floor - ROUNDING) return 0;
  }
  return Math.round((1 - lost / weight) * 10_000) / 10_000;
}

function lineSimilarity(
  wanted: string,
  line: string,
  freeStart: boolean,
  freeEnd: boolean,
  budget: { cells: number },
): number {
  if (wanted === line) return 1;
  const a = wanted.trim();
  const b = line.trim();
  if (a === '' || b === '') return 0;
  if (a === b) return 0.99;
  if (freeStart && freeEnd ? b.includes(a) : freeStart ? b.endsWith(a) : freeEnd && b.startsWith(a)) return 0.98;
  if (b.includes(a)) return 0.9;
  if (a.length * b.length > budget.cells) return 0.9 * sharedPairs(a, b);
  budget.cells -= a.length * b.length;
  const distance = editDistance(a, b, freeStart, freeEnd);
  const length = freeStart || freeEnd ? a.length : Math.max(a.length, b.length);
  return 0.97 * Math.max(0, 1 - distance / length);
}

/** Levenshtein distance; with a free end, what `b` has there beyond `a` costs nothing. Ends that are not free and equal are cut off first. */
function editDistance(whole: string, other: string, freeStart: boolean, freeEnd: boolean): number {
  const shorter = Math.min(whole.length, other.length);
  let start = 0;
  while (!freeStart && start < shorter && whole[start] === other[start]) start++;
  let end = 0;
  while (!freeEnd && end < shorter - start && whole.at(-1 - end) === other.at(-1 - end)) end++;
  const a = whole.slice(start, whole.length - end);
  const b = other.slice(start, other.length - end);
  let row = Uint32Array.from({ length: b.length + 1 }, (_, j) => (freeStart ? 0 : j));
  let next = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    const unit = a.charCodeAt(i - 1);
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (unit === b.charCodeAt(j - 1) ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [row, next] = [next, row];
  }
  return freeEnd ? row.reduce((least, cost) => Math.min(least, cost)) : (row[b.length] ?? 0);
}

/** Share of the pairs of neighbouring characters of `a` that `b` has too. */
function sharedPairs(a: string, b: string): number {
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < b.length; i++) pairs.add(b.slice(i, i + 2));
  let common = 0;
  for (let i = 0; i + 1 < a.length; i++) if (pairs.has(a.slice(i, i + 2))) common++;
  return common / Math.max(1, a.length - 1);
}
