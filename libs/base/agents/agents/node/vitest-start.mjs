// Starts the vitest that the folder it runs in would use, with the arguments it was given and our reporter.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWriter } from './node-events.mjs';
import { supervise } from './node-supervise.mjs';

/** Runs the tests of a plan. */
export async function start(plan) {
  await supervise(plan, vitestArguments);
  createWriter(plan)('run-end');
}

/** What Node is started with. */
export function vitestArguments() {
  const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('vitest/package.json');
  // by its absolute path: a relative one would be looked for from the root of the project's configuration
  const reporter = join(dirname(fileURLToPath(import.meta.url)), 'vitest-reporter.mjs');
  return [join(dirname(manifest), 'vitest.mjs'), ...process.argv.slice(2), `--reporter=${reporter}`];
}
