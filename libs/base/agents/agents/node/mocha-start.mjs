// Starts the mocha that the folder it runs in would use, with the project's own arguments and our hook.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWriter, tellStart } from './node-events.mjs';
import { supervise } from './node-supervise.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Runs the tests of a plan. */
export async function start(plan) {
  const emit = createWriter(plan);
  const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('mocha/package.json');
  tellStart(emit, plan, 'mocha', JSON.parse(readFileSync(manifest, 'utf8')).version);
  await supervise({ ...plan, mocha_path: dirname(manifest) }, () => [
    ...(plan.node_args ?? []),
    join(dirname(manifest), 'bin/mocha.js'),
    `--require=${join(here, 'mocha-hook.mjs')}`,
    ...(plan.runner_args ?? []),
    '--reporter=dot',
    '--no-parallel',
    '--no-bail',
    '--watch=false', // `--no-watch` is also an option of Node, for which mocha would start another process
    ...(plan.test_timeout_ms === undefined ? [] : [`--timeout=${plan.test_timeout_ms}`]),
  ]);
  emit('run-end');
}
