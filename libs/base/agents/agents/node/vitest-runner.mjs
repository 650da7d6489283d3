// vitest runner (1 to 4): the project's tests as they are, each reported from inside the worker as it starts and ends.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vitest from 'vitest';
import { startCoverage } from './node-coverage.mjs';
import { fileGraph, tellEnvironment, tellGraph } from './node-dependencies.mjs';
import { clock, createWriter, milliseconds, readPlan, relativePath } from './node-events.mjs';
import { createDescriber, operandsOf } from './node-failure.mjs';
import { createNamer } from './node-names.mjs';
import { mergeReads, startObserver, takeReads } from './node-observe.mjs';
import { startProbes } from './node-probes.mjs';

const plan = readPlan({ take: true });
const emit = createWriter(plan);
const relative = relativePath(plan);
const describe = createDescriber(plan.root_path, relative);
const wanted = plan.tests === undefined ? undefined : new Set(plan.tests);
const done = new Set(plan.done ?? []);
/** Not every test is to run: a suite without any is nothing to speak of. */
const isPart = wanted !== undefined || done.size > 0 || plan.mode === 'list';
const coverage = plan.coverage === true ? startCoverage(plan.map_path) : undefined;
if (coverage !== undefined) tellEnvironment(plan, emit);
/** Whether what is asked of Node is seen; what was asked outside tests, by this worker. */
const isWatched = coverage !== undefined && startObserver(relative, plan);
let loose = {};
const probes = coverage === undefined ? startProbes(dirname(fileURLToPath(import.meta.url))) : undefined;

// importing 'vitest/runners' is deprecated since 4.1, and warns
const Base = vitest.TestRunner ?? (await import('vitest/runners')).VitestTestRunner;
const functionOf = Base.getTestFn ?? (await import('vitest/suite')).getFn;

/** Test ids by task, in file order, the second of a name ` #2`. */
const names = new WeakMap();
/** What each suite's own hooks ran: every test below shares it. */
const shared = new WeakMap();
const operands = new WeakMap();
const lastLines = new WeakMap();
const began = new WeakMap();
const ended = new WeakSet();
const told = new WeakSet();

export default class HRunner extends Base {
  #since = 0;
  #suites = [];
  #imported = new Set();

  async onBeforeCollect(paths) {
    await super.onBeforeCollect?.(paths);
    for (const path of paths.map((one) => one.filepath ?? one)) {
      const file = relative(path);
      if (file !== undefined) emit('progress', { state: 'file-start', file, pid: process.pid });
    }
  }

  async onCollected(files) {
    await super.onCollected?.(files);
    for (const file of files) collect(file);
    if (coverage !== undefined) this.#load();
  }

  async onBeforeRunSuite(suite) {
    await super.onBeforeRunSuite?.(suite);
    this.#since = coverage?.now() ?? 0;
    this.#suites.push(suite);
    shared.set(suite, new Set());
    if (suite.result?.state === 'fail' && suite.filepath !== undefined && suite.tasks.length === 0) tellUnloaded(suite);
  }

