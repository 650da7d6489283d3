// What node:test's events mean as outcomes of the report.
const FAILED = { testTimeoutFailure: 'timeout', hookFailed: 'error', cancelledByParent: 'error', testAborted: 'error' };
const CLASSES = {
  testTimeoutFailure: 'Timeout',
  cancelledByParent: 'Cancelled',
  testAborted: 'Aborted',
  subtestsFailed: 'SubtestsFailed',
};

/** Outcome of a test; `isEmpty`: it has no function. */
export function outcomeOf({ passed, skip, todo, expectFailure, error }, isEmpty) {
  if (isGiven(skip)) return 'skipped';
  if (isGiven(todo)) return isEmpty ? 'skipped' : passed ? 'xpassed' : 'xfailed';
  if (!passed) return FAILED[error?.failureType] ?? 'failed';
  return isGiven(expectFailure) ? 'xfailed' : 'passed';
}

/** Class of a failure that is node:test's own. */
export function classOf(error) {
  return CLASSES[error?.failureType] ?? 'TestFailure';
}

function isGiven(value) {
  return value !== undefined && value !== false;
}
