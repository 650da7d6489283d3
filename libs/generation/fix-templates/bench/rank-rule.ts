// How far a rank is to be trusted: real rankings of injected faults (bench/rank-observations.json), each with the proposals of a fault.
import { readFileSync } from 'node:fs';
import { weighTargets } from '../src/score-candidates.ts';
import { seededRandom } from './inject-faults.ts';
import type { RankedFault } from './rank-faults.ts';

/** What `h diagnose` said of a fault put into a fixture: suspiciousness over the highest by rank, and where the faulty statement stands. */
interface Observation {
  fixture: string;
  kind: string;
  /** 0-based. */
  index: number;
  scores: number[];
}

const OBSERVED = 20;
const SEED = 7;
const DRAWS = 3;
const COSTS = [0.25, 0.5, 1, 2] as const;
const TRUSTS = [0, 0.25, 0.5, 0.75, 1] as const;

export function readObservations(): Observation[] {
  const all = JSON.parse(readFileSync(new URL('./rank-observations.json', import.meta.url), 'utf8')) as Observation[];
  return all.filter(({ index }) => index >= 0 && index < OBSERVED);
}

/** Rows by rank cost and trust: positions of the true fix where the statements are ranked as they were observed. */
export function reportRankRule(
  faults: readonly RankedFault[],
  ratedBy: (fault: RankedFault) => Float64Array[],
): Record<string, unknown>[] {
  const observations = readObservations();
  const random = seededRandom(SEED);
  const drawn = faults
    .filter(({ statements }) => (statements[0]?.fix ?? -1) >= 0)
    .map((fault) => ({
      fault,
      rated: ratedBy(fault),
      chosen: Array.from(
        { length: DRAWS },
        () => observations[Math.floor(random() * observations.length)] as Observation,
      ),
    }));
  return COSTS.flatMap((rankCost) =>
    TRUSTS.map((tieTrust) => {
      const positions = drawn.flatMap(({ fault, rated, chosen }) =>
        chosen.map((one) => ({
          weight: fault.weight,
          position: positionIn(one, fault, rated, { rankCost, tieTrust }),
        })),
      );
      return { work: `rank cost ${rankCost}, trust among ties ${tieTrust}`, ...quantiles(positions) };
    }),
  );
}

function positionIn(
  { index, scores }: Observation,
  { statements }: RankedFault,
  rated: readonly Float64Array[],
  rule: { rankCost: number; tieTrust: number },
): number {
  const weights = weighTargets(
    scores.slice(0, OBSERVED).map((score) => ({ score })),
    rule,
  );
  const fixed = (rated[0]?.[statements[0]?.fix ?? 0] ?? 0) * (weights[index] ?? 0);
  let better = 0;
  let equal = 0;
  for (const [position, weight] of weights.entries()) {
    const own = position === index ? rated[0] : rated[position < index ? position + 1 : position];
    for (const prior of own ?? []) {
      if (prior * weight > fixed) better += 1;
      else if (prior * weight === fixed) equal += 1;
    }
  }
  return better + (equal + 1) / 2;
}

function quantiles(positions: { weight: number; position: number }[]): Record<string, number> {
  const sorted = positions.sort((left, right) => left.position - right.position);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number) => {
    let passed = 0;
    for (const { weight, position } of sorted) {
      passed += weight;
      if (passed >= share * total) return Math.round(position);
    }
    return 0;
  };
  const log = sorted.reduce((sum, { weight, position }) => sum + weight * Math.log2(position), 0) / total;
  const within = sorted.reduce((sum, { weight, position }) => sum + (position <= 60 ? weight : 0), 0) / total;
  return {
    mean_log2: Number(log.toFixed(3)),
    within_60: Number(within.toFixed(3)),
    median: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
  };
}
