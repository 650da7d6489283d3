import { execFile } from 'node:child_process';

export interface ToolOptions {
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The whole environment; empty by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ToolEnd {
  /** Undefined: it did not start, or was ended. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not start or was ended, in one line. */
  readonly problem?: string;
}

/** Runs a program of the host to its end and says how it ended; never rejects. */
export function runTool(file: string, args: readonly string[], options: ToolOptions): Promise<ToolEnd> {
  const { timeoutMs, cwd, signal, env = {} } = options;
  return new Promise((resolve) => {
    const settings = {
      cwd,
      env,
      signal,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
      encoding: 'utf8',
    } as const;
    const child = execFile(file, [...args], settings, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      resolve({ exitCode, stdout, stderr, ...(error !== null && { problem: error.message.split('\n')[0] ?? '' }) });
    });
    child.stdin?.on('error', () => undefined).end();
  });
}
