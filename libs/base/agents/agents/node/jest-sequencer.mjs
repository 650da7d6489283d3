// jest's test sequencer: the files that are to run, by path, and our runner in the place of each project's own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coverage, emit, hasProbes, isWantedFile, relative } from './node-record.mjs';

const runner = join(dirname(fileURLToPath(import.meta.url)), 'jest-runner.mjs');

/** The project's own runner, by the id of its configuration. */
export const ownRunners = new Map();

export default class HSequencer {
  shard(tests) {
    return tests;
  }

  sort(tests) {
    const seen = new Set();
    for (const { context } of tests) {
      if (seen.has(context)) continue;
      seen.add(context);
      replaceRunner(context);
    }
    for (const { path } of tests) coverage?.hide(relative(path));
    return tests
      .filter(({ path }) => relative(path) !== undefined && isWantedFile(relative(path)))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}

/** jest freezes configurations: the context gets another one. */
function replaceRunner(context) {
  const { config } = context;
  ownRunners.set(config.id, config.testRunner);
  const changed = { ...config, testRunner: runner };
  // a probe changes the types that a checker infers; what is checked is the project as it is
  if (hasProbes) changed.transform = config.transform.map(withoutTypeCheck);
  if (!/[\\/]jest-runner[\\/]/.test(config.runner)) {
    const message = `${config.runner} runs the tests in the place of jest's own: no coverage, and tests cannot be chosen.`;
    emit('note', { message });
  }
  context.config = Object.freeze(changed);
}

function withoutTypeCheck([pattern, path, options]) {
  const isTypeScript = /[\\/]ts-jest[\\/]/.test(path);
  return isTypeScript ? [pattern, path, { ...options, diagnostics: false }] : [pattern, path, options];
}
