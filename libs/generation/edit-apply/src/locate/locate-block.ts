import type { MatchTier, Span } from '@h/contracts';
import { isWellFormed, markEnd, type SnapshotFile } from '../open-snapshot.ts';
import { LF } from '../write/line-table.ts';
import {
  type BlockQuery,
  type BlockRequest,
  type LocatedBlock,
  MARK,
  MATCH_LIMIT,
  openQuery,
  type Place,
  type Range,
  type Refusal,
  refuse,
  refuseAmbiguous,
  spansOf,
} from './block-query.ts';
import { elisionLines } from './detect-elision.ts';
import { explainMiss, isSurfaceCause } from './explain-miss.ts';
import { findMatches } from './find-matches.ts';
import { findWholeLines } from './find-whole-lines.ts';
import { matchTolerantly } from './match-tolerantly.ts';

/** Characters, blanks aside. */
const TELLING_SIZE = 12;

/** Finds the one place of a block in the snapshot, or says why there is none. Work is linear in the file. */
export function locateBlock(file: SnapshotFile, block: BlockRequest, tier: MatchTier): LocatedBlock | Refusal {
  const query = openQuery(file, block);
  if (query.search === '') return refuse('locate', 'empty_search');
  const inside = placesOf(query, query.search, query.region.start, query.region.end).filter(isFit(query));
  if (inside.length === 0) return locateOtherwise(query, tier, block.expected_count ?? 1);
  const done = replacementsAround(query, inside);
  if (done.length > 0) return refuse('locate', 'already_applied', { matches: spansOf(query, done) });
  const overlap = inside.some((place, i) => place.start < (inside[i - 1]?.end ?? 0));
  if (overlap || inside.length !== (block.expected_count ?? 1)) {
    return refuseAmbiguous(query.file, spansOf(query, inside));
  }
  const elided = findElision(query.search, query.replace, () => spansOf(query, inside)[0]);
  if (elided !== undefined) return elided;
  const replace = unmarked(query, inside);
  const located = { status: 'located', places: inside, found: query.search, replace, tier: 'exact' } as const;
  return query.wholeLines ? { ...located, places: inside.map((place) => keepOpenEnd(query, place)) } : located;
}

/** Whole lines that lose their last line end can only be the last of the file. */
function isFit({ wholeLines, search, replace, text }: BlockQuery): (place: Range) => boolean {
  const loses = wholeLines && search.endsWith('\n') && replace !== '' && !replace.endsWith('\n');
  return ({ end }) => !loses || end === text.length;
}

/** Whole lines at the end of a file that has no final line end: it stays without one. */
function keepOpenEnd({ text, search, replace }: BlockQuery, place: Range): Place {
  const isOpen = place.end === text.length && text[text.length - 1] !== LF && search.endsWith('\n');
  return isOpen ? { ...place, found: search.slice(0, -1), replace: replace.replace(/\n$/, '') } : place;
}

/** A replacement at the very start of a file that has a byte order mark does not bring a second one. */
function unmarked({ text, replace }: BlockQuery, places: readonly Range[]): string {
  const atMark = markEnd(text) > 0 && places[0]?.start === markEnd(text);
  return atMark && replace.startsWith(MARK) ? replace.slice(MARK.length) : replace;
}

function placesOf({ text, wholeLines }: BlockQuery, wanted: string, from: number, to: number): Range[] {
  if (!isWellFormed(wanted)) return []; // no bytes stand for it, and U+FFFD must not stand in
  if (wholeLines) return findWholeLines(text, wanted, from, to, MATCH_LIMIT);
  const pattern = new TextEncoder().encode(wanted);
  return findMatches(text, pattern, from, to, MATCH_LIMIT).map((start) => ({ start, end: start + pattern.length }));
}

/** The places where the replacement already stands inside the region; it may end below it, having brought lines of its own. */
function replacementsIn(query: BlockQuery): Range[] {
  const { search, replace, region, text } = query;
  if (replace === search || replace.trim() === '') return [];
  const reach = Math.min(text.length, region.end + new TextEncoder().encode(replace).length);
  // Whole lines that only gain a line end have not got it as long as the file ends without one.
  const gains = query.wholeLines && !search.endsWith('\n') && text[text.length - 1] !== LF;
  return placesOf(query, replace, region.start, reach).filter(
    ({ start, end }) => (start < region.end || start === region.start) && !(gains && end === text.length),
  );
}

/** Those replacements, when each match lies inside one: the search text is only what the replacement kept of it. */
function replacementsAround(query: BlockQuery, matches: readonly Range[]): Range[] {
  if (!query.replace.includes(query.search)) return [];
  const there = replacementsIn(query);
  const within = (match: Range) => there.some(({ start, end }) => start <= match.start && match.end <= end);
  return matches.every(within) ? there : [];
}

/** No match inside the region: a tolerant tier, or the reason why not. */
function locateOtherwise(query: BlockQuery, tier: MatchTier, count: number): LocatedBlock | Refusal {
  const found = replacementsIn(query);
  const there = isTelling(query.replace, found.length, count) ? found : [];
  const outside = placesOutside(query);
  const nearest = outside.length > 0 ? undefined : explainMiss(query);
  // Once applied, the search text is gone and the replacement is there. But text that differs from the search only on its surface, and
  // is not the replacement, is what was meant.
  const meant = nearest !== undefined && isSurfaceCause(nearest.cause);
  if (there.length > 0 && !(meant && !spansOf(query, there).some((span) => overlaps(span, nearest.span)))) {
    return refuse('locate', 'already_applied', { matches: spansOf(query, there) });
  }
  if (outside.length > 0) return refuse('locate', 'outside_span', { matches: spansOf(query, outside) });
  const tolerant = tier === 'exact' ? undefined : matchTolerantly(query, tier);
  return tolerant ?? refuse('locate', 'not_found', nearest === undefined ? {} : { nearest });
}

/** A few characters that stand in several places say nothing of an edit that put them in one. */
function isTelling(replace: string, places: number, wanted: number): boolean {
  return places <= wanted || replace.replace(/\s/g, '').length >= TELLING_SIZE;
}

/** Where the block matches when its region does not count; the region itself has no match. */
function placesOutside(query: BlockQuery): Range[] {
  const { text, region, search } = query;
  const isWhole = region.start === markEnd(text) && region.end === text.length;
  return isWhole ? [] : placesOf(query, search, markEnd(text), text.length);
}

function overlaps(a: Span, b: Span): boolean {
  return a[0] <= b[1] && b[0] <= a[1];
}

/** A replacement that elides text which the search spelt out would delete it. */
export function findElision(search: string, replace: string, at: () => Span | undefined): Refusal | undefined {
  const known = new Set(elisionLines(search));
  const [line] = elisionLines(replace).filter((elided) => !known.has(elided));
  const span = line === undefined ? undefined : at();
  if (span === undefined) return undefined;
  return refuse('apply', 'not_found', { nearest: { span, similarity: 1, cause: 'elision_comment', diff: `+${line}` } });
}
