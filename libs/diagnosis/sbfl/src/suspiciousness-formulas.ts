// Each formula is one quotient of whole numbers, or the root of one, rounded once: statements whose true scores are equal get equal numbers.
import { impossibleCounts } from './errors.ts';

/** The two-by-two table of one statement: whole numbers, `failed` ≤ `totalFailed`, `passed` ≤ `totalPassed`. */
export interface StatementCounts {
  /** Failing runs that executed it: ef. */
  readonly failed: number;
  /** Passing runs that executed it: ep. */
  readonly passed: number;
  /** F = ef + nf. */
  readonly totalFailed: number;
  /** P = ep + np. */
  readonly totalPassed: number;
}

/** From a table to a finite number, the higher the more suspicious; never NaN. Throws `impossible_counts`. */
export type Formula = (counts: StatementCounts) => number;

/** Name of a formula of the table `formulas`. */
export type FormulaName = keyof typeof formulas;

/** ef / √(F · (ef + ep)), from 0 to 1; 0 where the denominator is 0, 1 exactly where perfect. Ochiai 1957; seed 12 §3.1. */
export function ochiai(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  return Math.sqrt(quotient(failed * failed, totalFailed * (failed + passed)));
}

/** (ef / F) / (ef / F + ep / P), from 0 to 1; a share of no runs is 0, and so is 0 / 0. Jones and Harrold 2005. */
export function tarantula(counts: StatementCounts): number {
  const { failed, passed, totalFailed, totalPassed } = possible(counts);
  if (totalPassed === 0) return failed > 0 ? 1 : 0;
  return quotient(failed * totalPassed, failed * totalPassed + passed * totalFailed);
}

/**
 * ef² / (nf + ep), from 0; 0 where ef is 0. Wong, Debroy, Gao and Li 2014, with their exponent 2.
 *
 * Infinite where every failing and no passing run executed it: given as `Number.MAX_VALUE`, which JSON can hold. The order stays total:
 * any other score is at most F², and statements that are perfect are tied.
 */
export function dstar(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  const others = totalFailed - failed + passed;
  if (others === 0) return failed === 0 ? 0 : Number.MAX_VALUE;
  return (failed * failed) / others;
}

/** ef − ep / (P + 1), above −1, at most F. Naish, Lee and Ramamohanarao 2011. */
export function op2(counts: StatementCounts): number {
  const { failed, passed, totalPassed } = possible(counts);
  return (failed * (totalPassed + 1) - passed) / (totalPassed + 1);
}

/** ef / (F + ep), from 0 to 1; 0 where the denominator is 0. Jaccard 1901; for faults Chen et al. 2002. */
export function jaccard(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  return quotient(failed, totalFailed + passed);
}

/** 1 − ep / (ef + ep) = ef / (ef + ep), from 0 to 1; 0 where no run executed it. Abreu, Zoeteweij and van Gemund 2009, single faults. */
export function barinel(counts: StatementCounts): number {
  const { failed, passed } = possible(counts);
  return quotient(failed, failed + passed);
}

/** ef · np / √((ef + ep)(nf + np) · F · P), from 0 to 1; 0 where the denominator is 0. Ochiai 1957, as in Naish et al. 2011. */
export function ochiai2(counts: StatementCounts): number {
  const { failed, passed, totalFailed, totalPassed } = possible(counts);
  const both = failed * (totalPassed - passed);
  return Math.sqrt(quotient(both * both, marginals(failed, passed, totalFailed, totalPassed)));
}

/** |ef / F − ep / P|, from 0 to 1; a share of no runs is 0. Dallmeier, Lindig and Zeller 2005, for one class of runs. */
export function ample(counts: StatementCounts): number {
  const { failed, passed, totalFailed, totalPassed } = possible(counts);
  const [ofFailed, ofPassed] = [Math.max(totalFailed, 1), Math.max(totalPassed, 1)];
  return Math.abs(failed * ofPassed - passed * ofFailed) / (ofFailed * ofPassed);
}

/** ½ (ef / F + ef / (ef + ep)), from 0 to 1; 0 where ef is 0. Kulczyński 1927, as in Naish et al. 2011. */
export function kulczynski2(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  const executed = failed + passed;
  return quotient(failed * (executed + totalFailed), 2 * totalFailed * executed);
}

/** ef / (F + ep + 10000 · nf · ep / ef), from 0 to 1; 0 where ef is 0. Janssen, Abreu and van Gemund 2009 (the tool Zoltar). */
export function zoltar(counts: StatementCounts): number {
  const { failed, passed, totalFailed } = possible(counts);
  return quotient(failed * failed, failed * (totalFailed + passed) + 10_000 * (totalFailed - failed) * passed);
}

/** (ef · np − nf · ep) / √((ef + ep)(nf + np) · F · P), from −1 to 1; 0 where the denominator is 0. Pearson 1900; Maxwell and Pilliner 1968. */
export function phi(counts: StatementCounts): number {
  const { failed, passed, totalFailed, totalPassed } = possible(counts);
  const excess = failed * (totalPassed - passed) - (totalFailed - failed) * passed;
  const root = Math.sqrt(quotient(excess * excess, marginals(failed, passed, totalFailed, totalPassed)));
  return excess < 0 ? -root : root;
}

/** ef − h, with h = ep up to 2, then 2 + 0.1 (ep − 2) up to 10, then 2.8 + 0.001 (ep − 10). Wong, Qi, Zhao and Cai 2007, heuristic III. */
export function wong3(counts: StatementCounts): number {
  const { failed, passed } = possible(counts);
  if (passed <= 2) return failed - passed;
  if (passed <= 10) return (10 * failed - 18 - passed) / 10;
  return (1000 * failed - 2790 - passed) / 1000;
}

/** Every formula that a ranking may use, by name. */
export const formulas = {
  ochiai,
  tarantula,
  dstar,
  op2,
  jaccard,
  barinel,
  ochiai2,
  ample,
  kulczynski2,
  zoltar,
  phi,
  wong3,
} as const satisfies Record<string, Formula>;

function marginals(failed: number, passed: number, totalFailed: number, totalPassed: number): number {
  const executed = failed + passed;
  return executed * (totalFailed + totalPassed - executed) * totalFailed * totalPassed;
}

function quotient(dividend: number, divisor: number): number {
  return divisor === 0 ? 0 : dividend / divisor;
}

function possible(counts: StatementCounts): StatementCounts {
  const { failed, passed, totalFailed, totalPassed } = counts;
  const inside = failed >= 0 && passed >= 0 && failed <= totalFailed && passed <= totalPassed;
  const { isSafeInteger } = Number;
  const whole =
    isSafeInteger(failed) && isSafeInteger(passed) && isSafeInteger(totalFailed) && isSafeInteger(totalPassed);
  if (!inside || !whole) throw impossibleCounts(counts);
  return counts;
}
