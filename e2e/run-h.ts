import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunSummary } from '@h/contracts';
import { execa, type Options } from 'execa';

const cli = fileURLToPath(new URL('../libs/compose/pipeline/src/cli.ts', import.meta.url));

export interface HResult {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `h` from source, as the built one would run. Only these variables reach it, so that a vitest around it changes nothing. */
export function startH(args: readonly string[], options: Options = {}) {
  const { PATH, HOME } = process.env;
  const env = { PATH: PATH ?? '', HOME: HOME ?? '', NO_COLOR: '1' };
  const flags = ['--conditions=@h/source', '--import', import.meta.resolve('tsx'), cli];
  return execa(process.execPath, [...flags, ...args], { reject: false, extendEnv: false, env, ...options });
}

/** Runs `h` to its end. */
export async function runH(args: readonly string[], options: Options = {}): Promise<HResult> {
  const { exitCode, stdout, stderr } = await startH(args, options);
  return { exitCode, stdout: String(stdout ?? ''), stderr: String(stderr ?? '') };
}

/** The summary that `--json` printed, and the run directory. */
export function summaryOf({ stdout }: HResult): { summary: RunSummary; dir: string } {
  const { data, dir } = JSON.parse(stdout) as { data: RunSummary; dir: string };
  return { summary: data, dir };
}

/** A temporary folder that is deleted afterwards. */
export async function withTemporary<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'h-e2e-'));
  try {
    return await use(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
