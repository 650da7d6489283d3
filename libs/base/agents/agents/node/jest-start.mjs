// Starts the jest that the folder it runs in would use, with the project's own arguments and our sequencer, runner and reporter.
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
  const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('jest/package.json');
  tellStart(emit, plan, 'jest', JSON.parse(readFileSync(manifest, 'utf8')).version);
  await supervise(plan, () => [
    ...(plan.node_args ?? []),
    '--import',
    new URL('./jest-hook.mjs', import.meta.url).href,
    join(dirname(manifest), 'bin/jest.js'),
    ...(plan.runner_args ?? []),
    `--testSequencer=${join(here, 'jest-sequencer.mjs')}`,
    `--reporters=${join(here, 'jest-reporter.mjs')}`,
    `--cacheDirectory=${join(here, 'jest-cache')}`,
    '--runInBand',
    '--bail=0',
    '--coverage=false',
    '--watchAll=false',
    '--watchman=false',
    '--notify=false',
    '--passWithNoTests',
    ...(plan.test_timeout_ms === undefined ? [] : [`--testTimeout=${plan.test_timeout_ms}`]),
  ]);
  emit('run-end');
}
