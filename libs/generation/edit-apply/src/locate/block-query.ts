// A block put to one file, and the two answers: where it is, or why not.
import type { ApplyRejection, MatchTier, Span } from '@h/contracts';
import { markEnd, type SnapshotFile, withLf } from '../open-snapshot.ts';
import { spanOfBytes, startOfLine } from '../write/line-table.ts';
import { tellApart } from './tell-apart.ts';

/** At most this many places are listed in a rejection; that one place is too many is known at two. */
export const MATCH_LIMIT = 1000;
export const MARK = '\ufeff';

export interface BlockRequest {
  readonly search: string;
  readonly replace: string;
  /** How many places are wanted, all of which are replaced; 1 when absent. */
  readonly expected_count?: number;
  /** Inclusive 1-based lines the match must lie in; the whole file when absent. */
  readonly span?: Span;
  /** The search is whole lines; see `findWholeLines`. */
  readonly whole_lines?: boolean;
}

/** Half-open offsets into the file's unified text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A range, with texts of its own where they are not those of the block. */
export type Place = Range & Partial<Pick<LocatedBlock, 'found' | 'replace'>>;

export interface LocatedBlock {
  readonly status: 'located';
  /** Where the block matches, ascending and disjoint: one place, or as many as `expected_count` says. */
  readonly places: readonly Place[];
  /** The text found there, with LF line ends. */
  readonly found: string;
  /** What goes there, with LF line ends; the indentation tier has re-indented it. */
  readonly replace: string;
  readonly tier: MatchTier;
  /** Tolerant tiers only: 1 minus the similarity of the next best place. */
  readonly margin?: number;
}

/** Why a candidate is refused, without the candidate's name, file and block. */
export type Refusal = { readonly status: 'refused' } & Omit<ApplyRejection, 'candidate_id' | 'path' | 'block'>;

/** A block against one file, line ends unified. */
export interface BlockQuery {
  readonly file: SnapshotFile;
  readonly text: Uint8Array;
  readonly search: string;
  readonly replace: string;
  readonly region: Range;
  readonly wholeLines: boolean;
}

/** The block and the file with their line ends unified, and where in the file the block may match. */
export function openQuery(file: SnapshotFile, block: BlockRequest): BlockQuery {
  const { bytes: text } = file.unified();
  const { start, end } = block.span === undefined ? wholeOf(text) : regionOf(file, block.span);
  const search = withLf(block.search);
  const replace = withLf(block.replace);
  const wholeLines = block.whole_lines === true;
  const query = { file, text, search, replace, region: { start, end }, wholeLines };
  if (markEnd(text) === 0 || !search.startsWith(MARK)) return query;
  // A block that was copied together with the byte order mark means the text right after it.
  const size = new TextEncoder().encode(search).length;
  return {
    ...query,
    search: search.slice(MARK.length),
    replace: replace.startsWith(MARK) ? replace.slice(MARK.length) : replace,
    region: { start, end: Math.min(end, size) },
  };
}

function wholeOf(text: Uint8Array): Range {
  return { start: markEnd(text), end: text.length };
}

function regionOf(file: SnapshotFile, [first, last]: Span): Range {
  const { bytes, fromFile } = file.unified();
  const lines = file.lines();
  return {
    start: Math.max(markEnd(bytes), fromFile(startOfLine(lines, first - 1))),
    end: fromFile(startOfLine(lines, last)),
  };
}

/** Inclusive 1-based lines of places. */
export function spansOf({ file }: Pick<BlockQuery, 'file'>, places: readonly Range[]): Span[] {
  const { toFile } = file.unified();
  const lines = file.lines();
  return places.map(({ start, end }) => spanOfBytes(lines, toFile(start), toFile(end)));
}

/** More places than wanted: all of them, and what tells each from the others. */
export function refuseAmbiguous(file: SnapshotFile, matches: Span[]): Refusal {
  return refuse('locate', 'ambiguous_match', { matches, apart: tellApart(file, matches) });
}

export function refuse(
  stage: ApplyRejection['stage'],
  reason: ApplyRejection['reason'],
  detail: Partial<Pick<ApplyRejection, 'matches' | 'apart' | 'nearest' | 'diagnostics' | 'already_broken'>> = {},
): Refusal {
  return { status: 'refused', stage, reason, ...detail };
}
