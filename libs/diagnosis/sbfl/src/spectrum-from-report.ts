// From what a test runner reported, by line, to a spectrum over statements.
import { formatLines, type RepoPath, type Spectrum, type TestRunReport } from '@h/contracts';
import { isFailing } from './build-spectrum.ts';
import { creditImports, type Imports } from './credit-imports.ts';
import { type Exclusion, listRuns, type RunChoice } from './list-runs.ts';
import { mapLines, type StatementLines } from './map-lines.ts';

export interface ReportOptions extends RunChoice {
  /** Files whose statements are not ranked: those of the tests. */
  readonly ignoreFiles?: readonly RepoPath[];
  /** Per file the files it imports: credits import-time statements to the tests of their importers too. */
  readonly imports?: Imports;
}

/**
 * Maps the lines of a report to statements, given by file with 1-based lines (such as `outline(…).statements` of `@h/syntax`).
 *
 * A line is the statement that starts there, else the innermost statement around it, else a one-line statement of its own; statements that
 * start on one line are one. Tests without recorded coverage are excluded, never taken for tests that executed nothing. What ran while
 * modules were loaded is credited as the README says. Throws `unknown_test`, `duplicate_test`.
 */
export function spectrumFromReport(
  report: TestRunReport,
  statements: Readonly<Record<RepoPath, readonly StatementLines[]>>,
  options: ReportOptions = {},
): Spectrum {
  const ignored = new Set(options.ignoreFiles ?? []);
  const ranked = ({ file }: { file: RepoPath }) => !ignored.has(file);
  const imported = (report.import_coverage ?? []).filter(ranked);
  const { runs, excluded } = listRuns(report, options);
  const uses = runs.map(({ file, coverage, outcome, loading }) => ({
    files: new Set([...(file === undefined ? [] : [file]), ...coverage.map((lines) => lines.file)]),
    failing: isFailing(outcome),
    loading,
  }));
  const credit = creditImports(uses, imported, options.imports ?? {});
  const covered = runs.map(({ coverage }, run) => [...coverage.filter(ranked), ...(credit[run] ?? [])]);
  const { entities, indexesOf } = mapLines(statements, ignored, covered.flat());
  const hit = runs.map((run, index) => ({ ...run, hits: formatLines((covered[index] ?? []).flatMap(indexesOf)) }));
  const silent = ({ outcome, hits }: (typeof hit)[number]) => isFailing(outcome) && hits === '';
  const kept = hit.filter((run) => !silent(run));
  return {
    tests: kept.map(({ id, outcome }) => ({ id, outcome })),
    statements: [...entities],
    hits: kept.map(({ hits }) => hits),
    excluded_tests: sortExclusions([...excluded, ...hit.filter(silent).map(({ id }) => ({ test: id, why: silence }))]),
  };
}

const silence = 'failed without executing any statement that is ranked';

function sortExclusions(excluded: readonly Exclusion[]): Exclusion[] {
  return [...excluded].sort((a, b) => (a.test < b.test ? -1 : a.test > b.test ? 1 : 0));
}
