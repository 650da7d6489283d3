// Learns priors from injected faults and measures the order they give, always on programs they were not learned from.
import type { Parser } from '@h/syntax';
import { injectFaults, readPrograms, seededRandom, shuffled } from './inject-faults.ts';
import { RANKS, type RankedFault, rankFault, weighFaults } from './rank-faults.ts';

const SEED = 20260101;
/** Proposals that a kind's own figures are mixed with at the general rate. */
const SMOOTHING = 25;
/** As in src/score-candidates.ts. */
const UNKNOWN_PRIOR = 0.01;
const REPETITION_COST = 0.05;

/** Every fault with its proposals, up to `perKind` of each kind in each program; 25 ms a fault. */
export function rankAllFaults(parser: Parser, perKind: number): RankedFault[] {
  const random = seededRandom(SEED);
  const ranked = readPrograms().flatMap((program) =>
    injectFaults(program, parser, random, perKind).flatMap((fault) => rankFault(program, fault, parser) ?? []),
  );
  return weighFaults(ranked);
}

/** Repairs over proposals of each kind in faulty statements, weighted and smoothed; 4 significant digits. */
export function learnPriors(faults: readonly RankedFault[]): Map<string, number> {
  const hits = new Map<string, number>();
  const proposals = new Map<string, number>();
  let allHits = 0;
  let allProposals = 0;
  for (const { weight, statements } of faults) {
    for (const { template, isFix } of statements[0] ?? []) {
      proposals.set(template, (proposals.get(template) ?? 0) + weight);
      allProposals += weight;
      if (isFix) {
        hits.set(template, (hits.get(template) ?? 0) + weight);
        allHits += weight;
      }
    }
  }
  const general = allHits / allProposals;
  const mean = faults.reduce((sum, { weight }) => sum + weight, 0) / faults.length;
  return new Map(
    [...proposals].map(([kind, count]) => {
      const prior = ((hits.get(kind) ?? 0) + SMOOTHING * mean * general) / (count + SMOOTHING * mean);
      return [kind, Number(prior.toPrecision(4))];
    }),
  );
}

export type Ordering = 'both' | 'suspiciousness' | 'prior' | 'random';

export interface PositionFigures {
  ordering: Ordering;
  rank: number;
  mean: number;
  median: number;
  p75: number;
  p90: number;
}

/** Positions (1-based) of the true fix with priors of the other programs, by ordering and rank of the faulty statement. */
export function studyOrder(faults: readonly RankedFault[], weightOf: (position: number) => number): PositionFigures[] {
  const repairable = faults.filter(({ statements }) => statements[0]?.some(({ isFix }) => isFix));
  const programs = [...new Set(repairable.map(({ fault }) => fault.program))];
  const learned = new Map(
    programs.map((name) => [name, learnPriors(faults.filter(({ fault }) => fault.program !== name))]),
  );
  const orderings: Ordering[] = ['both', 'suspiciousness', 'prior', 'random'];
  return orderings.flatMap((ordering) =>
    RANKS.map((rank) => {
      const positions = repairable.map((fault, index) => ({
        weight: fault.weight,
        position: positionOfFix(fault, learned.get(fault.fault.program) ?? new Map(), ordering, rank, weightOf, index),
      }));
      return { ordering, rank, ...figures(positions) };
    }),
  );
}

/** Rows to print: the order's figures by rank, then its mean beside what one part of it alone gives. */
export function reportOrder(faults: readonly RankedFault[]): Record<string, unknown>[] {
  const figures = studyOrder(faults, (position) => 1 / (1 + position));
  const meanOf = (ordering: Ordering) => {
    const own = figures.filter((row) => row.ordering === ordering);
    return own.reduce((sum, { mean }) => sum + mean, 0) / own.length;
  };
  const inSpace = faults.filter(({ statements }) => statements[0]?.some(({ isFix }) => isFix)).length;
  const ours = meanOf('both');
  const round = (value: number) => Number(value.toPrecision(3));
  return [
    { work: 'injected faults whose fix is proposed', faults: faults.length, proposed: inSpace },
    ...figures
      .filter(({ ordering }) => ordering === 'both')
      .map(({ rank, mean, median, p75, p90 }) => ({
        work: `position of the true fix, statement at rank ${rank} of 20`,
        mean,
        median,
        p75,
        p90,
      })),
    ...(['suspiciousness', 'prior', 'random'] as const).map((ordering) => ({
      work: `mean position over ranks 1 to 5, beside ${ordering} alone`,
      ours: round(ours),
      other: round(meanOf(ordering)),
      ratio: round(meanOf(ordering) / ours),
    })),
  ];
}

function positionOfFix(
  { statements: [faulty = [], ...others] }: RankedFault,
  priors: ReadonlyMap<string, number>,
  ordering: Ordering,
  rank: number,
  weightOf: (position: number) => number,
  seed: number,
): number {
  const ranked = [...others.slice(0, rank - 1), faulty, ...others.slice(rank - 1)];
  const scored = ranked.flatMap((candidates, position) =>
    rated(shuffled(candidates, seededRandom(seed * 101 + position)), priors).map(({ prior, isFix }) => {
      const weight = weightOf(position);
      const scores = { both: weight * prior, prior, suspiciousness: weight, random: 0 };
      return { score: scores[ordering], isFix };
    }),
  );
  const order = ordering === 'random' || ordering === 'prior' ? shuffled(scored, seededRandom(seed)) : scored;
  order.sort((left, right) => right.score - left.score);
  return order.findIndex(({ isFix }) => isFix) + 1;
}

/** Priors of a statement's candidates, less for each further one of a kind, as the library rates them. */
function rated(
  candidates: readonly { template: string; isFix: boolean }[],
  priors: ReadonlyMap<string, number>,
): { prior: number; isFix: boolean }[] {
  const times = new Map<string, number>();
  return candidates.map(({ template, isFix }) => {
    const earlier = times.get(template) ?? 0;
    times.set(template, earlier + 1);
    return { prior: (priors.get(template) ?? UNKNOWN_PRIOR) / (1 + REPETITION_COST * earlier), isFix };
  });
}

function figures(positions: { weight: number; position: number }[]): Omit<PositionFigures, 'ordering' | 'rank'> {
  const sorted = [...positions].sort((left, right) => left.position - right.position);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number) => {
    let passed = 0;
    for (const { weight, position } of sorted) {
      passed += weight;
      if (passed >= share * total) return position;
    }
    return 0;
  };
  const mean = sorted.reduce((sum, { weight, position }) => sum + weight * position, 0) / total;
  return { mean: Number(mean.toFixed(1)), median: at(0.5), p75: at(0.75), p90: at(0.9) };
}
