export type SelectErrorCode =
  | 'duplicate_test'
  | 'duplicate_path'
  | 'invalid_budget'
  | 'damaged_baseline'
  | 'unknown_baseline_version';

/** A question that makes no sense, or a stored baseline that cannot be read. Test `code`, not `instanceof`. */
export class SelectError extends Error {
  readonly code: SelectErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: SelectErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SelectError';
    this.code = code;
    this.hint = hint;
  }
}

export function duplicateTest(test: string): SelectError {
  return new SelectError(
    'duplicate_test',
    `The test ${JSON.stringify(test)} is in the baseline twice.`,
    'Either keep one of its runs or give each run an id of its own.',
  );
}

export function duplicatePath(path: string): SelectError {
  return new SelectError(
    'duplicate_path',
    `The path ${JSON.stringify(path)} is in one tree twice.`,
    'Pass the entries of one tree: each path once.',
  );
}

export function invalidBudget(budget: unknown): SelectError {
  return new SelectError(
    'invalid_budget',
    `No selection fits the budget ${JSON.stringify(budget)}.`,
    'Give a whole number of tests from 0, or milliseconds from 0, or leave the budget out.',
  );
}

export function damagedBaseline(what: string, cause?: unknown): SelectError {
  return new SelectError(
    'damaged_baseline',
    `The stored baseline cannot be trusted: ${what}.`,
    'Run all tests once more with coverage and store that as the baseline.',
    cause,
  );
}

export function unknownBaselineVersion(schema: string): SelectError {
  return new SelectError(
    'unknown_baseline_version',
    `The stored baseline is of the form ${JSON.stringify(schema.slice(0, 100))}, which this version does not know.`,
    'Either use the version of @h/ekstazi-select that wrote it or store a new baseline under another key.',
  );
}
