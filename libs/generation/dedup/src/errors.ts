export type DedupErrorCode = 'compile_failed' | 'mixed_snapshots' | 'nothing_compiled';

/** Misuse by the caller, or a compiler that did not run. Test `code`, not `instanceof`. */
export class DedupError extends Error {
  readonly code: DedupErrorCode;
  /** What to do about it. */
  readonly hint: string;
  /** The same call may succeed later. */
  readonly retryable: boolean;

  constructor(code: DedupErrorCode, message: string, hint: string, { retryable = false, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DedupError';
    this.code = code;
    this.hint = hint;
    this.retryable = retryable;
  }
}

interface ErrorDetails {
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export function mixedSnapshots(path: string, candidate: string): DedupError {
  return new DedupError(
    'mixed_snapshots',
    `Candidate ${candidate} was made from another ${JSON.stringify(path)} than the candidates before it.`,
    'Either deduplicate the candidates of each snapshot on their own or apply them all to the same files first.',
  );
}

export function nothingCompiled(): DedupError {
  return new DedupError(
    'nothing_compiled',
    'The rung "compiler" was asked for without compiled forms.',
    'Either pass `compiled` from compilePython() or take a lower rung.',
  );
}

export function compileFailed(interpreter: string, why: string, retryable: boolean, cause?: unknown): DedupError {
  return new DedupError(
    'compile_failed',
    `${interpreter} gave no compiled forms: ${why}.`,
    'Either let the policy admit the interpreter, its time and its memory, or take a lower rung.',
    { retryable, cause },
  );
}
