import type { PlanOptions, RunnerCommand } from '../detection.ts';

export const vitestEntry = '.h-agent/vitest-entry.mjs';

/** vitest's own command line, found from the folder it starts in, with our reporter; the reporter sets the runner. */
export function vitestCommand(options: PlanOptions): RunnerCommand {
  const argv = [options.node ?? 'node', vitestEntry, 'run', '--reporter=./.h-agent/vitest-reporter.mjs'];
  if (options.testTimeoutMs !== undefined) argv.push(`--testTimeout=${options.testTimeoutMs}`);
  return { argv, env: {}, entry: vitestEntry, notes: [] };
}
