export type SliceErrorCode = 'sequence_mismatch' | 'unknown_row' | 'foreign_record';

/** Runs, rows and records that do not belong together. Test `code`, not `instanceof`. */
export class SliceError extends Error {
  readonly code: SliceErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: SliceErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'SliceError';
    this.code = code;
    this.hint = hint;
  }
}

export function sequenceMismatch(what: string, index: number, sequence: number | undefined): SliceError {
  return new SliceError(
    'sequence_mismatch',
    `${what} ${index} has the sequence ${sequence ?? 'none'}.`,
    'Either number rows and events by their index from 0 or pass the stream whole: one event per row.',
  );
}

export function unknownRow(row: number, size: number): SliceError {
  return new SliceError(
    'unknown_row',
    `The run has no row ${row}: it has ${size}.`,
    'Rows are named by their sequence, from 0.',
  );
}

export function foreignRecord(record: string, run: string): SliceError {
  return new SliceError(
    'foreign_record',
    `The divergence is of the run ${record}, not of ${run}.`,
    'Pass the failing run that the divergence was found in.',
  );
}
