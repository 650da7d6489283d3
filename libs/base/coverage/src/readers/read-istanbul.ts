import { buildReport, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { malformed } from '../errors.ts';
import type { PlaceOptions } from '../place-files.ts';
import { type JsonObject, objectAt, readJson } from '../read-json.ts';

const format = 'istanbul';

/**
 * Reads `coverage-final.json` of Istanbul, nyc, c8, jest or vitest: first lines of statements, in total. Throws `malformed_coverage`.
 *
 * The format knows no tests; `combineTests` joins one such file a test.
 */
export function readIstanbul(input: string | Uint8Array, options: PlaceOptions = {}): CoverageReport {
  const files = objectAt(format, readJson(format, input), 'the top');
  const report = buildReport(format, options);
  for (const [key, entry] of Object.entries(files)) {
    const at = `[${JSON.stringify(key)}]`;
    readFile(report, key, objectAt(format, entry, at), at);
  }
  return report.finish();
}

function readFile(report: ReportBuilder, key: string, entry: JsonObject, at: string): void {
  const { path = key, inputSourceMap } = entry;
  if (typeof path !== 'string') throw malformed(format, 'a path was expected', { at: `${at}.path` });
  const statements = objectAt(format, entry.statementMap, `${at}.statementMap`);
  const counts = objectAt(format, entry.s, `${at}.s`);
  const collector = report.file(path, undefined);
  if (collector === undefined) return;
  if (inputSourceMap !== undefined && inputSourceMap !== null) report.warn('source_mapped', path);
  for (const [id, statement] of Object.entries(statements)) {
    const where = `${at}.statementMap[${JSON.stringify(id)}]`;
    const { line } = objectAt(format, objectAt(format, statement, where).start, `${where}.start`);
    const count = counts[id];
    if (typeof count !== 'number') throw malformed(format, 'a count was expected', { at: `${at}.s[${id}]` });
    if (count < 0) report.warn('negative_count', `${path}: statement ${id}`);
    if (!isLine(line)) report.warn('invalid_line', `${path}: statement ${id} starts at line ${JSON.stringify(line)}`);
    else if (count > 0) collector.executed.add(line);
    else collector.missed.add(line);
  }
}

function isLine(line: unknown): line is number {
  return Number.isSafeInteger(line) && (line as number) >= 1;
}
