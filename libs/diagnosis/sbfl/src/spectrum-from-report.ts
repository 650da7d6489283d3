// From what a test runner or a coverage tool reported, by line, to a spectrum over statements.
import { type FileLines, formatLines, type RepoPath, type Spectrum, type TestId, type TestOutcome } from '@h/contracts';
import { isFailing } from './build-spectrum.ts';
import { creditImports, type Imports } from './credit-imports.ts';
import { namesNoTests } from './errors.ts';
import { type Exclusion, listRuns, type RunChoice, type TestedRuns } from './list-runs.ts';
import { mapLines, type StatementTables } from './map-lines.ts';

export interface ReportOptions extends RunChoice {
  /** Files whose statements are not ranked: those of the tests. */
  readonly ignoreFiles?: readonly RepoPath[];
  /** Per file the files it imports: credits import-time statements to the tests of their importers too. */
  readonly imports?: Imports;
}

/**
 * Maps the lines of a report to statements, given by file with 1-based lines: a list, or with blocks (such as `outline(…)` of `@h/syntax`).
 *
 * A line is the statement that starts there, else the innermost statement around it, else, where blocks are given, the statement whose
 * `else`, `finally` or brace it is, else a one-line statement of its own; statements that start on one line are one. Tests without recorded
 * coverage are excluded, never taken for tests that executed nothing. What ran while modules were loaded is credited as the README says and
 * marked `loaded`. Throws `unknown_test`, `duplicate_test`.
 */
export function spectrumFromReport(
  report: TestedRuns,
  statements: StatementTables,
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
  const own = runs.map(({ coverage }) => coverage.filter(ranked));
  const { entities, indexesOf } = mapLines(statements, ignored, [...own.flat(), ...credit.flat()]);
  const hit = runs.map((run, index) => ({
    ...run,
    hits: formatLines([...(own[index] ?? []), ...(credit[index] ?? [])].flatMap(indexesOf)),
  }));
  const silent = ({ outcome, hits }: (typeof hit)[number]) => isFailing(outcome) && hits === '';
  const kept = hit.filter((run) => !silent(run));
  const inTests = new Set(own.flat().flatMap(indexesOf));
  const loaded = new Set(imported.flatMap(indexesOf).filter((index) => !inTests.has(index)));
  return {
    tests: kept.map(({ id, outcome }) => ({ id, outcome })),
    statements: entities.map((entity, index) => (loaded.has(index) ? { ...entity, loaded: true } : entity)),
    hits: kept.map(({ hits }) => hits),
    excluded_tests: sortExclusions([...excluded, ...hit.filter(silent).map(({ id }) => ({ test: id, why: silence }))]),
  };
}

const silence = 'failed without executing any statement that is ranked';

function sortExclusions(excluded: readonly Exclusion[]): Exclusion[] {
  return [...excluded].sort((a, b) => (a.test < b.test ? -1 : a.test > b.test ? 1 : 0));
}

/** What is read of a coverage report; a `CoverageReport` of `@h/coverage` is one. */
export interface TestedCoverage {
  readonly tests?: readonly { readonly id: TestId; readonly files: readonly FileLines[] }[];
  readonly outside?: readonly FileLines[];
}

export interface TestOutcomeEntry {
  readonly test: TestId;
  readonly outcome: TestOutcome;
  /** Absent: its id is looked at no further. */
  readonly file?: RepoPath;
  readonly flaky?: boolean;
}

/**
 * A spectrum from a coverage file of another tool and the outcome of each test, matched by id. Tests without coverage and tests of the
 * coverage without an outcome are excluded by name. Throws `names_no_tests` besides what `spectrumFromReport` throws.
 */
export function spectrumFromCoverage(
  coverage: TestedCoverage,
  outcomes: readonly TestOutcomeEntry[],
  statements: StatementTables = {},
  options: ReportOptions = {},
): Spectrum {
  if (coverage.tests === undefined) throw namesNoTests();
  const byId = new Map(coverage.tests.map(({ id, files }) => [id, files]));
  const known = new Set(outcomes.map(({ test }) => test));
  const unknown = [...byId.keys()].filter((id) => !known.has(id));
  const tests = outcomes.map((entry) => {
    const files = byId.get(entry.test);
    return files === undefined ? entry : { ...entry, coverage: files };
  });
  const report: TestedRuns = {
    tests,
    collection_errors: [],
    ...(coverage.outside === undefined ? {} : { import_coverage: coverage.outside }),
  };
  const exclude = unknown.map((test) => ({ test, why: 'in the coverage, but without an outcome' }));
  return spectrumFromReport(report, statements, { ...options, exclude: [...exclude, ...(options.exclude ?? [])] });
}
