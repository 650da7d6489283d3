import { formatLines, type Spectrum, TestOutcome } from '@h/contracts';
import type { CountedSpectrum } from '../build-spectrum.ts';
import { contradictoryCounts, malformedSpectrum } from '../errors.ts';
import { countRows, statementAt } from './count-rows.ts';

/**
 * A spectrum as CSV (RFC 4180), in one of two forms told by the first row:
 * - `test,outcome,a.py:3,a.py:4-5,…`: a row a test, 1 or 0 a statement; outcomes are those of a `TestResult`;
 * - `location,ef,ep,nf,np` in any order: a row a statement. ef + nf and ep + np are the same in all rows.
 * Throws `malformed_spectrum`, `contradictory_counts`.
 */
export function readSpectrumCsv(text: string): Spectrum | CountedSpectrum {
  const [head = [], ...rows] = splitCsv(text);
  const names = head.map((name) => name.trim().toLowerCase());
  if (names[0] === 'test' && names[1] === 'outcome') return readMatrix(head, rows);
  if (['location', 'ef', 'ep', 'nf', 'np'].every((name) => names.includes(name))) return readTables(names, rows);
  throw malformedSpectrum('the first row is neither "test,outcome,<statements>" nor "location,ef,ep,nf,np"');
}

function readMatrix(head: readonly string[], rows: readonly (readonly string[])[]): Spectrum {
  const statements = head.slice(2).map((location, column) => statementAt(location, `column ${column + 3}`));
  const read = rows.map((cells, index) => {
    const at = `row ${index + 2}`;
    if (cells.length !== head.length)
      throw malformedSpectrum(`${at} has ${cells.length} cells, the first row ${head.length}`);
    const [id = '', outcome = '', ...marks] = cells;
    const parsed = TestOutcome.safeParse(outcome.trim());
    if (id === '' || !parsed.success)
      throw malformedSpectrum(`${at}: a test and its outcome were expected, not ${JSON.stringify([id, outcome])}`);
    const hits = marks.flatMap((mark, statement) => {
      const cell = mark.trim();
      if (cell !== '0' && cell !== '1')
        throw malformedSpectrum(`${at}, column ${statement + 3}: ${JSON.stringify(mark)} is neither 0 nor 1`);
      return cell === '1' ? [statement] : [];
    });
    return { test: { id, outcome: parsed.data }, hits: formatLines(hits) };
  });
  return { tests: read.map(({ test }) => test), statements, hits: read.map(({ hits }) => hits) };
}

function readTables(names: readonly string[], rows: readonly (readonly string[])[]): CountedSpectrum {
  const read = rows.map((cells, index) => {
    const at = `row ${index + 2}`;
    if (cells.length !== names.length)
      throw malformedSpectrum(`${at} has ${cells.length} cells, the first row ${names.length}`);
    const cell = (name: string) => cells[names.indexOf(name)] ?? '';
    const [ef = 0, ep = 0, nf = 0, np = 0] = ['ef', 'ep', 'nf', 'np'].map((name) =>
      countAt(cell(name), `${at}, ${name}`),
    );
    return {
      statement: statementAt(cell('location'), at),
      failed: ef,
      passed: ep,
      totalFailed: ef + nf,
      totalPassed: ep + np,
    };
  });
  const [{ totalFailed, totalPassed } = { totalFailed: 0, totalPassed: 0 }] = read;
  for (const row of read) {
    if (row.totalFailed === totalFailed && row.totalPassed === totalPassed) continue;
    const { file, first } = row.statement;
    throw contradictoryCounts(
      `${file}:${first} counts ${row.totalFailed} failing and ${row.totalPassed} passing runs, the first row ${totalFailed} and ${totalPassed}`,
    );
  }
  return countRows(read, totalFailed, totalPassed);
}

function countAt(cell: string, at: string): number {
  const count = /^\d{1,15}$/.test(cell.trim()) ? Number(cell) : Number.NaN;
  if (Number.isNaN(count)) throw malformedSpectrum(`${at}: ${JSON.stringify(cell)} is no whole number from 0`);
  return count;
}

const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** Rows of cells; empty lines are passed over. Throws `malformed_spectrum` where quotes are wrong. */
function splitCsv(given: string): string[][] {
  const text = given.replace(/^\ufeff/, '');
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length || row.length > 0; ) {
    cell.lastIndex = at;
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (whole === undefined)
      throw malformedSpectrum(`row ${rows.length + 1}: a quote that is not closed, or text beside one`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '' || quoted !== undefined) rows.push(row);
    row = [];
  }
  return rows;
}
