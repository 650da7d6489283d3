export type InstrumentErrorCode =
  | 'unknown_file'
  | 'unknown_statement'
  | 'too_many_points'
  | 'duplicate_point'
  | 'language_unknown'
  | 'already_instrumented'
  | 'not_text'
  | 'no_statement';

/** A plan or a question that makes no sense. Test `code`, not `instanceof`. What a run does is never thrown: it is a note. */
export class InstrumentError extends Error {
  readonly code: InstrumentErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: InstrumentErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'InstrumentError';
    this.code = code;
    this.hint = hint;
  }
}

export function unknownFile(file: string): InstrumentError {
  return new InstrumentError(
    'unknown_file',
    `The plan names ${JSON.stringify(file)}, which is not among the sources.`,
    'Either add its text to the sources or leave the point out of the plan.',
  );
}

export function unknownStatement(location: string): InstrumentError {
  return new InstrumentError(
    'unknown_statement',
    `No statement starts at ${JSON.stringify(location)}.`,
    "Use the first line of a statement, as in the outline's `statements[].first`, of the very text that is instrumented.",
  );
}

export function tooManyPoints(count: number, cap: number): InstrumentError {
  return new InstrumentError(
    'too_many_points',
    `The plan has ${count} probe points; at most ${cap} may be observed at once.`,
    'Either keep the first points or observe in several runs.',
  );
}

export function duplicatePoint(id: string): InstrumentError {
  return new InstrumentError(
    'duplicate_point',
    `The plan has two probe points ${JSON.stringify(id)}.`,
    'Give each point an id and a location of its own.',
  );
}

export function languageUnknown(file: string): InstrumentError {
  return new InstrumentError(
    'language_unknown',
    `${JSON.stringify(file)} is of no language that can be instrumented.`,
    'Python (.py), JavaScript (.js .mjs .cjs .jsx) and TypeScript (.ts .mts .cts .tsx) can.',
  );
}

export function alreadyInstrumented(path: string): InstrumentError {
  return new InstrumentError(
    'already_instrumented',
    `The tree holds probes already: ${JSON.stringify(path)}.`,
    'Pass the tree of the candidate itself; each observation makes a copy of its own.',
  );
}

export function notText(file: string): InstrumentError {
  return new InstrumentError(
    'not_text',
    `${JSON.stringify(file)} is not UTF-8, so that no place in it can be named.`,
    'Leave its points out of the plan.',
  );
}

export function noStatement(location: string, why: string): InstrumentError {
  return new InstrumentError(
    'no_statement',
    `Nothing can be observed at ${JSON.stringify(location)}: ${why}.`,
    'Either name the line of a statement ("file:line") or a function with a body ("file::Class.method").',
  );
}
