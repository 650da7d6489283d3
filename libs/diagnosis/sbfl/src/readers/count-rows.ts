import type { SpectrumStatement } from '@h/contracts';
import { type CountedSpectrum, requireDistinct } from '../build-spectrum.ts';
import { malformedSpectrum } from '../errors.ts';
import { placeStatements } from '../place-statements.ts';

export interface CountedRow {
  readonly statement: SpectrumStatement;
  readonly failed: number;
  readonly passed: number;
}

/** A spectrum of which only counts are known: no test is named, so none is a failing one, and no two statements are known to be alike. */
export function countRows(rows: readonly CountedRow[], totalFailed: number, totalPassed: number): CountedSpectrum {
  const statements = rows.map(({ statement }) => statement);
  requireDistinct(statements);
  return {
    statements,
    failing: [],
    totalFailed,
    totalPassed,
    failed: Uint32Array.from(rows, ({ failed }) => failed),
    passed: Uint32Array.from(rows, ({ passed }) => passed),
    groupsOf: (indexes) => indexes.slice(),
    places: placeStatements(statements),
    excluded: [],
  };
}

/** "a.py:3" or "a.py:3-5" as a statement. Throws `malformed_spectrum`, with where it stands. */
export function statementAt(location: string, at: string): SpectrumStatement {
  const [, file = '', start = '', end = start] =
    /^(.+):([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?$/s.exec(location.trim()) ?? [];
  const [first, last] = [Number(start), Number(end)];
  if (file === '' || last < first)
    throw malformedSpectrum(`${at}: ${JSON.stringify(location)} is no place such as "a.py:3" or "a.py:3-5"`);
  return { file, first, last, kind: 'statement' };
}