  async onAfterRunSuite(suite) {
    await super.onAfterRunSuite?.(suite);
    this.#suites.pop();
    // a test that skips itself ends without a call
    for (const test of suite.tasks) if (began.has(test) && test.result?.state === 'skip') this.#end(test);
    if (suite.result?.state === 'fail') failSuite(suite, (test) => this.#linesOf(test, []));
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask?.(test);
    if (!names.has(test) || !isRun(test)) return;
    if (coverage !== undefined) this.#creditSuite();
    loose = mergeReads(loose, takeReads());
    began.set(test, clock());
    probes?.test(names.get(test));
    emit('test-start', { test: names.get(test), file: fileOf(test) });
  }

  /** As vitest itself does, but with the moment of failure seen. */
  async runTask(test) {
    try {
      await functionOf(test)();
    } catch (error) {
      if (!operands.has(test)) operands.set(test, operandsOf(error)); // vitest soon replaces them by its own text
      if (coverage !== undefined) lastLines.set(test, coverage.lastLines(this.#since));
      throw error;
    }
  }

  async onAfterRunTask(test) {
    await super.onAfterRunTask?.(test);
    if (names.has(test)) this.#end(test);
  }

  #end(test) {
    if (ended.has(test)) return;
    probes?.test(undefined);
    probes?.flush();
    const hits = coverage?.scan(this.#since, this.#imported);
    this.#since = coverage?.now() ?? 0;
    report(test, hits === undefined ? undefined : this.#linesOf(test, hits), takeReads());
  }

  async onAfterRunFiles(files) {
    await super.onAfterRunFiles?.(files);
    for (const file of files) emit('progress', { state: 'file-end', file: relative(file.filepath) ?? file.name });
    if (this.#imported.size > 0) emit('import-coverage', { files: coverage.lines(this.#imported) });
    if (coverage === undefined) return;
    const covered = coverage.lines(coverage.stamped()).map(({ file }) => file);
    loose = mergeReads(loose, takeReads());
    for (const file of files) {
      const path = relative(file.filepath) ?? file.name;
      tellGraph(emit, () => fileGraph(plan, relative, path, covered, loose, isWatched));
    }
  }

  /** Whatever ran up to here was loading. */
  #load() {
    const numbers = coverage.scan(0, this.#imported);
    for (const number of numbers) this.#imported.add(number);
    if (this.#imported.size > 0) emit('import-coverage', { files: coverage.lines(this.#imported) });
    this.#imported = new Set();
    this.#since = coverage.now();
  }

  #creditSuite() {
    const suite = this.#suites.at(-1);
    const numbers = coverage.scan(this.#since, this.#imported);
    if (suite !== undefined) for (const number of numbers) shared.get(suite)?.add(number);
    this.#since = coverage.now();
  }

  #linesOf(test, hits) {
    const all = new Set(hits);
    for (let suite = test.suite ?? test.file; suite !== undefined; suite = parentOf(suite))
      for (const number of shared.get(suite) ?? []) all.add(number);
    return coverage?.lines(all);
  }
}

function parentOf(suite) {
  return suite.suite ?? (suite.file !== suite ? suite.file : undefined);
}

/** Names the tests of a file, tells them, and takes out what is not wanted. */
function collect(file) {
  const path = relative(file.filepath) ?? file.name;
  const nameOf = createNamer(path);
  const found = [];
  visit(file, [], (test, parts) => {
    const name = nameOf(parts);
    if (done.has(name) || (wanted !== undefined && !wanted.has(name))) {
      test.mode = 'skip';
      return;
    }
    names.set(test, name);
    found.push(test);
  });
  emit('collected', { tests: found.map((test) => ({ test: names.get(test), file: path })) });
  if (file.result?.state === 'fail') tellUnloaded(file);
  if (plan.mode === 'list')
    visit(file, [path], (test) => {
      test.mode = 'skip';
    });
  else for (const test of found) if (!isRun(test)) report(test);
  skipEmpty(file);
}

function tellUnloaded(file) {
  if (told.has(file)) return;
  told.add(file);
  const path = relative(file.filepath) ?? file.name;
  for (const error of file.result?.errors ?? []) emit('collection-error', { file: path, failure: describe(error) });
}

function visit(suite, parts, onTest) {
  for (const task of suite.tasks) {
    if ((coverage !== undefined || probes !== undefined) && task.concurrent) task.concurrent = false;
    if (task.type === 'suite') visit(task, [...parts, task.name], onTest);
    else onTest(task, [...parts, task.name]);
  }
}

/** A suite without a test to run does not run its hooks either. */
function skipEmpty(suite) {
  let live = false;
  for (const task of suite.tasks) live = (task.type === 'suite' ? skipEmpty(task) : isRun(task)) || live;
  if (!live && (suite.tasks.length > 0 || (isPart && suite.filepath === undefined))) suite.mode = 'skip';
  return live;
}

function isRun(task) {
  return task.mode === 'run' || task.mode === 'queued';
}

function fileOf(test) {
  return relative(test.file.filepath) ?? test.file.name;
}

function report(test, lines, reads = {}) {
  if (ended.has(test) || !names.has(test)) return;
  ended.add(test);
  const { result } = test;
  const outcome = outcomeOf(test);
  const error = result?.errors?.[0];
  const isFailure = outcome === 'failed' || outcome === 'timeout';
  emit('test-end', {
    test: names.get(test),
    file: fileOf(test),
    outcome,
    duration_ms: began.has(test) ? milliseconds(began.get(test)) : 0,
    ...(isFailure && error !== undefined ? { failure: describe(error, operands.get(test)) } : {}),
    ...(lines === undefined ? {} : { coverage: lines }),
    ...(coverage === undefined ? {} : { reads }),
    ...(isFailure && lastLines.has(test) ? { last_lines: lastLines.get(test) } : {}),
    ...(result?.state === 'pass' && (result.retryCount ?? 0) > 0 ? { flaky: true } : {}),
  });
}

const TIMED_OUT = /^Test timed out in \d+ms/;

function outcomeOf(test) {
  const state = test.result?.state;
  if (state === 'pass') return test.fails ? 'xfailed' : 'passed';
  if (state === 'fail' && test.fails) return 'xpassed';
  if (state === 'fail') return TIMED_OUT.test(String(test.result.errors?.[0]?.message)) ? 'timeout' : 'failed';
  return 'skipped';
}

/** A hook of the suite failed: the tests that did not run have its failure; what no test has, the file has. */
function failSuite(suite, linesOf) {
  const [error, ...others] = suite.result?.errors ?? [];
  if (error === undefined || told.has(suite)) return;
  let isTaken = false;
  visit(suite, [], (test) => {
    if (ended.has(test) || !names.has(test)) return;
    ended.add(test);
    isTaken = true;
    const lines = linesOf(test);
    emit('test-end', {
      test: names.get(test),
      file: fileOf(test),
      outcome: 'error',
      duration_ms: 0,
      failure: describe(error),
      ...(lines === undefined ? {} : { coverage: lines }),
    });
  });
  const file = fileOf({ file: suite.file ?? suite });
  for (const failed of isTaken ? others : [error, ...others])
    emit('collection-error', { file, failure: describe(failed) });
}
