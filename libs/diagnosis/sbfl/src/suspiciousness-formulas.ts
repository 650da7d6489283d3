import { impossibleCounts } from './errors.ts';

/** The two-by-two table of one statement: whole numbers, `failed` ≤ `totalFailed`, `passed` ≤ `totalPassed`. */
export interface StatementCounts {
  /** Failing runs that executed it. */
  readonly failed: number;
  /** Passing runs that executed it. */
  readonly passed: number;
  readonly totalFailed: number;
  readonly totalPassed: number;
}

/** Name of a formula of the table: `"ochiai"`, `"tarantula"` or `"jaccard"`. */
export type FormulaName = keyof typeof formulas;

/**
 * failed / √(totalFailed · (failed + passed)), from 0 to 1; 0 where the denominator is 0. Never NaN. Throws `impossible_counts`.
 *
 * Computed as the root of one quotient: statements whose true scores are equal get equal numbers, and a perfect one gets exactly 1.
 * Ochiai 1957; seed 12 §3.1.
 */
export function ochiai(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  return Math.sqrt(quotient(failed * failed, totalFailed * (failed + passed)));
}

/** Share of failing runs over the sum of both shares, from 0 to 1; 0 where that is 0. Jones and Harrold 2005. Throws `impossible_counts`. */
export function tarantula(counts: StatementCounts): number {
  const { failed, passed, totalFailed, totalPassed } = possible(counts);
  if (totalPassed === 0) return failed > 0 ? 1 : 0;
  return quotient(failed * totalPassed, failed * totalPassed + passed * totalFailed);
}

/** failed / (totalFailed + passed), from 0 to 1; 0 where that is 0. Jaccard 1901. Throws `impossible_counts`. */
export function jaccard(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  return quotient(failed, totalFailed + passed);
}

/** Every formula a ranking may use, by name. */
export const formulas = { ochiai, tarantula, jaccard } as const satisfies Record<
  string,
  (counts: StatementCounts) => number
>;

function quotient(dividend: number, divisor: number): number {
  return divisor === 0 ? 0 : dividend / divisor;
}

function possible(counts: StatementCounts): StatementCounts {
  const { failed, passed, totalFailed, totalPassed } = counts;
  const whole = [failed, passed, totalFailed, totalPassed].every((count) => Number.isSafeInteger(count) && count >= 0);
  if (!whole || failed > totalFailed || passed > totalPassed) throw impossibleCounts(counts);
  return counts;
}
