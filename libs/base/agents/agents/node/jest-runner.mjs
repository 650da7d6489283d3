// jest's test runner (29 and 30) for one file: the project's own, jest-circus as a rule, with its events followed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { ownRunners } from './jest-sequencer.mjs';
import { watchFiles } from './jest-sources.mjs';
import { createNamer } from './node-names.mjs';
import {
  beginFile,
  beginTest,
  coverage,
  creditSuite,
  describe,
  emit,
  endLoading,
  endTest,
  failLate,
  failTest,
  isObserved,
  isToRun,
  isWanted,
  plan,
  relative,
  settle,
  tellCollected,
  tellUnrun,
} from './node-record.mjs';

const ROOT = 'ROOT_DESCRIBE_BLOCK';
const { defineProperty } = Object;
/** Files of which something was told. */
export const toldFiles = new Set();

export default async function run(globalConfig, config, environment, runtime, testPath, ...rest) {
  const file = relative(testPath) ?? testPath;
  for (const [name, value] of [
    ['__h', coverage?.stamp],
    ['__hp', globalThis.__hp],
  ])
    if (value !== undefined) defineProperty(environment.global, name, { value, configurable: true, writable: true });
  emit('progress', { state: 'file-start', file });
  beginFile();
  const follow = createFollower(file);
  const own = environment.handleTestEvent;
  environment.handleTestEvent = (event, state) => {
    follow(event, state);
    return own?.call(environment, event, state);
  };
  const graph = coverage === undefined ? undefined : watchFiles(runtime, file);
  const runner = await loadRunner(ownRunners.get(config.id));
  try {
    const result = await runner(globalConfig, config, environment, runtime, testPath, ...rest);
    follow.judge(result);
    return result;
  } catch (error) {
    toldFiles.add(file);
    emit('collection-error', { file, failure: describe(error) });
    throw error;
  } finally {
    settle();
    graph?.tell();
    emit('progress', { state: 'file-end', file });
  }
}

async function loadRunner(path) {
  const module = path.endsWith('.mjs') ? await import(pathToFileURL(path).href) : createRequire(path)(path);
  return typeof module === 'function' ? module : module.default;
}

