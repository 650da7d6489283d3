export type ContractErrorCode =
  | 'not_json'
  | 'invalid_record'
  | 'unknown_schema'
  | 'unsupported_version'
  | 'artifact_missing'
  | 'artifact_corrupt'
  | 'invalid_line_set'
  | 'invalid_tree_path';

/** Misuse of a contract, or data from outside that does not keep it. Test `code`, not `instanceof`. */
export class ContractError extends Error {
  readonly code: ContractErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: ContractErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ContractError';
    this.code = code;
    this.hint = hint;
  }
}

export function notJson(got: string, cause?: unknown): ContractError {
  return new ContractError(
    'not_json',
    `Expected JSON, got ${got}.`,
    'Either pass plain JSON data or turn the value into such data first.',
    cause,
  );
}

export function invalidRecord(name: string, problems: readonly string[], cause?: unknown): ContractError {
  const shown = problems.slice(0, 8).join('; ');
  const more = problems.length > 8 ? ` (and ${problems.length - 8} more)` : '';
  return new ContractError(
    'invalid_record',
    `Not a ${name}: ${shown}${more}.`,
    `Either mend the named fields or see schemas/${name}.json.`,
    cause,
  );
}

export function unknownSchema(got: string | undefined, expected: string): ContractError {
  return new ContractError(
    'unknown_schema',
    `Expected a record wrapped as ${JSON.stringify(expected)}, got ${got === undefined ? 'no schema name' : JSON.stringify(got)}.`,
    'Either wrap the record as { "schema": "h/<record>/<major>", "data": … } or read it with the library that wrote it.',
  );
}

export function unsupportedVersion(got: string, supported: string): ContractError {
  return new ContractError(
    'unsupported_version',
    `Cannot read ${got}: this version of @h/contracts reads ${supported}.`,
    'Either install the version of @h/contracts that wrote it or write the record again. The data was left untouched.',
  );
}

export function artifactMissing(sha: string): ContractError {
  return new ContractError(
    'artifact_missing',
    `No artifact ${sha}.`,
    'Either put the bytes first or open the store they were put in.',
  );
}

export function artifactCorrupt(sha: string, got: string): ContractError {
  return new ContractError(
    'artifact_corrupt',
    `Artifact ${sha} holds bytes that hash to ${got}.`,
    'Delete that file of the store and put the bytes again.',
  );
}

export function invalidLineSet(text: string, why: string): ContractError {
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return new ContractError(
    'invalid_line_set',
    `Not a line set: ${JSON.stringify(shown)} (${why}).`,
    'Write ascending ranges such as "1-4,7,9-12", or pass whole numbers from 0 to formatLines.',
  );
}

export function invalidTreePath(path: string, why: string): ContractError {
  return new ContractError(
    'invalid_tree_path',
    `Not a path of a tree: ${JSON.stringify(path)} (${why}).`,
    'Use a path relative to the repository root, with "/" and without "." or "..".',
  );
}
