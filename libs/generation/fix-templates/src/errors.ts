export type FixTemplatesErrorCode = 'file_missing' | 'bad_target';

/** A target that names no file or no lines. Test `code`, not `instanceof`. */
export class FixTemplatesError extends Error {
  readonly code: FixTemplatesErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: FixTemplatesErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'FixTemplatesError';
    this.code = code;
    this.hint = hint;
  }
}

export function fileMissing(path: string): FixTemplatesError {
  return new FixTemplatesError(
    'file_missing',
    `A target names ${JSON.stringify(path)}, which is not among the files.`,
    'Either pass the text of the file or leave the target out.',
  );
}

export function badTarget(file: string, first: number, last: number): FixTemplatesError {
  return new FixTemplatesError(
    'bad_target',
    `The target ${file} has the lines ${first} to ${last}.`,
    'Either give 1-based inclusive lines with first ≤ last or leave the target out.',
  );
}
