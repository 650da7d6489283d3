import type { RankedStatement, Spectrum, SpectrumReport, SpectrumStatement } from '@h/contracts';
import { buildSpectrum, type CountedSpectrum } from './build-spectrum.ts';
import { hitsMismatch } from './errors.ts';
import { type OrderOptions, orderStatements } from './order-statements.ts';

export type RankOptions = OrderOptions;

/**
 * Ranks every statement that a failing test executed.
 *
 * Order: discriminating before reserve; statements before imports and definitions; the formula, higher first; how late it last ran before
 * a failure; adjacent branch; file in code-unit order; first line. Reserve are statements that every counted test executed, some of them
 * passing. Without a passing test the verdict is `no_contrast` and the formula is left out of the order; without a failing test nothing
 * is ranked. Throws `duplicate_test`, `duplicate_statement`, `statement_out_of_range`, `hits_mismatch`.
 */
export function rankStatements(spectrum: Spectrum | CountedSpectrum, options: RankOptions = {}): SpectrumReport {
  const counted = 'hits' in spectrum ? countSpectrum(spectrum) : spectrum;
  const { totalFailed, totalPassed, excluded } = counted;
  const { statements, cut } = listRanked(counted, options);
  return {
    formula: options.formula ?? 'ochiai',
    verdict: totalFailed > 0 && totalPassed > 0 ? 'ok' : 'no_contrast',
    total_failed: totalFailed,
    total_passed: totalPassed,
    statements,
    ...(cut === 0 ? {} : { cut }),
    excluded_tests: [...excluded].sort((a, b) => (a.test < b.test ? -1 : a.test > b.test ? 1 : 0)),
  };
}

/** Counts a record. Throws as `rankStatements`. */
export function countSpectrum({ tests, statements, hits, excluded_tests = [] }: Spectrum): CountedSpectrum {
  if (hits.length !== tests.length) throw hitsMismatch(hits.length, tests.length);
  const builder = buildSpectrum(statements);
  for (const [index, test] of tests.entries()) builder.add({ ...test, hits: hits[index] ?? '' });
  const counted = builder.spectrum();
  return { ...counted, excluded: [...excluded_tests, ...counted.excluded] };
}

/** The ranking alone, and how many statements the limit left out. */
export function listRanked(
  counted: CountedSpectrum,
  options: OrderOptions,
): { statements: RankedStatement[]; cut: number } {
  const { order, total, score, isReserve, tieSizes, worstRanks } = orderStatements(counted, options);
  const groups = counted.groupsOf(order);
  const numbers = new Map<number, number>();
  const statements = Array.from(order, (index, position): RankedStatement => {
    const { file, first, kind, loaded } = counted.statements[index] as SpectrumStatement;
    const group = groups[position] ?? 0;
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return {
      location: `${file}:${first}`,
      kind,
      ...(loaded === true ? { loaded } : {}),
      score: score(index),
      tier: isReserve(index) ? 'reserve' : 'discriminating',
      failed_runs: counted.failed[index] ?? 0,
      passed_runs: counted.passed[index] ?? 0,
      rank: position + 1,
      tie_size: tieSizes[position] ?? 1,
      worst_rank: worstRanks[position] ?? position + 1,
      group: numbers.get(group) ?? 0,
    };
  });
  return { statements, cut: total - order.length };
}
