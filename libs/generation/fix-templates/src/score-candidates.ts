// How promising a candidate is: how likely its statement is at fault, times how often such a change is the repair.
import type { FailureFit } from './fit-failure.ts';
import { PRIOR_TABLE } from './prior-table.ts';
import type { Replacement, Site, Template } from './template.ts';

/** A replacement with its rating among all candidates of a run. */
export interface ScoredReplacement extends Replacement {
  /** `<template>/<variant>`. */
  kind: string;
  score: number;
  site: Site;
}

/** For kinds that neither the table nor their template knows. */
const UNKNOWN_PRIOR = 0.01;
/** A target of effective rank r weighs 1 / (1 + this × (r - 1)) of its suspiciousness. */
const RANK_COST = 1;
/** Among neighbours of equal suspiciousness a rank counts so much: it says only which ran last before the failure (bench/rank-rule.ts). */
const TIE_TRUST = 0.5;
/** The second candidate of a kind in one statement loses this share, the third twice as much: other kinds get their turn. */
const REPETITION_COST = 0.05;
const DIGITS = 6;

/**
 * How likely each target is at fault beside the first, 0 to 1: its suspiciousness over the highest, less with its rank. Neighbours of equal
 * suspiciousness stand between the rank of the first of them and their own.
 */
export function weighTargets(
  targets: readonly { score: number; rank?: number }[],
  { rankCost = RANK_COST, tieTrust = TIE_TRUST }: { rankCost?: number; tieTrust?: number } = {},
): number[] {
  const highest = targets.reduce((most, { score }) => Math.max(most, score), 0);
  let tied = { score: Number.NaN, rank: 1 };
  return targets.map(({ score, rank: given }, index) => {
    const rank = given ?? index + 1;
    if (score !== tied.score) tied = { score, rank };
    const effective = tied.rank + tieTrust * (rank - tied.rank);
    const suspicion = highest > 0 ? Math.max(0, score) / highest : 1;
    return suspicion / (1 + rankCost * Math.max(0, effective - 1));
  });
}

/** All replacements of a statement, best first; equal ones in the order of the templates. */
export function scoreReplacements(
  site: Site,
  templates: readonly Template[],
  { weight, failure, location = '' }: { weight: number; failure?: FailureFit | undefined; location?: string },
): ScoredReplacement[] {
  const rated = templates.flatMap((template) =>
    [...template.propose(site)].map((replacement) => {
      const kind = `${template.name}/${replacement.variant}`;
      const fit = (replacement.fit ?? 1) * (failure?.rate(site, location, replacement, kind) ?? 1);
      return { replacement, kind, prior: priorOf(kind, template.prior) * fit };
    }),
  );
  rated.sort((left, right) => right.prior - left.prior);
  const repeated = new Map<string, number>();
  const scored = rated.map(({ replacement, kind, prior }) => {
    const times = repeated.get(kind) ?? 0;
    repeated.set(kind, times + 1);
    const score = (weight * prior) / (1 + REPETITION_COST * times);
    return { ...replacement, kind, score: Number(score.toPrecision(DIGITS)), site };
  });
  return scored.sort((left, right) => right.score - left.score);
}

function priorOf(kind: string, otherwise = UNKNOWN_PRIOR): number {
  const at = kind.indexOf('/');
  return PRIOR_TABLE[kind.slice(0, at)]?.[kind.slice(at + 1)] ?? otherwise;
}
