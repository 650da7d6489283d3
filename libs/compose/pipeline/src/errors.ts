export type PipelineErrorCode =
  | 'repository_missing'
  | 'repository_unreadable'
  | 'no_tests_found'
  | 'unknown_test'
  | 'bad_input'
  | 'runtime_missing';

/** Exit codes of `h`, documented in the README. */
export const EXIT = {
  patch: 0,
  noPatch: 1,
  divergent: 2,
  nothingFailing: 3,
  usage: 64,
  hostLacks: 69,
  bug: 70,
  interrupted: 130,
} as const;

/** A run that could not begin or go on, with what to do about it. Test `code`, not `instanceof`. */
export class PipelineError extends Error {
  readonly code: PipelineErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly exitCode: number;
  readonly retryable = false;

  constructor(code: PipelineErrorCode, exitCode: number, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PipelineError';
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

export function repositoryMissing(path: string, why: string): PipelineError {
  return new PipelineError(
    'repository_missing',
    EXIT.usage,
    `No repository at ${path}: ${why}.`,
    'Either name an existing folder with --repo or run h inside one.',
  );
}

export function repositoryUnreadable(path: string, cause: unknown): PipelineError {
  return new PipelineError(
    'repository_unreadable',
    EXIT.usage,
    `Cannot read ${path}: ${(cause as Error).message}`,
    'Either make the file readable or list it in .gitignore.',
    cause,
  );
}

export function noTestsFound(looked: string): PipelineError {
  return new PipelineError(
    'no_tests_found',
    EXIT.usage,
    `No tests found: ${looked.replace(/\.$/, '')}.`,
    'Either point --repo at the folder that holds the tests or name the runner with --runner.',
  );
}

export function unknownTest(test: string, near: readonly string[]): PipelineError {
  const hint =
    near.length === 0
      ? 'h diagnose lists every test in its test-run-report.json.'
      : `Did you mean ${near.map((id) => JSON.stringify(id)).join(' or ')}?`;
  return new PipelineError('unknown_test', EXIT.usage, `No test ${JSON.stringify(test)} in this repository.`, hint);
}

export function badInput(message: string, hint: string, cause?: unknown): PipelineError {
  return new PipelineError('bad_input', EXIT.usage, message, hint, cause);
}

export function runtimeMissing(message: string, hint: string): PipelineError {
  return new PipelineError('runtime_missing', EXIT.hostLacks, message, hint);
}
