// The order of suspicion: seed 12 §3.1 with its contradiction between formula and text resolved (README, "The contradiction").
import { type Loc, parseLoc, type TestId } from '@h/contracts';
import type { CountedSpectrum } from './build-spectrum.ts';
import type { StatementPlaces } from './place-statements.ts';
import { type FormulaName, formulas } from './suspiciousness-formulas.ts';

export interface OrderOptions {
  /** "ochiai" when absent, the only one that probe points are projected from. */
  readonly formula?: FormulaName;
  /** Per failing test: statements in the order of their last execution, most recent first (`last_lines` of a `TestResult`). */
  readonly lastLines?: Readonly<Record<TestId, readonly Loc[]>>;
  /** Score of the most suspicious branch next to a statement, by its location; higher is more suspicious, a missing one counts as 0. */
  readonly adjacentBranch?: Readonly<Record<Loc, number>>;
  /** At most so many statements are listed; ranks, ties and groups are those of the whole. All when absent. */
  readonly limit?: number;
}

export interface Ordering {
  /** Indexes of statements that a failing test executed, most suspicious first, as many as were asked for. */
  readonly order: Uint32Array;
  /** How many there are in all. */
  readonly total: number;
  readonly score: (index: number) => number;
  readonly isReserve: (index: number) => boolean;
  /** By position in the order: statements that tier, kind and formula leave equal, in all. */
  readonly tieSizes: Uint32Array;
  /** By position: the last place among those that only file and line tell apart. */
  readonly worstRanks: Uint32Array;
}

/** Larger selections are sorted whole. */
const longestSelection = 1000;

/** Linear in the statements for a small `limit`. */
export function orderStatements(counted: CountedSpectrum, options: OrderOptions): Ordering {
  const keys = keysOf(counted, options);
  const { candidates, compare } = keys;
  const { limit = candidates.length } = options;
  const order =
    limit < Math.min(candidates.length, longestSelection) ? selectFirst(keys, limit) : candidates.sort(compare);
  const listed = order.subarray(0, Math.max(0, limit));
  return {
    order: listed,
    total: candidates.length,
    score: keys.score,
    isReserve: keys.isReserve,
    ...numberRuns(listed, keys),
  };
}

type Compare = (a: number, b: number) => number;

interface Keys {
  readonly candidates: Uint32Array;
  readonly score: (index: number) => number;
  readonly isReserve: (index: number) => boolean;
  readonly compare: Compare;
  /** 0 for statements that only the tie-break orders. */
  readonly compareTies: Compare;
  /** 0 for statements that only file and line order. */
  readonly compareAlike: Compare;
}

function keysOf(
  counted: CountedSpectrum,
  { formula = 'ochiai', lastLines = {}, adjacentBranch = {} }: OrderOptions,
): Keys {
  const { statements, failed, passed, totalFailed, totalPassed, places } = counted;
  const contrast = totalFailed > 0 && totalPassed > 0;
  const counts = { failed: 0, passed: 0, totalFailed, totalPassed };
  const scores = new Float64Array(statements.length);
  /** Tier before kind: 0 and 1 discriminating, 2 and 3 reserve. */
  const bands = new Uint8Array(statements.length);
  const candidates = new Uint32Array(statements.length);
  const [kinds, scoreOf] = [places.kinds(), formulas[formula]];
  let length = 0;
  for (let index = 0; index < statements.length; index += 1) {
    counts.failed = failed[index] as number;
    if (counts.failed === 0) continue;
    counts.passed = passed[index] as number;
    candidates[length] = index;
    length += 1;
    scores[index] = scoreOf(counts);
    const everyRun = contrast && counts.failed === totalFailed && counts.passed === totalPassed;
    bands[index] = (everyRun ? 2 : 0) + (kinds[index] as number);
  }
  const distances = recency(counted, lastLines);
  const branches = branchScores(counted, adjacentBranch);
  const order = places.order();
  const decisive = contrast ? scores : new Float64Array(statements.length);
  const compareTies: Compare = (a, b) =>
    (bands[a] as number) - (bands[b] as number) || (decisive[b] as number) - (decisive[a] as number);
  const compareAlike: Compare = (a, b) =>
    compareTies(a, b) ||
    difference(distances[a] as number, distances[b] as number) ||
    (branches[b] ?? 0) - (branches[a] ?? 0);
  return {
    candidates: candidates.subarray(0, length),
    score: (index) => scores[index] as number,
    isReserve: (index) => (bands[index] as number) >= 2,
    compareTies,
    compareAlike,
    compare: (a, b) => compareAlike(a, b) || (order[a] as number) - (order[b] as number),
  };
}

