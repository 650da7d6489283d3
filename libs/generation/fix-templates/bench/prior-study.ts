// Learns priors from injected faults and measures the order they give, always on packages they were not learned from.
import type { Parser } from '@h/syntax';
import { FIRST_KINDS, injectFaults, type Program, seededRandom } from './inject-faults.ts';
import { kindNames, type Proposals, RANKS, type RankedFault, rankFault, weighFaults } from './rank-faults.ts';
import { reportRankRule } from './rank-rule.ts';

const SEED = 20260101;
/** Proposals that a kind's own figures are mixed with at the general rate. */
const SMOOTHING = 25;
/** As in src/score-candidates.ts. */
const UNKNOWN_PRIOR = 0.01;
const REPETITION_COST = 0.05;
/** Candidates that a run looks at and that it runs, by default. */
const LOOKED_AT = 250;
/** The templates that there were before guards, calls, statements, returns, literals and bounds. */
const FIRST_TEMPLATES = new Set([
  ...['comparison-operator', 'off-by-one', 'negated-condition', 'boolean-operator', 'arithmetic-operator'],
  ...['constant', 'variable', 'member', 'argument-order', 'counterpart-call'],
]);

/** Every fault with its proposals, up to `perKind` of each kind in each program; 40 ms a fault. */
export function rankAllFaults(programs: readonly Program[], parser: Parser, perKind: number): RankedFault[] {
  const random = seededRandom(SEED);
  return programs.flatMap((program) =>
    injectFaults(program, parser, random, perKind).flatMap((fault) => rankFault(program, fault, parser) ?? []),
  );
}

/** Sums from which priors follow, so that a group can be taken away again. */
interface Sums {
  hits: Float64Array;
  proposals: Float64Array;
  weight: number;
  count: number;
}

function sumUp(faults: readonly RankedFault[]): Sums {
  const sums: Sums = {
    hits: new Float64Array(kindNames.length),
    proposals: new Float64Array(kindNames.length),
    weight: 0,
    count: faults.length,
  };
  for (const { weight, statements } of faults) {
    sums.weight += weight;
    const [faulty] = statements;
    if (!faulty) continue;
    for (const [index, kind] of faulty.kinds.entries()) {
      sums.proposals[kind] = (sums.proposals[kind] ?? 0) + weight * (faulty.fits[index] ?? 1);
    }
    const fixed = faulty.kinds[faulty.fix];
    if (fixed !== undefined) sums.hits[fixed] = (sums.hits[fixed] ?? 0) + weight;
  }
  return sums;
}

/** Repairs over proposals of each kind in faulty statements, weighted by fault and fit, and smoothed. */
function priorsOf(all: Sums, without?: Sums): Float64Array {
  const less = (field: 'hits' | 'proposals', kind: number) => (all[field][kind] ?? 0) - (without?.[field][kind] ?? 0);
  const numbers = kindNames.map((_, kind) => kind);
  const hits = numbers.map((kind) => less('hits', kind));
  const proposals = numbers.map((kind) => less('proposals', kind));
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const general = total(hits) / total(proposals);
  const mean = (all.weight - (without?.weight ?? 0)) / (all.count - (without?.count ?? 0));
  return Float64Array.from(numbers, (kind) => {
    const count = proposals[kind] ?? 0;
    if (count <= 0) return UNKNOWN_PRIOR;
    return ((hits[kind] ?? 0) + SMOOTHING * mean * general) / (count + SMOOTHING * mean);
  });
}

/** Priors of every kind that was proposed for a faulty statement; 4 significant digits. */
export function learnPriors(faults: readonly RankedFault[]): Map<string, number> {
  const sums = sumUp(weighFaults(faults));
  const priors = priorsOf(sums);
  const seen = kindNames.flatMap((kind, number) =>
    (sums.proposals[number] ?? 0) > 0 ? [[kind, number] as const] : [],
  );
  return new Map(seen.map(([kind, number]) => [kind, Number((priors[number] ?? 0).toPrecision(4))]));
}

export type Ordering = 'both' | 'suspiciousness' | 'prior' | 'random';
const ORDERINGS: readonly Ordering[] = ['both', 'suspiciousness', 'prior', 'random'];

interface Position {
  weight: number;
  /** 1-based; infinite where the fix is not proposed. */
  position: number;
  fault: RankedFault;
}

/** Positions of the true fix with priors of the other packages. */
function positionsOf(
  faults: readonly RankedFault[],
  ordering: Ordering,
  rank: number,
  priorsFor: (fault: RankedFault) => Float64Array,
): Position[] {
  return faults.map((fault) => ({
    fault,
    weight: fault.weight,
    position: positionOfFix(fault, priorsFor(fault), ordering, rank),
  }));
}

/** How many stand before the fix; those that are worth the same count half. */
function positionOfFix(
  { statements: [faulty, ...others] }: RankedFault,
  priors: Float64Array,
  ordering: Ordering,
  rank: number,
): number {
  if (!faulty || faulty.fix < 0) return Number.POSITIVE_INFINITY;
  const ranked = [...others.slice(0, rank - 1), faulty, ...others.slice(rank - 1)];
  const scores = ranked.map((proposals, position) => scoresOf(proposals, priors, ordering, 1 / (1 + position)));
  const own = scores[ranked.indexOf(faulty)]?.[faulty.fix] ?? 0;
  if (own <= 0) return Number.POSITIVE_INFINITY;
  let better = 0;
  let equal = 0;
  for (const list of scores) {
    for (const score of list) {
      if (score > own) better += 1;
      else if (score === own) equal += 1;
    }
  }
  return better + (equal + 1) / 2;
}

