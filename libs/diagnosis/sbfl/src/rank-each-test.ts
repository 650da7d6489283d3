// Failing tests may have faults of their own: a ranking for each, against the same passing tests, and all of them in one.
import { parseLines, type RankedStatement, type Spectrum, type SpectrumReport, type TestId } from '@h/contracts';
import { isFailing } from './build-spectrum.ts';
import type { OrderOptions } from './order-statements.ts';
import { countSpectrum, listRanked, rankStatements } from './rank-statements.ts';

/** Statements listed per failing test where no limit is given: as many as probe points are drawn from. */
const listedPerTest = 50;

/**
 * As `rankStatements`, with two lists more: `per_test` ranks for each failing test alone, `merged` puts these in one. The main ranking is over
 * all failing tests as ever, and is not cut; `limit` (50 when absent) is that of each test. Groups are those of the whole spectrum.
 *
 * Merged: by the best position in any of the rankings, then by how many of them list the statement, then as in the main ranking.
 */
export function rankEachTest(spectrum: Spectrum, options: OrderOptions = {}): SpectrumReport {
  const { limit = listedPerTest, ...order } = options;
  const counted = countSpectrum(spectrum);
  const whole = rankStatements(counted, order);
  const perTest = spectrum.tests
    .flatMap(({ id, outcome }, index) => (isFailing(outcome) ? [{ id, hits: spectrum.hits[index] ?? '' }] : []))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, hits }) => {
      const failed = new Uint32Array(spectrum.statements.length);
      for (const index of parseLines(hits)) failed[index] = 1;
      const alone = { ...counted, failing: [id], totalFailed: 1, failed };
      return { test: id, statements: listRanked(alone, { ...order, limit }).statements };
    });
  return { ...whole, per_test: perTest, merged: mergeRankings(perTest, whole.statements) };
}

interface Best {
  rank: number;
  test: TestId;
  tests: number;
}

function mergeRankings(
  perTest: readonly { readonly test: TestId; readonly statements: readonly RankedStatement[] }[],
  whole: readonly RankedStatement[],
): NonNullable<SpectrumReport['merged']> {
  const best = new Map<string, Best>();
  for (const { test, statements } of perTest) {
    for (const { location, rank } of statements) {
      const known = best.get(location);
      if (known === undefined) best.set(location, { rank, test, tests: 1 });
      else {
        known.tests += 1;
        if (rank < known.rank) [known.rank, known.test] = [rank, test];
      }
    }
  }
  const listed = whole.flatMap(({ location, rank }) => {
    const found = best.get(location);
    return found === undefined ? [] : [{ location, whole: rank, ...found }];
  });
  listed.sort((a, b) => a.rank - b.rank || b.tests - a.tests || a.whole - b.whole);
  return listed.map(({ location, rank, test, tests }, position) => ({
    location,
    rank: position + 1,
    best_rank: rank,
    best_test: test,
    failing_tests: tests,
  }));
}
