import type { TestId, TestOutcome, TestRunReport } from '@h/contracts';

const FAILING: readonly TestOutcome[] = ['failed', 'error', 'timeout'];

/** What two runs of the same tests on the same tree agree on. Each list is in the order of the first report. */
export interface Agreement {
  /** Failed, errored or timed out in both. */
  readonly failing: TestId[];
  /** Passed in both. */
  readonly passing: TestId[];
  /** Passing in one and failing in the other, missing from one, or flaky in one: nothing may rest on them. */
  readonly disagreeing: { test: TestId; first: TestOutcome | 'missing'; second: TestOutcome | 'missing' }[];
}

/** Compares two runs of the same tree, such as a plain one and one with coverage. Two different ways of failing agree. */
export function compareReports(first: TestRunReport, second: TestRunReport): Agreement {
  const inFirst = outcomes(first);
  const inSecond = outcomes(second);
  const flaky = new Set([...first.tests, ...second.tests].filter((one) => one.flaky === true).map(({ test }) => test));
  const agreement: Agreement = { failing: [], passing: [], disagreeing: [] };
  for (const test of new Set([...inFirst.keys(), ...inSecond.keys()])) {
    const a = inFirst.get(test) ?? 'missing';
    const b = inSecond.get(test) ?? 'missing';
    if (sort(a) !== sort(b) || flaky.has(test)) agreement.disagreeing.push({ test, first: a, second: b });
    else if (sort(a) === 'failing') agreement.failing.push(test);
    else if (sort(a) === 'passing') agreement.passing.push(test);
  }
  return agreement;
}

function outcomes(report: TestRunReport): Map<TestId, TestOutcome> {
  return new Map(report.tests.map(({ test, outcome }) => [test, outcome]));
}

function sort(outcome: TestOutcome | 'missing'): string {
  if (outcome === 'passed') return 'passing';
  return outcome !== 'missing' && FAILING.includes(outcome) ? 'failing' : outcome;
}