/** As the library rates them: prior × fit, less for each further one of a kind in the statement. */
function scoresOf({ kinds, fits }: Proposals, priors: Float64Array, ordering: Ordering, weight: number): Float64Array {
  const times = new Map<number, number>();
  return Float64Array.from(kinds, (kind, index) => {
    const prior = priors[kind] ?? UNKNOWN_PRIOR;
    if (prior <= 0) return 0;
    if (ordering === 'random') return 1;
    if (ordering === 'suspiciousness') return weight;
    const earlier = times.get(kind) ?? 0;
    times.set(kind, earlier + 1);
    const rated = (prior * (fits[index] ?? 1)) / (1 + REPETITION_COST * earlier);
    return ordering === 'prior' ? rated : weight * rated;
  });
}

/** Rows to print: the space, the order by rank before and after, and beside what one part of it alone gives. */
export function reportOrder(
  ranked: readonly RankedFault[],
  earlier: Readonly<Record<string, number>>,
): Record<string, unknown>[] {
  const faults = weighFaults(ranked);
  const after = leaveOneOut(faults);
  const before = Float64Array.from(kindNames, (kind) =>
    FIRST_TEMPLATES.has(kind.split('/')[0] ?? '') ? (earlier[kind] ?? UNKNOWN_PRIOR) : 0,
  );
  const rows: Record<string, unknown>[] = [];
  const sets: [string, RankedFault[]][] = [
    ['all kinds', faults],
    ['first kinds', faults.filter(({ fault }) => FIRST_KINDS.has(fault.kind))],
    ['new kinds', faults.filter(({ fault }) => !FIRST_KINDS.has(fault.kind))],
  ];
  for (const [name, chosen] of sets) {
    for (const rank of RANKS) {
      const work = `true fix of ${name}, faulty statement at rank ${rank} of 20`;
      const [old, now] = [positionsOf(chosen, 'both', rank, () => before), positionsOf(chosen, 'both', rank, after)];
      rows.push({ work, faults: chosen.length, before: figures(old), after: figures(now) });
    }
  }
  const means = new Map(ORDERINGS.map((ordering) => [ordering, meanOf(faults, ordering, after)]));
  for (const ordering of ORDERINGS.slice(1)) {
    const [ours = 1, other = 1] = [means.get('both'), means.get(ordering)];
    rows.push({
      work: `mean position of proposed fixes over ranks 1 to 5, beside ${ordering} alone`,
      ours: round(ours),
      other: round(other),
      ratio: round(other / ours),
    });
  }
  return rows;
}

/** Rows of how far a rank is to be trusted, with priors of the other packages. */
export function reportRanks(ranked: readonly RankedFault[]): Record<string, unknown>[] {
  const faults = weighFaults(ranked);
  const after = leaveOneOut(faults);
  return reportRankRule(faults, (fault) =>
    fault.statements.map((proposals) => scoresOf(proposals, after(fault), 'prior', 1)),
  );
}

/** Per kind of fault: how many, how many proposed, median position at rank 2. */
export function reportKinds(ranked: readonly RankedFault[]): Record<string, unknown>[] {
  const faults = weighFaults(ranked);
  const after = leaveOneOut(faults);
  const kinds = [...new Set(faults.map(({ fault }) => fault.kind))];
  return kinds.map((kind) => {
    const own = faults.filter(({ fault }) => fault.kind === kind);
    return { kind, faults: own.length, ...figures(positionsOf(own, 'both', 2, after)) };
  });
}

function leaveOneOut(faults: readonly RankedFault[]): (fault: RankedFault) => Float64Array {
  const all = sumUp(faults);
  const groups = [...new Set(faults.map(({ fault }) => fault.group))];
  const learned = new Map(
    groups.map((group) => [group, priorsOf(all, sumUp(faults.filter(({ fault }) => fault.group === group)))]),
  );
  return ({ fault }) => learned.get(fault.group) ?? new Float64Array();
}

function meanOf(
  faults: readonly RankedFault[],
  ordering: Ordering,
  priorsFor: (fault: RankedFault) => Float64Array,
): number {
  const found = RANKS.flatMap((rank) => positionsOf(faults, ordering, rank, priorsFor)).filter(({ position }) =>
    Number.isFinite(position),
  );
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  return found.reduce((sum, { weight, position }) => sum + weight * position, 0) / total;
}

const round = (value: number) => Number(value.toPrecision(3));

/** Weighted figures over all faults; a fix that is not proposed stands behind all others, `null` where that is the figure. */
function figures(positions: readonly Position[]): Record<string, number | null> {
  const sorted = [...positions].sort((left, right) => left.position - right.position);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number) => {
    let passed = 0;
    for (const { weight, position } of sorted) {
      passed += weight;
      if (passed >= share * total) return Number.isFinite(position) ? Math.round(position) : null;
    }
    return null;
  };
  const shareOf = (limit: number) =>
    round(sorted.reduce((sum, { weight, position }) => sum + (position <= limit ? weight : 0), 0) / total);
  return {
    proposed: shareOf(Number.MAX_VALUE),
    within_60: shareOf(60),
    within_250: shareOf(LOOKED_AT),
    median: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
  };
}
