export type EditApplyErrorCode =
  | 'malformed_edit'
  | 'unknown_language'
  | 'unfinished_package'
  | 'write_failed'
  | 'undo_failed';

/** Misuse by the caller, or a disk that fails; what can be wrong with an edit is a rejection, never an error. Test `code`, not `instanceof`. */
export class EditApplyError extends Error {
  readonly code: EditApplyErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable: boolean;

  constructor(
    code: EditApplyErrorCode,
    message: string,
    hint: string,
    about: { cause?: unknown; retryable?: boolean } = {},
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.name = 'EditApplyError';
    this.code = code;
    this.hint = hint;
    this.retryable = about.retryable ?? false;
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

export function unfinishedPackage(message: string, cause: unknown): EditApplyError {
  return new EditApplyError(
    'unfinished_package',
    message,
    'Either wait for the other writer, or call recover(root) when there is none.',
    { cause, retryable: true },
  );
}

export function writeFailed(cause: unknown): EditApplyError {
  return new EditApplyError(
    'write_failed',
    `Nothing was written: ${reasonOf(cause)}`,
    'Either see to what the message says (space, permissions) and apply again, or leave the files as they are.',
    { cause, retryable: true },
  );
}

export function undoFailed(cause: AggregateError): EditApplyError {
  return new EditApplyError(
    'undo_failed',
    `Some files may be new and some old: ${cause.errors.map(reasonOf).join('; ')}`,
    'Call recover(root) once the disk answers again: it brings the old files back.',
    { cause, retryable: false },
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
