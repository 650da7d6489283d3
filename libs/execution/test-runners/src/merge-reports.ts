import type { FileLines, TestResult, TestRunReport } from '@h/contracts';
import { hashRecord, parseLines } from '@h/contracts';
import { sortedLines } from './build-report.ts';
import { createNumbering } from './number-names.ts';

/**
 * One report of several runs over one tree, such as those of a runner and of commands: tests in order, statements run while
 * loading united. An id that a report knows only as `not_run` takes the result another has; any other second use of an id gets ` #2`.
 * Throws a `RangeError` for no report.
 */
export function mergeReports(reports: readonly TestRunReport[]): TestRunReport {
  const [first] = reports;
  if (first === undefined) throw new RangeError('mergeReports needs at least one report.');
  if (reports.length === 1) return first;
  const imports = uniteLines(reports.flatMap((report) => report.import_coverage ?? []));
  const notes = [...new Set(reports.flatMap((report) => report.notes ?? []))];
  const environments = [...new Set(reports.map(({ environment }) => environment))];
  return {
    runner: [...new Set(reports.flatMap(({ runner }) => runner.split('+')))].join('+'),
    environment: environments.length === 1 ? first.environment : hashRecord(environments),
    execution_ids: reports.flatMap((report) => report.execution_ids),
    tests: uniteTests(reports.flatMap((report) => report.tests)),
    collection_errors: reports.flatMap((report) => report.collection_errors),
    ...(imports.length === 0 ? {} : { import_coverage: imports }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function uniteTests(tests: readonly TestResult[]): TestResult[] {
  const found = new Map<string, TestResult>();
  const freeName = createNumbering(found);
  for (const result of tests) {
    const held = found.get(result.test);
    if (held === undefined || held.outcome === 'not_run') found.set(result.test, result);
    else if (result.outcome !== 'not_run') {
      const test = freeName(result.test);
      found.set(test, { ...result, test });
    }
  }
  return [...found.values()];
}

function uniteLines(files: readonly FileLines[]): FileLines[] {
  const lines = new Map<string, Set<number>>();
  for (const entry of files) {
    const known = lines.get(entry.file) ?? new Set();
    for (const line of parseLines(entry.lines)) known.add(line);
    lines.set(entry.file, known);
  }
  return sortedLines(lines);
}
