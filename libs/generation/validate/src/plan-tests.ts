import type { TestCommand, TestId, TestRunReport } from '@h/contracts';
import type { TestPlan } from './try-candidate.ts';

export interface PlanOptions {
  readonly baseline: TestRunReport;
  readonly failing: readonly TestId[];
  readonly plan: (tests: TestId[] | 'all') => TestCommand;
}

/** The failing tests first, then the whole suite. */
export function planTests({ baseline, failing, plan }: PlanOptions): TestPlan {
  const targets = new Set(failing);
  const passing = baseline.tests
    .filter(({ test, outcome, flaky }) => outcome === 'passed' && flaky !== true && !targets.has(test))
    .map(({ test }) => test);
  return {
    expected: {
      failing,
      passing,
      fileOf: new Map(baseline.tests.map(({ test, file }) => [test, file])),
      erringFiles: new Set(baseline.collection_errors.map(({ file = '' }) => file)),
    },
    ...(failing.length === 0 ? {} : { failing: plan([...failing]) }),
    // The whole suite, not the list of the rest: tests then run in the order the baseline ran them.
    ...(passing.length === 0 ? {} : { all: plan('all') }),
  };
}

/** Only the tests that a candidate reaches, and the failing ones; in one run, in the runner's own order. */
export function narrowPlan(whole: TestPlan, reached: readonly TestId[], plan: PlanOptions['plan']): TestPlan {
  const wanted = new Set(reached);
  const passing = whole.expected.passing.filter((test) => wanted.has(test));
  if (passing.length === whole.expected.passing.length) return whole;
  const { failing } = whole.expected;
  const { all: _all, ...rest } = whole;
  const expected = { ...whole.expected, passing };
  return { ...rest, expected, ...(passing.length === 0 ? {} : { all: plan([...failing, ...passing]) }) };
}
