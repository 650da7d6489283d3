// What one test run says of a candidate. A pure table: expected tests and a report in, a status out.
import type { CandidateValidation, TestId, TestOutcome, TestResult, TestRunReport } from '@h/contracts';

/** What must hold of the patched program. */
export interface TestExpectation {
  /** Tests that failed and must pass now. */
  readonly failing: readonly TestId[];
  /** Tests that passed, are not flaky, and must still pass. */
  readonly passing: readonly TestId[];
  /** File of a test, as the baseline reported it; tells a file that cannot be collected from a test that is gone. */
  readonly fileOf: ReadonlyMap<TestId, string>;
  /** Files with an error outside their tests before the change, "" for one of no file; absent: none. */
  readonly erringFiles?: ReadonlySet<string>;
}

export interface Judgement {
  readonly status: CandidateValidation['status'];
  /** Expected tests that did not pass: in the order of the report, then those missing from it in the order expected. */
  readonly broken: readonly TestId[];
}

/** How a test that should pass stands in a report. */
type Standing = 'passed' | 'no_verdict' | Exclude<TestOutcome, 'passed' | 'not_run'> | 'missing' | 'uncollected';

/**
 * Judges a run; the first line that applies decides:
 *
 *  1. a failing test timed out → `timeout`
 *  2. a failing test has no verdict because the runner died, or its file cannot be collected → `crash`
 *  3. a failing test failed, erred, was skipped, or is missing from the report → `failing`
 *  4. a passing test has another outcome or is missing, for whatever reason but the next → `neighbour_broken`
 *  5. a passing test has no verdict because the runner died → `crash`
 *  6. every expected test passed, but a file, or the run, has an error outside its tests (a hook after them, say) that it had not before → `neighbour_broken`
 *  7. else `plausible`
 *
 * A passing test that this run itself marks as flaky does not count.
 */
export function judgeRun(report: TestRunReport, expected: TestExpectation): Judgement {
  const results = new Map(report.tests.map((result) => [result.test, result]));
  const standing = (test: TestId) => standingOf(test, results.get(test), report, expected);
  const failing = expected.failing.filter((test) => standing(test) !== 'passed');
  const neighbours = expected.passing.filter(
    (test) => standing(test) !== 'passed' && results.get(test)?.flaky !== true,
  );
  const status = statusOf(failing.map(standing), neighbours.map(standing));
  return {
    status: status === 'plausible' && hasNewError(report, expected) ? 'neighbour_broken' : status,
    broken: inReportOrder([...failing, ...neighbours], report),
  };
}

function statusOf(failing: readonly Standing[], neighbours: readonly Standing[]): Judgement['status'] {
  if (failing.includes('timeout')) return 'timeout';
  if (failing.includes('no_verdict') || failing.includes('uncollected')) return 'crash';
  if (failing.length > 0) return 'failing';
  if (neighbours.some((standing) => standing !== 'no_verdict')) return 'neighbour_broken';
  return neighbours.length > 0 ? 'crash' : 'plausible';
}

function hasNewError({ collection_errors }: TestRunReport, { erringFiles }: TestExpectation): boolean {
  return collection_errors.some(({ file = '' }) => erringFiles?.has(file) !== true);
}

function standingOf(
  test: TestId,
  result: TestResult | undefined,
  report: TestRunReport,
  { fileOf }: TestExpectation,
): Standing {
  if (result !== undefined) return result.outcome === 'not_run' ? 'no_verdict' : result.outcome;
  if (report.tests.length === 0) return report.collection_errors.length === 0 ? 'no_verdict' : 'uncollected';
  const uncollected = report.collection_errors.some(({ file }) => file === undefined || file === fileOf.get(test));
  return uncollected ? 'uncollected' : 'missing';
}

function inReportOrder(tests: readonly TestId[], report: TestRunReport): TestId[] {
  const wanted = new Set(tests);
  const reported = report.tests.map(({ test }) => test).filter((test) => wanted.delete(test));
  return [...reported, ...wanted];
}
