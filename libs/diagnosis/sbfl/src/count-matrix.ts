import type { SpectrumStatement, TestId, TestOutcome } from '@h/contracts';
import { type CountedSpectrum, excludedOutcomes, isFailing, requireDistinct } from './build-spectrum.ts';
import { countColumns } from './count-columns.ts';
import { duplicateTest, matrixMismatch, statementOutOfRange } from './errors.ts';
import { groupColumns } from './group-columns.ts';
import { placeStatements } from './place-statements.ts';

export interface SpectrumMatrix {
  readonly statements: readonly SpectrumStatement[];
  /** In the order of the rows. */
  readonly tests: readonly { readonly id: TestId; readonly outcome: TestOutcome }[];
  /**
   * A row of ⌈statements / 32⌉ words a test; bit i of word w, the lowest first, is statement 32 w + i; bits past the last statement are 0.
   * Kept, not copied: groups are worked out from it when a ranking asks for them.
   */
  readonly bits: Uint32Array;
}

/**
 * Counts a matrix of bits that is at hand as a whole, many times faster than test by test; `rankStatements` takes the result. Outcomes count
 * as in `buildSpectrum`. Throws `duplicate_test`, `duplicate_statement`, `matrix_mismatch`, `statement_out_of_range`.
 */
export function countMatrix({ statements, tests, bits }: SpectrumMatrix): CountedSpectrum {
  const words = Math.ceil(statements.length / 32);
  if (bits.length !== words * tests.length) throw matrixMismatch(bits.length, words, tests.length);
  requireDistinct(statements);
  const ids = new Set<TestId>();
  for (const { id } of tests) {
    if (ids.has(id)) throw duplicateTest(id);
    ids.add(id);
  }
  requireEmptyTail({ statements, tests, bits }, words);
  const rowsOf = (wanted: (outcome: TestOutcome) => boolean) =>
    Uint32Array.from(tests.flatMap(({ outcome }, row) => (wanted(outcome) ? [row * words] : [])));
  const [failing, passing] = [rowsOf(isFailing), rowsOf((outcome) => outcome === 'passed')];
  const counted = Uint32Array.of(...failing, ...passing);
  return {
    statements,
    failing: tests.flatMap(({ id, outcome }) => (isFailing(outcome) ? [id] : [])),
    totalFailed: failing.length,
    totalPassed: passing.length,
    failed: countColumns(bits, failing, words, statements.length),
    passed: countColumns(bits, passing, words, statements.length),
    groupsOf: (columns) => groupColumns(bits, counted, words, columns),
    places: placeStatements(statements),
    excluded: tests.flatMap(({ id, outcome }) => {
      const why = excludedOutcomes[outcome];
      return why === undefined ? [] : [{ test: id, why }];
    }),
  };
}

function requireEmptyTail({ statements, tests, bits }: SpectrumMatrix, words: number): void {
  const used = statements.length & 31;
  if (used === 0) return;
  for (const [row, { id }] of tests.entries()) {
    const beyond = (bits[(row + 1) * words - 1] ?? 0) >>> used;
    if (beyond === 0) continue;
    throw statementOutOfRange(id, statements.length + 31 - Math.clz32(beyond & -beyond), statements.length);
  }
}
