import type { TestId, TestOutcome, TestResult, TestRunReport } from '@h/contracts';

/**
 * The first report, with `flaky` on each test that another run of the same tests on the same tree judged otherwise: one that fails here and
 * passes there, or the other way round. Outcome and failure stay those of the first run. Two ways of failing, and a run that did not
 * reach the test, are no difference.
 */
export function markFlaky(first: TestRunReport, others: readonly TestRunReport[]): TestRunReport {
  const seen = others.map((report) => new Map(report.tests.map((result) => [result.test, result])));
  const tests = first.tests.map((result): TestResult => {
    const again = seen.flatMap((results) => results.get(result.test) ?? []);
    const wavers = again.some((other) => other.flaky === true || differs(other.outcome, result.outcome));
    return wavers ? { ...result, flaky: true } : result;
  });
  return { ...first, tests, execution_ids: [first, ...others].flatMap((report) => report.execution_ids) };
}

/** Tests of a report that failed, and have not wavered yet: those that a re-run can tell more of. */
export function failingTests({ tests }: TestRunReport): TestId[] {
  return tests.filter(({ outcome, flaky }) => sideOf(outcome) === 'fails' && flaky !== true).map(({ test }) => test);
}

function differs(one: TestOutcome, other: TestOutcome): boolean {
  const [a, b] = [sideOf(one), sideOf(other)];
  return a !== undefined && b !== undefined && a !== b;
}

function sideOf(outcome: TestOutcome): 'passes' | 'fails' | 'aside' | undefined {
  if (outcome === 'not_run') return undefined;
  if (outcome === 'passed') return 'passes';
  return outcome === 'failed' || outcome === 'error' || outcome === 'timeout' ? 'fails' : 'aside';
}
