export type SbflErrorCode =
  | 'duplicate_test'
  | 'duplicate_statement'
  | 'statement_out_of_range'
  | 'hits_mismatch'
  | 'matrix_mismatch'
  | 'unknown_test'
  | 'impossible_counts'
  | 'not_the_seed_formula'
  | 'malformed_spectrum'
  | 'contradictory_counts'
  | 'names_no_tests';

/** A spectrum or a question that makes no sense. Test `code`, not `instanceof`. */
export class SbflError extends Error {
  readonly code: SbflErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: SbflErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SbflError';
    this.code = code;
    this.hint = hint;
  }
}

export function duplicateTest(id: string): SbflError {
  return new SbflError(
    'duplicate_test',
    `The test ${JSON.stringify(id)} is in the spectrum twice.`,
    'Either keep one of its runs or give each run an id of its own.',
  );
}

export function duplicateStatement(location: string): SbflError {
  return new SbflError(
    'duplicate_statement',
    `Two statements start at ${location}.`,
    'Merge statements that start on one line into one: no coverage tells them apart.',
  );
}

export function statementOutOfRange(id: string, index: number, statements: number): SbflError {
  return new SbflError(
    'statement_out_of_range',
    `The test ${JSON.stringify(id)} hits statement ${index}, but there are ${statements}.`,
    'Hits are 0-based indexes into the list of statements.',
  );
}

export function hitsMismatch(hits: number, tests: number): SbflError {
  return new SbflError(
    'hits_mismatch',
    `The spectrum has ${tests} tests but hits for ${hits}.`,
    'Give one set of hits per test, in the order of the tests; an empty one where it executed nothing.',
  );
}

export function matrixMismatch(length: number, words: number, tests: number): SbflError {
  return new SbflError(
    'matrix_mismatch',
    `The matrix has ${length} words, but ${tests} tests of ${words} words have ${tests * words}.`,
    'Give one row per test, each of ⌈statements / 32⌉ words.',
  );
}

export function unknownTest(id: string): SbflError {
  return new SbflError(
    'unknown_test',
    `The report has no test ${JSON.stringify(id)}.`,
    "Use the runner's own id, as in `tests[].test` of the report.",
  );
}

export function impossibleCounts(counts: unknown): SbflError {
  return new SbflError(
    'impossible_counts',
    `No spectrum has the counts ${JSON.stringify(counts)}.`,
    'Pass whole numbers from 0, with failed ≤ totalFailed and passed ≤ totalPassed.',
  );
}

export function notTheSeedFormula(formula: string): SbflError {
  return new SbflError(
    'not_the_seed_formula',
    `Probe points are ranked by ochiai, this report by ${formula}.`,
    'Rank the same spectrum once more without the `formula` option.',
  );
}

export function malformedSpectrum(why: string, cause?: unknown): SbflError {
  return new SbflError(
    'malformed_spectrum',
    `Not a spectrum: ${why}.`,
    'Give an h/spectrum/1, or CSV with "test,outcome,<statements>" or "location,ef,ep,nf,np" in its first row.',
    cause,
  );
}

export function contradictoryCounts(what: string): SbflError {
  return new SbflError(
    'contradictory_counts',
    `The counts contradict each other: ${what}.`,
    'Count all statements over the same runs: ef + nf and ep + np are the same for each.',
  );
}

export function namesNoTests(): SbflError {
  return new SbflError(
    'names_no_tests',
    'The coverage says what ran in total, not per test.',
    'Either record contexts (coverage.py: --show-contexts, LCOV: TN:) or join one file a test with combineTests of @h/coverage.',
  );
}
