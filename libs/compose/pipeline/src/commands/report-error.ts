import { EXIT } from '../errors.ts';

interface ExplainedError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly exitCode?: number;
}

/** Prints one error as a person (stderr) or a machine (stdout, `--json`) reads it, and returns the exit code. */
export function reportError(error: unknown, json: boolean): number {
  const exitCode = exitCodeOf(error);
  const { code, message, hint } = explain(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, hint, exit_code: exitCode } })}\n`);
  process.stderr.write(`h: ${message}\n   ${hint}\n`);
  if (exitCode === EXIT.bug && error instanceof Error && error.stack !== undefined)
    process.stderr.write(`${error.stack}\n`);
  return exitCode;
}

function exitCodeOf(error: unknown): number {
  if (isAbort(error)) return EXIT.interrupted;
  if (!isExplained(error)) return EXIT.bug;
  return error.exitCode ?? (error.name === 'SandboxError' ? EXIT.hostLacks : EXIT.bug);
}

function explain(error: unknown): { code: string; message: string; hint: string } {
  if (isAbort(error))
    return {
      code: 'interrupted',
      message: 'Interrupted.',
      hint: 'Nothing is left running. Run the same command again to start over.',
    };
  if (isExplained(error)) return { code: error.code, message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'bug',
    message: `This is a bug in h: ${message}`,
    hint: 'Please report it with the lines below and what you ran.',
  };
}

function isExplained(error: unknown): error is ExplainedError {
  return (
    error instanceof Error &&
    typeof (error as Partial<ExplainedError>).hint === 'string' &&
    typeof (error as Partial<ExplainedError>).code === 'string'
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
