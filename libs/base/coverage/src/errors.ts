import type { CoverageFormat } from './coverage-report.ts';

export type CoverageErrorCode = 'malformed_coverage' | 'unknown_format' | 'unwritable_name';

/** Where in the input, as far as it is known. */
export interface Position {
  /** 1-based. */
  readonly line?: number;
  /** 0-based, UTF-16 units of the decoded text. */
  readonly offset?: number;
  /** Of a value that parsed but is not what it should be: `files["a.py"].executed_lines[3]`. */
  readonly at?: string;
}

/** Input that cannot be read, or a report that a format cannot hold. Test `code`, not `instanceof`. */
export class CoverageError extends Error {
  readonly code: CoverageErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;
  readonly position: Position;

  constructor(code: CoverageErrorCode, message: string, hint: string, position: Position = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CoverageError';
    this.code = code;
    this.hint = hint;
    this.position = position;
  }
}

export function malformed(format: CoverageFormat, why: string, position: Position, cause?: unknown): CoverageError {
  const { line, offset, at } = position;
  const where = line !== undefined ? ` at line ${line}` : at !== undefined ? ` at ${at}` : '';
  const byte = offset !== undefined && line === undefined ? ` at offset ${offset}` : '';
  return new CoverageError(
    'malformed_coverage',
    `Not ${format} coverage: ${why}${where}${byte}.`,
    'Either write the file again, with a tool that ran to its end, or name the format it has.',
    position,
    cause,
  );
}

export function unknownFormat(what: string): CoverageError {
  return new CoverageError(
    'unknown_format',
    `Cannot tell the format of the coverage: it is ${what}.`,
    'Pass coverage.py JSON, LCOV, Istanbul or V8 JSON, Cobertura or JaCoCo XML; reportgenerator turns other formats into one of these.',
  );
}

export function unwritableName(format: CoverageFormat, name: string): CoverageError {
  return new CoverageError(
    'unwritable_name',
    `${format} cannot hold the name ${JSON.stringify(name.slice(0, 80))}.`,
    'Either rename it or write coverage.py JSON, which holds any name.',
  );
}
