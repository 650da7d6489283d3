import type { PlanOptions, RunnerCommand } from '../detection.ts';

export const unittestEntry = '.h-agent/h_agent_unittest.py';

/** Our own runner: it discovers and runs as `python -m unittest discover` does, from several start folders. */
export function unittestCommand(options: PlanOptions): RunnerCommand {
  return { argv: [options.python ?? 'python3', unittestEntry], env: {}, entry: unittestEntry, notes: [] };
}
