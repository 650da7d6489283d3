import type { FileLines, TestId, TestRunReport } from '@h/contracts';
import type { CoverageReport } from './coverage-report.ts';

export interface AttachedCoverage {
  readonly report: TestRunReport;
  /** Tests of the report that the coverage does not name, in the order of the report: they have no coverage, which is not "none executed". */
  readonly unmatched: readonly TestId[];
  /** Tests that the coverage names and the report does not, sorted. */
  readonly unknown: readonly string[];
}

/**
 * A list of test results with what each test executed, matched by id: all that a spectrum needs. Replaces coverage the results had;
 * what was executed outside any test becomes `import_coverage`.
 */
export function attachCoverage(results: TestRunReport, coverage: CoverageReport): AttachedCoverage {
  const byId = new Map((coverage.tests ?? []).map(({ id, files }) => [id, files]));
  const tests = results.tests.map(({ coverage: _replaced, ...result }) => {
    const files = byId.get(result.test);
    return files === undefined ? result : { ...result, coverage: copied(files) };
  });
  const { import_coverage: _also, ...rest } = results;
  const known = new Set(results.tests.map(({ test }) => test));
  return {
    report: {
      ...rest,
      tests,
      ...(coverage.outside === undefined ? {} : { import_coverage: copied(coverage.outside) }),
    },
    unmatched: results.tests.map(({ test }) => test).filter((test) => !byId.has(test)),
    unknown: [...byId.keys()].filter((id) => !known.has(id)),
  };
}

function copied(files: readonly FileLines[]): FileLines[] {
  return files.map(({ file, lines }) => ({ file, lines }));
}
