// One run of mocha: its events, which tests run, and what each is told as.
import { tellGraphs } from './mocha-sources.mjs';
import { createNamer } from './node-names.mjs';
import {
  beginTest,
  creditSuite,
  describe,
  emit,
  endTest,
  failLate,
  isToRun,
  isWanted,
  lastLines,
  plan,
  relative,
  settle,
  tellCollected,
  tellUnrun,
} from './node-record.mjs';

const HOOK = /^"(before|after) (all|each)" hook/;

/** The error that mocha is about to tell, as it was thrown. */
let seen;

export function seeFailure(error) {
  seen = { error, failure: describe(error, isTimeout(error) ? 'Timeout' : undefined), lastLines: lastLines() };
}

/** Follows a runner from its start to its end. */
export function followRun(runner) {
  /** What is kept of each of mocha's tests. */
  const tests = new WeakMap();
  const all = [];
  const keptOf = (test) => {
    for (let own = test; own != null; own = typeof own.retriedTest === 'function' ? own.retriedTest() : undefined)
      if (tests.has(own)) return tests.get(own);
    return undefined;
  };

  runner.on('start', () => {
    const namers = new Map();
    for (const { test, suites, names } of testsBelow(runner.suite, [], [])) {
      const file = relative(test.file ?? '') ?? relative(fileOf(suites) ?? '') ?? plan.files?.[0] ?? '.';
      if (!namers.has(file)) namers.set(file, createNamer(file));
      if (!isChosen(runner, test)) continue;
      const kept = { id: namers.get(file)(names), file, suites };
      tests.set(test, kept);
      all.push(kept);
    }
    for (const [file, ids] of groupByFile(all.filter(({ id }) => isWanted(id)))) tellCollected(file, ids);
    keepOnly(runner.suite, (test) => tests.has(test) && isToRun(tests.get(test).id));
  });

  runner.on('hook', (hook) => {
    const [, , which] = HOOK.exec(hook.title) ?? [];
    if (which === 'all') {
      settle();
      creditSuite(runner.suite); // what ran between the hooks is everybody's
    }
  });
  runner.on('hook end', (hook) => {
    const [, when, which] = HOOK.exec(hook.title) ?? [];
    if (which === 'all' && when === 'before') creditSuite(hook.parent);
  });
  runner.on('test', (test) => {
    const kept = keptOf(test);
    if (kept !== undefined) beginTest(kept);
  });
  runner.on('retry', (test) => {
    const kept = keptOf(test);
    if (kept !== undefined) Object.assign(kept, { retried: true, failure: undefined });
  });
  runner.on('pass', (test) => {
    const kept = keptOf(test);
    if (kept !== undefined) endTest(kept, 'passed', { flaky: kept.retried === true });
  });
  runner.on('pending', (test) => {
    const kept = keptOf(test);
    if (kept === undefined) return;
    settle();
    kept.isTold = true;
    if (isToRun(kept.id)) tellUnrun(kept, 'skipped');
  });
  runner.on('fail', (failed) => {
    if (failed.type === 'hook') return failHook(failed);
    const kept = keptOf(failed);
    if (kept === undefined || failLate(kept, seen.failure)) return;
    failWith(kept);
    endTest(kept, isTimeout(seen.error) ? 'timeout' : 'failed');
  });
  runner.on('end', () => {
    settle();
    tellGraphs(new Set(all.map(({ file }) => file)));
    emit('progress', { state: 'all-end' });
  });

  const fileBelow = (suite) => all.find(({ suites }) => suites.includes(suite))?.file;

  /** A hook failed: the test it was for, and those that do not run for it. */
  function failHook(hook) {
    const [, when, which] = HOOK.exec(hook.title) ?? [];
    const { failure } = seen;
    const kept = hook.ctx?.currentTest === undefined ? undefined : keptOf(hook.ctx.currentTest);
    if (which === 'each' && kept !== undefined) {
      failWith(kept);
      endTest(kept, 'error');
      settle();
      kept.isTold = true;
    }
    if (when === 'before') {
      creditSuite(hook.parent);
      for (const other of all)
        if (other.suites.includes(hook.parent) && !other.isTold && other.began === undefined && isToRun(other.id)) {
          other.isTold = true;
          tellUnrun(other, 'error', failure);
        }
    } else if (which === 'all')
      emit('collection-error', { file: relative(hook.file ?? '') ?? fileBelow(hook.parent), failure });
  }
}

function failWith(kept) {
  kept.failure ??= seen.failure;
  kept.lastLines ??= seen.lastLines;
}

function isTimeout(error) {
  return typeof error === 'object' && error !== null && error.code === 'ERR_MOCHA_TIMEOUT';
}

/** mocha's own choice: `--grep` and the like. */
function isChosen(runner, test) {
  return runner._grep === undefined || runner._grep.test(test.fullTitle()) !== runner._invert;
}

function fileOf(suites) {
  return suites.find(({ file }) => file !== undefined)?.file;
}

function* testsBelow(suite, names, suites) {
  const inside = suite.root ? names : [...names, suite.title];
  const around = [suite, ...suites];
  for (const test of suite.tests) yield { test, names: [...inside, test.title], suites: around };
  for (const child of suite.suites) yield* testsBelow(child, inside, around);
}

function groupByFile(tests) {
  const groups = new Map();
  for (const { id, file } of tests) groups.set(file, [...(groups.get(file) ?? []), id]);
  return groups;
}

/** A suite without a test that is to run runs no hook either: that is mocha's own rule. */
function keepOnly(suite, isKept) {
  suite.tests = suite.tests.filter(isKept);
  for (const child of suite.suites) keepOnly(child, isKept);
}
