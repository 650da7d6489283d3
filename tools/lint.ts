// `npm run lint`: every wall in one command. All checks run even when an earlier one fails, so that one run shows everything.
import { spawnSync } from 'node:child_process';

const checks: readonly (readonly [program: string, ...args: string[]])[] = [
  ['biome', 'check', '--error-on-warnings', '--max-diagnostics=200', '.'],
  ['depcruise', '--config', '.dependency-cruiser.mjs', '--output-type', 'err-long', 'libs', 'tools', 'e2e'],
];

const failed = checks.filter(([program, ...args]) => {
  const { status } = spawnSync(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return status !== 0;
});
console.log(failed.length === 0 ? 'lint: clean' : `lint: failed (${failed.map(([program]) => program).join(', ')})`);
process.exitCode = failed.length === 0 ? 0 : 1;