/** Of distances, which may both be infinite. */
function difference(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/**
 * Per statement: how many other statements ran for the last time between its own last execution and the end of a failing test; of several
 * failing tests the least. Farther than all others where no failing test names it, farthest where it ran while modules were loaded, which
 * was before any test. Places that are no statement of the spectrum take no number.
 */
function recency(
  { failing, places }: CountedSpectrum,
  lastLines: Readonly<Record<TestId, readonly Loc[]>>,
): Float64Array {
  const named = failing.filter((test) => own(lastLines, test) !== undefined);
  if (named.length === 0) return places.unnamed();
  const distances = places.unnamed().slice();
  for (const test of named) {
    const seen = new Set<number>();
    for (const location of own(lastLines, test) ?? []) {
      const index = locateLoc(places, location);
      if (index === undefined) continue;
      distances[index] = Math.min(distances[index] ?? 0, seen.size);
      seen.add(index);
    }
  }
  return distances;
}

/** Empty where no branch has a score: an array of zeros for every ranking costs more than it says. */
function branchScores({ statements, places }: CountedSpectrum, given: Readonly<Record<Loc, number>>): Float64Array {
  const entries = Object.entries(given);
  const scores = new Float64Array(entries.length === 0 ? 0 : statements.length);
  for (const [location, score] of entries) {
    const index = locateLoc(places, location);
    if (index !== undefined && location === `${statements[index]?.file}:${statements[index]?.first}`)
      scores[index] = score;
  }
  return scores;
}

function locateLoc(places: StatementPlaces, location: Loc): number | undefined {
  const { file, line } = parseLoc(location);
  return places.locate(file, line);
}

/** The value under a key that the caller gave, never one that every object has. */
function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The first `limit` candidates in order, by inserting each that comes before the last one held. */
function selectFirst({ candidates, compare, compareTies }: Keys, limit: number): Uint32Array {
  const held = new Uint32Array(limit);
  let length = 0;
  for (let next = 0; next < candidates.length; next += 1) {
    const candidate = candidates[next] as number;
    if (length === limit) {
      const last = held[length - 1] ?? 0;
      // Nearly all are turned away by the first comparison, the cheaper one.
      if (limit === 0 || compareTies(candidate, last) > 0 || compare(candidate, last) > 0) continue;
    }
    let at = length < limit ? length++ : length - 1;
    for (; at > 0 && compare(candidate, held[at - 1] ?? 0) < 0; at -= 1) held[at] = held[at - 1] ?? 0;
    held[at] = candidate;
  }
  return held;
}

/** Runs of neighbours that are the same; the last ones may go on among those not listed. */
function numberRuns(
  listed: Uint32Array,
  { candidates, compareTies, compareAlike }: Keys,
): Pick<Ordering, 'tieSizes' | 'worstRanks'> {
  const tied = runEnds(listed, compareTies);
  const alike = runEnds(listed, compareAlike);
  const last = listed.length - 1;
  if (last >= 0 && listed.length < candidates.length) {
    const [tiedAll, alikeAll] = [tied[last]?.start ?? 0, alike[last]?.start ?? 0];
    let [ties, same] = [0, 0];
    for (let at = 0; at < candidates.length; at += 1) {
      const candidate = candidates[at] as number;
      if (compareTies(listed[last] as number, candidate) !== 0) continue;
      ties += 1;
      if (compareAlike(listed[last] as number, candidate) === 0) same += 1;
    }
    for (const run of tied.slice(tiedAll)) run.end = tiedAll + ties;
    for (const run of alike.slice(alikeAll)) run.end = alikeAll + same;
  }
  return {
    tieSizes: Uint32Array.from(tied, ({ start, end }) => end - start),
    worstRanks: Uint32Array.from(alike, ({ end }) => end),
  };
}

interface Run {
  readonly start: number;
  end: number;
}

/** Per position the run of neighbours it is in, half-open. */
function runEnds(listed: Uint32Array, compare: Compare): Run[] {
  const found: Run[] = [];
  let run: Run | undefined;
  for (const [position, index] of listed.entries()) {
    if (run === undefined || compare(listed[run.start] as number, index) !== 0)
      run = { start: position, end: position };
    run.end = position + 1;
    found.push(run);
  }
  return found;
}
