// Two runs of one suite, before and after a patch → what differs, classified by a table. Nothing here is judged.
import type { Divergence, RegressionSelection, TestId, TestOutcome, TestResult, TestRunReport } from '@h/contracts';

export interface ComparisonSubject {
  /** The suite on the unpatched program: the oracle for everything the patch did not mean to change. */
  readonly baseline: TestRunReport;
  /** The same suite on the patched program. */
  readonly candidate: TestRunReport;
  /** Tests that the patch is meant to make pass. */
  readonly failing: readonly TestId[];
  /** Tests that were not run on the candidate, each with its reason. */
  readonly skipped?: RegressionSelection['skipped'];
}

/** A test about which two runs say nothing, though its outcomes differ. */
export interface UnprovenTest {
  readonly test: TestId;
  readonly baseline: ObservedOutcome;
  readonly candidate: ObservedOutcome;
  readonly rule: UnprovenRule;
}

export interface TestComparison {
  /** Sorted by divergence_id, `test:<test id>`; intended changes are among them. */
  readonly divergences: readonly Divergence[];
  /** Sorted by test. */
  readonly unproven: readonly UnprovenTest[];
}

/** `missing`: the report does not name the test. */
export type ObservedOutcome = TestOutcome | 'missing';

export type UnprovenRule =
  | 'flaky'
  | 'failure_silenced'
  | 'expected_failure_silenced'
  | 'weakened_to_expected_failure'
  | 'no_baseline'
  | 'unrun_by_budget';

type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'unproven'; readonly rule: UnprovenRule }
  | { readonly kind: 'divergence'; readonly classification: Divergence['classification']; readonly rule: string };

const SAME: Verdict = { kind: 'same' };
const regression = (rule: string): Verdict => ({ kind: 'divergence', classification: 'regression_evidence', rule });
const intended = (rule: string): Verdict => ({ kind: 'divergence', classification: 'intended_change', rule });
const unproven = (rule: UnprovenRule): Verdict => ({ kind: 'unproven', rule });

/** Compares test by test. A test that either run marks as flaky is never a divergence: its outcome is not the program's. */
export function compareTestRuns({ baseline, candidate, failing, skipped = [] }: ComparisonSubject): TestComparison {
  const before = resultsOf(baseline);
  const after = resultsOf(candidate);
  const targets = new Set(failing);
  const unrun = new Map(skipped.filter(({ test }) => !after.has(test)).map(({ test, reason }) => [test, reason]));
  const divergences: Divergence[] = [];
  const untold: UnprovenTest[] = [];
  for (const test of [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnits)) {
    const was = before.get(test)?.outcome ?? 'missing';
    const is = after.get(test)?.outcome ?? 'missing';
    const flaky = before.get(test)?.flaky === true || after.get(test)?.flaky === true;
    const reason = unrun.get(test);
    if (reason === 'unrun-by-reachability') continue; // nothing that it was seen to read differs
    if (reason !== undefined) {
      untold.push({ test, baseline: was, candidate: is, rule: 'unrun_by_budget' });
      continue;
    }
    const verdict = flaky && was !== is ? unproven('flaky') : classify(was, is, targets.has(test));
    if (verdict.kind === 'unproven') untold.push({ test, baseline: was, candidate: is, rule: verdict.rule });
    if (verdict.kind === 'divergence') divergences.push(divergenceOf(test, was, is, verdict));
  }
  return { divergences, unproven: untold };
}

/** The rule table; README "Rules" shows it. The first rows that hold the outcome before decide. */
function classify(before: ObservedOutcome, after: ObservedOutcome, target: boolean): Verdict {
  switch (before) {
    case 'passed':
    case 'xpassed':
      return afterPassing(before, after);
    case 'xfailed':
      return afterExpectedFailure(after);
    case 'failed':
    case 'error':
    case 'timeout':
      return afterFailure(before, after, target);
    case 'skipped':
    case 'not_run':
    case 'missing':
      return afterNothing(after, target);
  }
}

/** Behaviour that was right. Anything but the same is evidence of a regression. */
function afterPassing(before: 'passed' | 'xpassed', after: ObservedOutcome): Verdict {
  if (after === 'passed' || after === before) return SAME;
  if (after === 'xpassed') return unproven('weakened_to_expected_failure');
  return regression(`${before}_then_${after}`);
}

/** A failure that the suite declares: the suite was green. */
function afterExpectedFailure(after: ObservedOutcome): Verdict {
  if (after === 'xfailed') return SAME;
  if (after === 'passed' || after === 'xpassed') return intended('expected_failure_passes');
  if (isFailure(after)) return regression(`xfailed_then_${after}`);
  return unproven('expected_failure_silenced');
}

/** Behaviour that was wrong may change; that it no longer shows is not that it is right. */
function afterFailure(before: ObservedOutcome, after: ObservedOutcome, target: boolean): Verdict {
  if (after === before) return SAME;
  if (after === 'passed') return intended(target ? 'failing_test_passes' : 'other_failure_passes');
  return isFailure(after) ? intended('failure_changed') : unproven('failure_silenced');
}

/** No behaviour was seen before, so none can have been kept or lost. */
function afterNothing(after: ObservedOutcome, target: boolean): Verdict {
  if (after === 'passed' && target) return intended('failing_test_passes');
  return isFailure(after) ? unproven('no_baseline') : SAME;
}

function isFailure(outcome: ObservedOutcome): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
}

function divergenceOf(
  test: TestId,
  baseline: ObservedOutcome,
  candidate: ObservedOutcome,
  { classification, rule }: Extract<Verdict, { kind: 'divergence' }>,
): Divergence {
  return { divergence_id: `test:${test}`, behavior: test, kind: 'test', baseline, candidate, classification, rule };
}

/** Results by test. Where a report names a test twice, the result that is not a pass counts. */
export function resultsOf({ tests }: TestRunReport): Map<TestId, TestResult> {
  const results = new Map<TestId, TestResult>();
  for (const result of tests)
    if (!results.has(result.test) || result.outcome !== 'passed') results.set(result.test, result);
  return results;
}

export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
