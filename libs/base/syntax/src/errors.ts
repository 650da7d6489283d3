export type SyntaxErrorCode =
  | 'engine_unavailable'
  | 'language_not_loaded'
  | 'parser_disposed'
  | 'parse_stopped'
  | 'python_version_unknown';

/** Misuse, or an engine that cannot be had. Test `code`, not `instanceof`. Source text that is wrong never throws: it is a value. */
export class SyntaxEngineError extends Error {
  readonly code: SyntaxErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: SyntaxErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SyntaxEngineError';
    this.code = code;
    this.hint = hint;
  }
}

export function engineUnavailable(what: string, cause?: unknown): SyntaxEngineError {
  return new SyntaxEngineError(
    'engine_unavailable',
    `Cannot load ${what}.`,
    'Either install @h/syntax with its dependencies beside the running code or inject the engine (option `engine`).',
    cause,
  );
}

export function languageNotLoaded(language: string, loaded: readonly string[]): SyntaxEngineError {
  return new SyntaxEngineError(
    'language_not_loaded',
    `Language ${JSON.stringify(language)} was not loaded; loaded: ${loaded.join(', ') || 'none'}.`,
    'Either name the language when creating it or use one of the loaded ones.',
  );
}

export function parserDisposed(): SyntaxEngineError {
  return new SyntaxEngineError(
    'parser_disposed',
    'The parser was used after dispose().',
    'Either dispose later or create another parser.',
  );
}

export function parseStopped(language: string, length: number): SyntaxEngineError {
  return new SyntaxEngineError(
    'parse_stopped',
    `Parsing ${length} characters of ${language} was stopped at the work limit.`,
    'Either leave the file out or pass less text; `outline` and `names` report such a text as partial instead.',
  );
}

export function pythonVersionUnknown(got: string, oldest: string, newest: string): SyntaxEngineError {
  return new SyntaxEngineError(
    'python_version_unknown',
    `Python version ${JSON.stringify(got)} is not known; known: ${oldest} to ${newest}.`,
    'Either pass major and minor number of a known version, such as "3.11", or leave the option out.',
  );
}
