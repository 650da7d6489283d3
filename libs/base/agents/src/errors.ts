export type AgentsErrorCode = 'unsupported_protocol';

/** A report that this version cannot read. Test `code`, not `instanceof`. */
export class AgentsError extends Error {
  readonly code: AgentsErrorCode;
  /** What to do about it. */
  readonly hint: string;
  readonly retryable = false;

  constructor(code: AgentsErrorCode, message: string, hint: string) {
    super(message);
    this.name = 'AgentsError';
    this.code = code;
    this.hint = hint;
  }
}

export function unsupportedProtocol(got: number): AgentsError {
  return new AgentsError(
    'unsupported_protocol',
    `Cannot read an agent report of protocol ${got}: this version of @h/agents reads protocol 1.`,
    'Either run the agents of this version again or read the report with the version of @h/agents that wrote it.',
  );
}