/** Follows the events of jest-circus for one file. */
function createFollower(file) {
  /** What is kept of each of jest's tests. */
  const tests = new Map();
  let isErrorTold = false;
  const nameOf = createNamer(file);
  const current = (state) => tests.get(state.currentlyRunningTest);

  const on = {
    run_start(_, state) {
      endLoading();
      for (const { test, names, suites } of testsBelow(state.rootDescribeBlock, [], []))
        tests.set(test, { id: nameOf(names), file, suites });
      if (tests.size > 0) toldFiles.add(file);
      const told = [...tests].filter(([, { id }]) => isWanted(id));
      tellCollected(
        file,
        told.map(([, { id }]) => id),
      );
      for (const [test, { id }] of tests) {
        if (isObserved) test.concurrent = false;
        if (!isToRun(id)) test.mode = 'skip';
      }
    },
    test_start: () => settle(),
    test_started: ({ test }) => start(tests.get(test)),
    hook_start({ hook }, state) {
      settle();
      if (hook.type === 'beforeEach' || hook.type === 'afterEach') start(current(state));
      else creditSuite(state.currentDescribeBlock); // what ran between is nobody's else
    },
    hook_success({ hook, describeBlock }) {
      if (describeBlock !== undefined && hook.type === 'beforeAll') creditSuite(describeBlock);
    },
    hook_failure({ hook, describeBlock, test, error }, state) {
      if (describeBlock !== undefined) return failSuite(hook, describeBlock, error);
      const kept = tests.get(test) ?? current(state);
      if (kept === undefined) return;
      failTest(kept, error, classOf(error));
      kept.isHook = true;
    },
    test_fn_start: ({ test }) => start(tests.get(test)),
    test_fn_failure({ test, error }) {
      const kept = tests.get(test);
      if (kept === undefined) return;
      kept.isUnexpected = test.failing === true;
      failTest(kept, error, classOf(error));
    },
    error({ error }, state) {
      const kept = current(state);
      if (kept !== undefined) failTest(kept, error);
    },
    test_retry({ test }) {
      settle();
      const kept = tests.get(test);
      if (kept !== undefined) Object.assign(kept, { retried: true, isStarted: false, isHook: false });
    },
    test_done({ test }) {
      const kept = tests.get(test);
      if (kept === undefined || !kept.isStarted) return;
      const [first] = test.errors;
      if (first !== undefined && kept.failure === undefined) failTest(kept, errorOf(first), classOf(errorOf(first)));
      const outcome = outcomeOf(test, kept);
      endTest(kept, outcome, { flaky: kept.retried === true && outcome === 'passed' });
    },
    test_skip: ({ test }) => skip(test),
    test_todo: ({ test }) => skip(test),
    run_finish(_, state) {
      settle();
      isErrorTold = state.unhandledErrors?.length > 0;
      for (const error of state.unhandledErrors ?? [])
        emit('collection-error', { file, failure: describe(errorOf(error), classOf(errorOf(error))) });
    },
  };

  /** The test under way, told at the first of its events that shows that it is not skipped. */
  function start(kept) {
    if (kept === undefined || kept.isStarted) return;
    kept.isStarted = true;
    beginTest(kept);
  }

  function skip(test) {
    const kept = tests.get(test);
    if (kept !== undefined && isToRun(kept.id)) tellUnrun(kept, 'skipped');
    else if (kept !== undefined && plan.mode === 'list') return;
  }

  function failSuite(hook, describeBlock, error) {
    const failure = describe(error, classOf(error));
    creditSuite(describeBlock);
    if (hook.type !== 'beforeAll') return;
    for (const { test } of testsBelow(describeBlock, [], [])) {
      const kept = tests.get(test);
      if (kept !== undefined) Object.assign(kept, { suiteFailure: failure });
    }
  }

  /** jest's own verdict: an error that came late belongs to a test, or to no test, all the same. */
  function judge(result) {
    settle();
    for (const [test, kept] of tests)
      if (test.errors.length > 0 && kept.told?.outcome === 'passed') {
        const error = errorOf(test.errors[0]);
        failLate(kept, describe(error, classOf(error)));
      }
    if (result?.testExecError == null || isErrorTold) return;
    emit('collection-error', { file, failure: describe(result.testExecError) });
  }

  return Object.assign((event, state) => on[event.name]?.(event, state), { judge });
}

/** Tests of a block with their names and suites, in the order of the file. */
function* testsBelow(block, names, suites) {
  const isRoot = block.name === ROOT && block.parent === undefined;
  const inside = isRoot ? names : [...names, String(block.name)];
  const around = [block, ...suites];
  for (const child of block.children) {
    if (child.type === 'describeBlock') yield* testsBelow(child, inside, around);
    else yield { test: child, names: [...inside, String(child.name)], suites: around };
  }
}

/** jest-circus keeps `[error, where it was asked for]`, or the error alone. */
function errorOf(held) {
  return Array.isArray(held) ? (held[0] ?? held[1]) : held;
}

function classOf(error) {
  const isObject = typeof error === 'object' && error !== null;
  if (isObject && Object.hasOwn(error, 'matcherResult')) return 'JestAssertionError';
  return isTimeout(error) ? 'Timeout' : undefined;
}

function isTimeout(error) {
  const message =
    typeof error === 'string' ? error : String(Object.getOwnPropertyDescriptor(Object(error), 'message')?.value);
  return /^(?:thrown: ")?Exceeded timeout of \d+ ms for a (?:test|hook)/.test(message);
}

function outcomeOf(test, kept) {
  if (kept.suiteFailure !== undefined) {
    kept.failure = kept.suiteFailure;
    return 'error';
  }
  if (test.errors.length === 0) return test.failing ? 'xfailed' : 'passed';
  if (kept.isUnexpected) return 'xpassed';
  if (test.errors.some((held) => isTimeout(errorOf(held)))) return 'timeout';
  return kept.isHook ? 'error' : 'failed';
}
