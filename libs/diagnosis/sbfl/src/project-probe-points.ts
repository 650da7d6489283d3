import type { CandidateProbePoints, SpectrumReport } from '@h/contracts';
import { notTheSeedFormula } from './errors.ts';

/** Seed 12 §3.1: at most this many candidates are handed to planning. */
export const PROBE_POINT_CAP = 50;

/**
 * The first 50 statements of a report in exactly the form of seed 12 §3.1, ranked anew from 1. Throws `not_the_seed_formula`.
 *
 * Reserve statements have suspiciousness 0.0 and stay, last. Without contrast suspiciousness is the formula, √(failed_runs / total_failed),
 * and rank is the tie-break: the two need not agree. Imports and definitions are left out: there is no state to observe at them.
 */
export function projectProbePoints(report: SpectrumReport): CandidateProbePoints {
  if (report.formula !== 'ochiai') throw notTheSeedFormula(report.formula);
  const observable = report.statements.filter(({ kind = 'statement' }) => kind === 'statement');
  return {
    candidate_probe_points: observable
      .slice(0, PROBE_POINT_CAP)
      .map(({ location, score, tier, failed_runs, passed_runs }, position) => ({
        rank: position + 1,
        location,
        suspiciousness: tier === 'reserve' ? 0 : score,
        failed_runs,
        passed_runs,
      })),
  };
}
