export type ValidateErrorCode = 'invalid_budget' | 'invalid_concurrency' | 'duplicate_candidate' | 'nothing_to_check';

/** Misuse of validation. Test `code`, not `instanceof`. What a candidate did wrong is never an error but its status. */
export class ValidateError extends Error {
  readonly code: ValidateErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: ValidateErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'ValidateError';
    this.code = code;
    this.hint = hint;
  }
}

export function invalidBudget(name: string, got: number): ValidateError {
  return new ValidateError(
    'invalid_budget',
    `budget.${name} is ${got}; expected a whole number of at least ${name === 'stopAfterPlausible' ? 1 : 0}.`,
    'Either pass such a number or leave stopAfterPlausible and furtherExecutions out, to stop at the budget alone.',
  );
}

export function invalidConcurrency(got: number): ValidateError {
  return new ValidateError(
    'invalid_concurrency',
    `concurrency is ${got}; expected a whole number of at least 1.`,
    "Either leave it out, for one run at a time, or pass the executor's capabilities.concurrency.",
  );
}

export function duplicateCandidate(id: string): ValidateError {
  return new ValidateError(
    'duplicate_candidate',
    `Candidate ${id} was given twice.`,
    'Either deduplicate the candidates first or give each an id of its own.',
  );
}

export function nothingToCheck(): ValidateError {
  return new ValidateError(
    'nothing_to_check',
    'No failing test was given and no test of the baseline passed, so nothing can tell a good candidate from a bad one.',
    'Either name failing tests or pass a baseline with tests that pass.',
  );
}
