// The ranking after an observation: what the tests say of a statement, how near it is to the failure, and how much it computes.
import type { DynamicSlice, Loc, RefinedRanking, RepoPath, SpectrumReport } from '@h/contracts';

export interface RefineOptions {
  /** The slice of a failing test; absent, or without a `depth`: nothing is known of distances. */
  readonly slice?: DynamicSlice | undefined;
  /** `scoreBranches`: what is near a suspicious branch is no less suspicious. */
  readonly adjacentBranch?: Readonly<Record<Loc, number>>;
  /** `measureExtents`: how much a statement computes. */
  readonly extents?: Readonly<Record<Loc, number>>;
}

/** A statement that many dependences lie between and the failure: at ten it counts half. */
const HALVING_DEPTH = 10;
/** Outside the slice: the slice of one run may miss it. */
const OUTSIDE = 0.2;
/** What every run executes: no test tells it apart, but it may hold the fault all the same. */
const RESERVE = 0.5;
/** Places that hardly differ in either order. */
const EVEN = 5;

/**
 * The statements of a report in the order that an observed failing run gives them. Two orders are fused by their reciprocal ranks (Cormack, Clarke and
 * Büttcher 2009: 1 / (5 + rank), summed): that of the report, which knows how late a statement ran, and that of suspicion × nearness × extent.
 *
 * Suspicion is the score, or that of the most suspicious branch next to the statement where that is more, half of it for a reserve statement (all alike without
 * a passing test). Nearness is
 * 1 / (1 + depth / 10) in the slice, 0.2 outside. Extent is the cube root of one plus the operators and half the names and literals of
 * the statement: what computes more can be wrong in more ways. Equal ones as in the report; imports and definitions come last, as there.
 */
export function refineRanking(
  { statements, verdict }: Pick<SpectrumReport, 'statements' | 'verdict'>,
  { slice, adjacentBranch = {}, extents = {} }: RefineOptions = {},
): RefinedRanking {
  const depths = depthsOf(slice);
  const rated = statements.map(({ location, kind = 'statement', score, tier, rank }) => {
    const depth = depths.get(location);
    const nearness = depths.size === 0 ? 1 : depth === undefined ? OUTSIDE : 1 / (1 + depth / HALVING_DEPTH);
    const told = Math.max(score, own(adjacentBranch, location) ?? 0) * (tier === 'reserve' ? RESERVE : 1);
    const suspicion = verdict === 'ok' ? told : 1;
    const observed = suspicion * nearness * Math.cbrt(own(extents, location) ?? 1);
    return { location, isAside: kind !== 'statement', observed, weight: 0, spectrum_rank: rank, depth };
  });
  rated.sort(compareBy(({ observed }) => observed));
  for (const [index, one] of rated.entries()) one.weight = 1 / (EVEN + index + 1) + 1 / (EVEN + one.spectrum_rank);
  rated.sort(compareBy(({ weight }) => weight));
  return {
    statements: rated.map(({ location, weight, spectrum_rank, depth }, index) => ({
      rank: index + 1,
      location,
      weight,
      spectrum_rank,
      ...(depth === undefined ? {} : { depth }),
    })),
  };
}

interface Rated {
  readonly isAside: boolean;
  readonly observed: number;
  readonly weight: number;
  readonly spectrum_rank: number;
}

function compareBy(value: (one: Rated) => number): (a: Rated, b: Rated) => number {
  return (a, b) => Number(a.isAside) - Number(b.isAside) || value(b) - value(a) || a.spectrum_rank - b.spectrum_rank;
}

function depthsOf(slice: DynamicSlice | undefined): Map<Loc, number> {
  const depths = new Map<Loc, number>();
  for (const [index, { location }] of (slice?.slice ?? []).entries()) {
    const depth = slice?.links[index]?.depth;
    if (depth === undefined) continue;
    depths.set(location, Math.min(depth, depths.get(location) ?? depth));
  }
  return depths;
}

function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A statement's own text, such as a `StatementSpan` of `@h/syntax`, and the tokens of its file. */
export interface MeasuredFile {
  readonly statements: readonly { readonly first: number; readonly start: number; readonly end: number }[];
  readonly tokens: readonly {
    readonly kind: string;
    readonly text: string;
    readonly start: number;
    readonly end: number;
  }[];
}

/** Per statement, by location: one, plus one for each operator, plus a half for each name and literal. Of two on one line the larger. */
export function measureExtents(files: Readonly<Record<RepoPath, MeasuredFile>>): Record<Loc, number> {
  const extents = new Map<Loc, number>();
  for (const [file, { statements, tokens }] of Object.entries(files)) {
    const sorted = tokens.filter((token) => weightOf(token) > 0).sort((a, b) => a.start - b.start);
    for (const { first, start, end } of statements) {
      let extent = 1;
      for (let at = firstFrom(sorted, start); at < sorted.length; at += 1) {
        const token = sorted[at];
        if (token === undefined || token.end > end) break;
        extent += weightOf(token);
      }
      const location = `${file}:${first}`;
      extents.set(location, Math.max(extent, extents.get(location) ?? 0));
    }
  }
  return Object.fromEntries(extents);
}

function weightOf({ kind, text }: { readonly kind: string; readonly text: string }): number {
  if (kind === 'operator' || (kind === 'keyword' && WORDS.has(text))) return 1;
  return kind === 'name' || kind === 'number' || kind === 'string' ? 0.5 : 0;
}

/** Keywords that compute, or stand for a value. */
const WORDS = new Set([
  ...['and', 'or', 'not', 'in', 'is', 'instanceof', 'typeof'],
  ...['True', 'False', 'None', 'true', 'false', 'null'],
]);

function firstFrom(tokens: readonly { readonly start: number }[], start: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
