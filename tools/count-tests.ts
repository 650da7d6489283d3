/** The part of vitest's JSON report that is counted. */
interface VitestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export interface TestCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed without being a test: files that could not be loaded, errors outside any test, a missing report. */
  readonly broken: readonly string[];
}

/** Counts the tests of one vitest run; `exitCode` is vitest's own, null when a signal ended it. */
export function countTests(report: unknown, exitCode: number | null): TestCount {
  if (!isReport(report)) return { passed: 0, failed: 1, skipped: 0, broken: ['vitest wrote no report'] };
  const outcomes = report.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = outcomes.filter((status) => status === 'passed').length;
  const failedTests = outcomes.filter((status) => status === 'failed').length;
  const broken = report.testResults
    .filter(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((t) => t.status === 'failed'),
    )
    .map(({ name, message }) => `${name}: ${(message ?? '').split('\n')[0]}`);
  if (exitCode !== 0 && failedTests + broken.length === 0) broken.push(`vitest ended with ${exitCode ?? 'a signal'}`);
  return {
    passed,
    failed: failedTests + broken.length,
    skipped: outcomes.length - passed - failedTests,
    broken,
  };
}

function isReport(value: unknown): value is VitestReport {
  return typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);
}
