import type { MatchTier, Span } from '@h/contracts';
import { alignLines } from '../write/edited-lines.ts';
import { LF, lineAt, startOfLine } from '../write/line-table.ts';
import {
  type BlockQuery,
  type LocatedBlock,
  MATCH_LIMIT,
  type Range,
  type Refusal,
  refuseAmbiguous,
} from './block-query.ts';
import { findLinearly } from './find-matches.ts';
import { findNearest } from './find-nearest.ts';
import { reindent } from './reindent.ts';

/**
 * The one place where the block matches line by line, blanks at line ends (`whitespace`) and one uniform shift of indentation
 * (`indentation`) aside. More than one: refused as ambiguous. None, or a shift that is not uniform: undefined.
 *
 * Tolerance decides where, never what: lines that the replacement kept from the search are the file's own, to the last blank.
 */
export function matchTolerantly(query: BlockQuery, tier: MatchTier): LocatedBlock | Refusal | undefined {
  const block = openLines(query);
  if (block === undefined) return undefined;
  for (const candidate of tier === 'indentation'
    ? (['whitespace', 'indentation'] as const)
    : (['whitespace'] as const)) {
    const fold = candidate === 'whitespace' ? trimBlanksAtEnd : trimBlanks;
    const starts = placesUnder(block, fold);
    if (starts.length > 1)
      return refuseAmbiguous(
        query.file,
        starts.map((at) => spanAt(block, at)),
      );
    const [at] = starts;
    if (at !== undefined) return rewrite(query, block, at, candidate);
  }
  return undefined;
}

interface BlockLines {
  readonly wanted: readonly string[];
  readonly replace: readonly string[];
  /** The region's lines, and the index of the first of them in the file. */
  readonly lines: readonly string[];
  readonly first: number;
  /** The search ends with a line end, which is replaced too. */
  readonly closed: boolean;
}

function openLines({ search, replace, text, region, file }: BlockQuery): BlockLines | undefined {
  const closed = search.endsWith('\n');
  const oneSided = replace !== '' && closed !== replace.endsWith('\n');
  if (oneSided || search.trim() === '' || search.startsWith('\n') || search.includes('\ufffd')) return undefined;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines = decoder.decode(text.subarray(region.start, region.end)).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return {
    wanted: splitLines(search),
    replace: splitLines(replace),
    lines,
    first: lineAt(file.unified().lines(), region.start),
    closed,
  };
}

function splitLines(block: string): string[] {
  return block === '' ? [] : block.replace(/\n$/, '').split('\n');
}

function trimBlanksAtEnd(line: string): string {
  return line.replace(/[ \t\v\f]+$/, '');
}

function trimBlanks(line: string): string {
  return trimBlanksAtEnd(line).replace(/^[ \t]+/, '');
}

function placesUnder({ wanted, lines }: BlockLines, fold: (line: string) => string): number[] {
  const ids = new Map<string, number>();
  const number = (line: string) => {
    const folded = fold(line);
    const id = ids.get(folded) ?? ids.size;
    ids.set(folded, id);
    return id;
  };
  const pattern = Uint32Array.from(wanted, number);
  return findLinearly(Uint32Array.from(lines, number), pattern, 0, lines.length, MATCH_LIMIT);
}

function spanAt({ first, wanted }: BlockLines, at: number): Span {
  return [first + at + 1, first + at + wanted.length];
}

function rewrite(
  query: BlockQuery,
  block: BlockLines,
  at: number,
  tier: 'whitespace' | 'indentation',
): LocatedBlock | undefined {
  const found = block.lines.slice(at, at + block.wanted.length);
  const shift =
    tier === 'indentation' ? reindent(block.wanted, found, block.replace, block.lines) : (line: string) => line;
  if (shift === undefined) return undefined;
  const lines = mergeKept(block, found, shift);
  const place = placeOf(query, block, at, found);
  if (lines === undefined || place === undefined) return undefined;
  const end = block.closed && query.text[place.end - 1] === LF ? '\n' : '';
  return {
    status: 'located',
    places: [place],
    found: found.join('\n') + end,
    replace: lines.length === 0 ? '' : lines.join('\n') + end,
    tier,
    margin: marginOf(query, spanAt(block, at)),
  };
}

/** The replacement's lines: those it kept from the search as the file has them, the others shifted. */
function mergeKept(
  { wanted, replace }: BlockLines,
  found: readonly string[],
  shift: (line: string) => string | undefined,
): string[] | undefined {
  const merged: string[] = [];
  let at = 0;
  for (const run of alignLines(wanted, replace)) {
    const shifted = run.kept ? found.slice(at, at + run.old.length) : run.next.map(shift);
    if (shifted.includes(undefined)) return undefined;
    merged.push(...shifted.filter((line) => line !== undefined));
    at += run.old.length;
  }
  return merged;
}

function placeOf(
  { file, region, text, wholeLines }: BlockQuery,
  block: BlockLines,
  at: number,
  found: readonly string[],
): Range | undefined {
  const table = file.unified().lines();
  const start = Math.max(region.start, startOfLine(table, block.first + at));
  const after = startOfLine(table, block.first + at + found.length);
  const ended = text[after - 1] === 10;
  if (block.closed) return ended || wholeLines ? { start, end: after } : undefined;
  return { start, end: ended ? after - 1 : after };
}

function marginOf(query: BlockQuery, span: Span): number {
  const other = findNearest(query, span)?.similarity ?? 0;
  return Math.round((1 - other) * 10_000) / 10_000;
}
