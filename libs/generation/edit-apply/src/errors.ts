export type EditApplyErrorCode = 'malformed_edit' | 'unknown_language';

/** Misuse by the caller; what can be wrong with an edit is a rejection, never an error. Test `code`, not `instanceof`. */
export class EditApplyError extends Error {
  readonly code: EditApplyErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: EditApplyErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'EditApplyError';
    this.code = code;
    this.hint = hint;
  }
}

export function malformedEdit(path: string, problem: string): EditApplyError {
  return new EditApplyError(
    'malformed_edit',
    `The edit of ${JSON.stringify(path)} ${problem}.`,
    'Either give blocks or the whole content for an edit, content for a create, `to` for a move, and nothing else for a delete.',
  );
}

export function unknownLanguage(language: string, known: readonly string[]): EditApplyError {
  return new EditApplyError(
    'unknown_language',
    `No gate for ${JSON.stringify(language)}.`,
    `Either name one of ${known.join(', ')} or apply without a gate.`,
  );
}
