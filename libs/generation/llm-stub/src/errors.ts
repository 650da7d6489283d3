export type LlmStubErrorCode =
  | 'unknown_input'
  | 'missing_input'
  | 'invalid_count'
  | 'invalid_outcome'
  | 'invalid_schema'
  | 'model_forbidden'
  | 'script_exhausted'
  | 'damaged_recording'
  | 'invalid_provider'
  | 'unsupported_parameter';

/** Misuse, or a broken recording. Test `code`, not `instanceof`. What a model or a network does wrong is never an error but a no-op. */
export class LlmStubError extends Error {
  readonly code: LlmStubErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: LlmStubErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LlmStubError';
    this.code = code;
    this.hint = hint;
  }
}

export function unknownInput(entry: string, name: string, known: readonly string[]): LlmStubError {
  return new LlmStubError(
    'unknown_input',
    `Entry ${entry} has no input ${JSON.stringify(name)}.`,
    `Either leave it out or pass one of ${known.join(', ')}.`,
  );
}

export function missingInput(entry: string, name: string): LlmStubError {
  return new LlmStubError(
    'missing_input',
    `Entry ${entry} needs the input ${JSON.stringify(name)}.`,
    'Pass it; an empty list or an empty text is a value too.',
  );
}

export function invalidCount(got: number, most: number): LlmStubError {
  return new LlmStubError(
    'invalid_count',
    `nCandidates is ${got}; expected a whole number from 1 to ${most}.`,
    'Either pass such a number or leave it out, for four candidates.',
  );
}

export function invalidOutcome(problems: string): LlmStubError {
  return new LlmStubError(
    'invalid_outcome',
    `The model call resolved with no ModelOutcome: ${problems}.`,
    'Either build the call with textModel(ask) or resolve with { kind, value, sent: {}, request_digest: hashRecord(request) }.',
  );
}

export function invalidSchema(entry: string, cause: unknown): LlmStubError {
  return new LlmStubError(
    'invalid_schema',
    `The schema of entry ${entry} is not one that can be checked strictly: ${(cause as Error).message}.`,
    'Use keywords of JSON Schema draft 2020-12 only; a keyword that is not understood is refused, never ignored.',
    cause,
  );
}

export function modelForbidden(entry: string): LlmStubError {
  return new LlmStubError(
    'model_forbidden',
    `A model was asked (entry ${entry}) where none may be.`,
    'Either pass a model call or do not reach this entry without one.',
  );
}

export function scriptExhausted(entry: string, length: number): LlmStubError {
  return new LlmStubError(
    'script_exhausted',
    `The scripted model was asked (entry ${entry}) after its ${length} answer(s).`,
    'Either script one more answer or find out who asks again.',
  );
}

export function damagedRecording(digest: string, why: string, cause?: unknown): LlmStubError {
  return new LlmStubError(
    'damaged_recording',
    `The recording ${digest} cannot be used: ${why}.`,
    'Either delete it and record again or restore it. It was left untouched.',
    cause,
  );
}

/** `why` never holds the key or the address: either may be a secret. */
export function invalidProvider(why: string): LlmStubError {
  return new LlmStubError(
    'invalid_provider',
    `The provider cannot be set up: ${why}.`,
    'Pass an http(s) address without user name and password, a model name, and the key by `apiKey` alone.',
  );
}

export function unsupportedParameter(model: string, parameter: string): LlmStubError {
  return new LlmStubError(
    'unsupported_parameter',
    `The model ${JSON.stringify(model)} refuses ${parameter}, which the entry asks for.`,
    "Either take `unsupported: 'omit'` or another model. Nothing was sent.",
  );
}
