import type { FileLines, LineSet } from '@h/contracts';

export type CoverageFormat = 'coverage.py' | 'lcov' | 'istanbul' | 'v8' | 'cobertura' | 'jacoco';

/** Lines of one file: `lines` were executed. */
export interface FileCoverage extends FileLines {
  /** Lines that begin a statement, executed or not, as far as the tool says; absent: it does not say. */
  readonly executable?: LineSet;
}

export interface TestCoverage {
  /** As the file names the test; whether it is a runner's test id depends on the tool that wrote it. */
  readonly id: string;
  /** Sorted by file; files without an executed line are left out. */
  readonly files: readonly FileLines[];
}

/** What was executed, by test where the file says so. Paths are relative to the root, with "/". */
export interface CoverageReport {
  /** Absent: put together from several. */
  readonly format?: CoverageFormat;
  /** Sorted by id in code-unit order; absent: the file names no test. */
  readonly tests?: readonly TestCoverage[];
  /** Executed outside any test, such as while modules were loaded; only where tests are named. Sorted by file. */
  readonly outside?: readonly FileLines[];
  /** Of all tests and outside them. Sorted by file in code-unit order, each file once. */
  readonly total: readonly FileCoverage[];
  readonly warnings: readonly CoverageWarning[];
}

export type CoverageWarningCode =
  | 'outside_root'
  | 'absent_file'
  | 'invalid_line'
  | 'negative_count'
  | 'unknown_record'
  | 'not_utf8'
  | 'no_contexts'
  | 'source_mapped'
  | 'no_source'
  | 'newer_format';

/** Something that was left out or may mislead; one warning a code. */
export interface CoverageWarning {
  readonly code: CoverageWarningCode;
  /** How often. */
  readonly count: number;
  /** The first one: a path, or what the line says. */
  readonly example: string;
}
