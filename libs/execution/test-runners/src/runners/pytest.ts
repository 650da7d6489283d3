import type { PlanOptions, RunnerCommand } from '../detection.ts';

export const pytestEntry = '.h-agent/h_agent_pytest.py';

/**
 * `python -m pytest` with our plugin: the project's own configuration, plugins and options stay. Changed on the command
 * line: a failing import of one file does not stop the others, and the cache goes to the agent's folder.
 */
export function pytestCommand(options: PlanOptions): RunnerCommand {
  const argv = [options.python ?? 'python3', '-m', 'pytest', '-p', 'h_agent_pytest'];
  argv.push('--continue-on-collection-errors', '-o', 'cache_dir=.h-agent/pytest-cache');
  if (options.mode === 'list') argv.push('--collect-only', '-q');
  return { argv, env: { PYTHONPATH: '.h-agent' }, entry: pytestEntry, notes: [] };
}
