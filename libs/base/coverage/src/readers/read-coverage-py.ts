import { buildReport, type ReportBuilder } from '../build-report.ts';
import type { CoverageReport } from '../coverage-report.ts';
import { malformed } from '../errors.ts';
import type { PlaceOptions } from '../place-files.ts';
import { type JsonObject, listAt, objectAt, readJson } from '../read-json.ts';

const format = 'coverage.py';
/** The newest `meta.format` whose fields are known. */
const newestFormat = 3;

export interface CoveragePyOptions extends PlaceOptions {
  /**
   * The test a context belongs to; undefined: none. When absent, pytest-cov's `|setup`, `|run` and `|teardown` are cut off, so that a
   * test owns what its fixtures execute (a module's fixtures count for the test that ran first), and "" is no test.
   */
  readonly testOf?: (context: string) => string | undefined;
}

/**
 * Reads the report of `coverage json`; with `--show-contexts`, per test.
 *
 * Lines are first lines of statements. Excluded lines are left out. A context on a later line of a statement counts for the statement.
 * Throws `malformed_coverage`.
 */
export function readCoveragePy(input: string | Uint8Array, options: CoveragePyOptions = {}): CoverageReport {
  const body = objectAt(format, readJson(format, input), 'the top');
  const files = objectAt(format, body.files, 'files');
  const meta = objectAt(format, body.meta ?? {}, 'meta');
  const report = buildReport(format, options);
  if (typeof meta.format === 'number' && meta.format > newestFormat) report.warn('newer_format', `${meta.format}`);
  const testOf = onceEach(options.testOf ?? testOfContext);
  let named = false;
  for (const [file, entry] of Object.entries(files)) {
    const at = `files[${JSON.stringify(file)}]`;
    if (readFile(report, file, objectAt(format, entry, at), at, testOf)) named = true;
  }
  if (meta.show_contexts === true && !named) report.warn('no_contexts', 'every line has the empty context only');
  return report.finish();
}

function testOfContext(context: string): string | undefined {
  return context === '' ? undefined : context.replace(/\|(?:setup|run|teardown)$/, '');
}

/** A file names each context on hundreds of lines. */
function onceEach(testOf: (context: string) => string | undefined): typeof testOf {
  const known = new Map<string, string | undefined>();
  return (context) => {
    if (!known.has(context)) known.set(context, testOf(context));
    return known.get(context);
  };
}

/** Whether any line names a test. */
function readFile(
  report: ReportBuilder,
  file: string,
  entry: JsonObject,
  at: string,
  testOf: (context: string) => string | undefined,
): boolean {
  const excluded = new Set(linesAt(entry.excluded_lines ?? [], `${at}.excluded_lines`));
  const executed = linesAt(entry.executed_lines, `${at}.executed_lines`).filter((line) => !excluded.has(line));
  const missing = linesAt(entry.missing_lines, `${at}.missing_lines`);
  const byTest = contextsOf(entry, at, testOf, [...executed, ...missing, ...excluded], new Set(executed));
  const outside = report.file(file, undefined);
  for (const line of missing) outside?.missed.add(line);
  const attributed = new Set<number>();
  for (const [test, lines] of byTest) {
    const collector = report.file(file, test);
    for (const line of lines) {
      collector?.executed.add(line);
      attributed.add(line);
    }
  }
  for (const line of executed) if (!attributed.has(line)) outside?.executed.add(line);
  return [...byTest.keys()].some((test) => test !== undefined);
}

/** Lines of statements by test; raw lines inside a statement are taken to its first line, those of excluded ones dropped. */
function contextsOf(
  entry: JsonObject,
  at: string,
  testOf: (context: string) => string | undefined,
  starts: readonly number[],
  executed: ReadonlySet<number>,
): Map<string | undefined, Set<number>> {
  const contexts = objectAt(format, entry.contexts ?? {}, `${at}.contexts`);
  const firsts = Float64Array.from(starts).sort();
  const byTest = new Map<string | undefined, Set<number>>();
  for (const [key, names] of Object.entries(contexts)) {
    const where = `${at}.contexts[${JSON.stringify(key)}]`;
    if (!/^\d+$/.test(key)) throw malformed(format, 'a line number was expected', { at: where });
    const line = firstLineOf(Number(key), firsts);
    for (const name of listAt(format, names, where)) {
      if (typeof name !== 'string') throw malformed(format, 'the name of a context was expected', { at: where });
      if (!executed.has(line)) continue;
      const test = testOf(name);
      const lines = byTest.get(test) ?? new Set();
      byTest.set(test, lines.add(line));
    }
  }
  return byTest;
}

/** The last statement that starts at or before a line; 0 where none does. */
function firstLineOf(line: number, firsts: Float64Array): number {
  let [low, high] = [0, firsts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return firsts[low - 1] ?? 0;
}

/** coverage.py writes [0] for an empty file. */
function linesAt(value: unknown, at: string): number[] {
  return listAt(format, value, at).flatMap((line, index) => {
    if (!Number.isSafeInteger(line) || (line as number) < 0) {
      throw malformed(format, 'a line number was expected', { at: `${at}[${index}]` });
    }
    return line === 0 ? [] : [line as number];
  });
}
