import { isInside, type PlanOptions, type RunnerCommand } from '../detection.ts';

export const vitestEntry = '.h-agent/vitest-entry.mjs';

/** vitest's own command line, found from the folder it starts in, with our reporter; the reporter sets the runner. */
export function vitestCommand(options: PlanOptions, cwd: string): RunnerCommand {
  const argv = [options.node ?? 'node', vitestEntry, 'run', '--reporter=./.h-agent/vitest-reporter.mjs'];
  if (options.testTimeoutMs !== undefined) argv.push(`--testTimeout=${options.testTimeoutMs}`);
  argv.push(...fileFilters(options.tests, cwd));
  return { argv, env: {}, entry: vitestEntry, notes: [] };
}

/** Names of the files that hold the wanted tests; vitest takes them as parts of paths, so more may be loaded, never fewer. */
function fileFilters(tests: readonly string[] | undefined, cwd: string): string[] {
  const files = new Set((tests ?? []).map((test) => test.split(' > ', 1)[0] ?? test));
  const filters = [...files].map((file) => (cwd !== '' && isInside(file, cwd) ? file.slice(cwd.length + 1) : file));
  const length = filters.reduce((sum, filter) => sum + filter.length + 1, 0);
  return length > FILTER_UNITS || filters.some((filter) => filter.startsWith('-')) ? [] : filters.sort();
}

const FILTER_UNITS = 60_000;
