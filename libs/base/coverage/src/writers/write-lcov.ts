import { parseLines } from '@h/contracts';
import type { CoverageReport } from '../coverage-report.ts';
import { unwritableName } from '../errors.ts';
import { executableLines, linesOutsideTests } from './lines-outside-tests.ts';

/**
 * A report as LCOV: a record for each test and file it executed, then one without a test for each file, with what was executed outside any
 * test and what is executable. Counts are 1 or 0. Throws `unwritable_name`.
 */
export function writeLcov(report: CoverageReport): string {
  const outside = linesOutsideTests(report);
  const [first] = report.total;
  const ofTests = (report.tests ?? []).flatMap(({ id, files }) => {
    requireTestName(id);
    // A record without lines is all that can say that a test executed nothing.
    const some = files.length === 0 && first !== undefined ? [{ file: first.file, lines: '' }] : files;
    return some.map(({ file, lines }) => writeRecord(id, file, parseLines(lines)));
  });
  const ofAll = report.total.map((entry) =>
    writeRecord('', entry.file, executableLines(entry), outside.get(entry.file) ?? new Set()),
  );
  return [...ofTests, ...ofAll].join('');
}

function writeRecord(test: string, file: string, lines: readonly number[], hit?: ReadonlySet<number>): string {
  if (/[\r\n\ufffd]|^\s|\s$|^$/.test(file)) throw unwritableName('lcov', file);
  const counts = lines.map((line) => `DA:${line},${hit === undefined || hit.has(line) ? 1 : 0}\n`);
  const executed = hit === undefined ? lines.length : lines.filter((line) => hit.has(line)).length;
  return `TN:${test}\nSF:${file}\n${counts.join('')}LF:${lines.length}\nLH:${executed}\nend_of_record\n`;
}

function requireTestName(id: string): void {
  if (/[\r\n]|^\s|\s$|^$|,diff$/.test(id)) throw unwritableName('lcov', id);
}
