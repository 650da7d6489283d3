export type DedupErrorCode = 'mixed_snapshots';

/** Misuse by the caller. Test `code`, not `instanceof`. */
export class DedupError extends Error {
  readonly code: DedupErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: DedupErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'DedupError';
    this.code = code;
    this.hint = hint;
  }
}

export function mixedSnapshots(path: string, candidate: string): DedupError {
  return new DedupError(
    'mixed_snapshots',
    `Candidate ${candidate} was made from another ${JSON.stringify(path)} than the candidates before it.`,
    'Either deduplicate the candidates of each snapshot on their own or apply them all to the same files first.',
  );
}
