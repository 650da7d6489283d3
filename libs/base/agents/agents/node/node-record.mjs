// What the agents of jest and mocha have in common: names of tests, which statements each ran, and how it is told. Both run
// the tests of all files in one process, one after another.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCoverage } from './node-coverage.mjs';
import { tellEnvironment } from './node-dependencies.mjs';
import { clock, createWriter, milliseconds, readPlan, relativePath } from './node-events.mjs';
import { createDescriber, operandsOf, partsOf } from './node-failure.mjs';
import { mergeReads, startObserver, takeReads } from './node-observe.mjs';
import { startProbes } from './node-probes.mjs';

export const plan = readPlan({ take: true });
export const emit = createWriter(plan);
export const relative = relativePath(plan);
const describeError = createDescriber(plan.root_path, relative);
const wanted = plan.tests === undefined ? undefined : new Set(plan.tests);
const wantedFiles = wanted === undefined ? undefined : new Set([...wanted].map((test) => test.split(' > ', 1)[0]));
const done = new Set(plan.done ?? []);
const doneFiles = new Set(plan.done_files ?? []);
const limit = plan.test_timeout_ms ?? plan.hang_ms;
/** What the runner itself needs to end a test that reached its limit; whoever watches the process waits longer. */
const GRACE_MS = 500;
export const coverage =
  plan.coverage === true ? startCoverage(plan.map_path, limit === undefined ? undefined : tick) : undefined;
const probes = coverage === undefined ? startProbes(dirname(fileURLToPath(import.meta.url))) : undefined;
if (coverage !== undefined) tellEnvironment(plan, emit);
/** Whether what is asked of Node is seen. */
export const isWatched = coverage !== undefined && startObserver(relative, plan);
/** What was asked for outside tests since it was last taken. */
let loose = {};
/** Sources that the tests of each file executed. */
const covered = new Map();
/** Tests run one after another, so that what each did can be told. */
export const isObserved = coverage !== undefined || probes !== undefined;
export const hasProbes = probes !== undefined;
const imported = new Set();
/** What the hooks of a suite ran: every test below shares it. */
const shared = new WeakMap();
/** The test under way, and the time of the stretch of statements that belongs to nobody yet. */
let current;
let since = 0;

/** Whether a file has tests that are to run in this process. */
export function isWantedFile(file) {
  return !doneFiles.has(file) && (wantedFiles === undefined || wantedFiles.has(file));
}

/** Whether a test is told at all. */
export function isWanted(id) {
  return wanted === undefined || wanted.has(id);
}

/** Whether a test of this process runs: one that is told and that no earlier process ran. */
export function isToRun(id) {
  return plan.mode !== 'list' && isWanted(id) && !done.has(id);
}

export function tellCollected(file, ids) {
  emit('collected', { tests: ids.map((test) => ({ test, file })) });
}

/** What was asked for outside tests since the last call. */
export function takeLoose(options) {
  const reads = mergeReads(loose, takeReads(options));
  loose = {};
  return reads;
}

export function coveredBy(file) {
  return covered.get(file) ?? new Set();
}

/** Whatever ran up to here was loading. */
export function endLoading() {
  if (coverage === undefined) return;
  for (const number of coverage.scan(since, imported)) imported.add(number);
  tellImported();
  since = coverage.now();
}

/** A file is about to be loaded with all of its modules anew. */
export function beginFile() {
  settle();
  coverage?.forget();
  since = coverage?.now() ?? 0;
}

function tellImported() {
  if (imported.size > 0) emit('import-coverage', { files: coverage.lines(imported) });
  imported.clear();
}

/** What ran since the last test belongs to a suite: its hooks. */
export function creditSuite(suite) {
  if (coverage === undefined) return;
  const known = shared.get(suite) ?? new Set();
  for (const number of coverage.scan(since, imported)) known.add(number);
  shared.set(suite, known);
  tellImported();
  since = coverage.now();
}

/** A test begins: `{ id, file, suites }`, its suites from the innermost to the outermost. What ran before it and is nobody's is lost. */
export function beginTest(test) {
  settle();
  if (isWatched) loose = mergeReads(loose, takeReads());
  current = Object.assign(test, { began: clock(), failure: undefined, lastLines: undefined, isHeld: false });
  since = coverage?.now() ?? 0;
  emit('test-start', { test: test.id, file: test.file });
  probes?.test(test.id);
}

/** The moment of a failure: what was compared, and the last statements. The first one of a test counts. */
export function failTest(test, error, className) {
  if (test.failure !== undefined) return;
  test.failure = describe(error, className);
  test.lastLines = lastLines();
}

/** The last statements of the test under way, most recent first. */
export function lastLines() {
  return coverage?.lastLines(since);
}

export function describe(error, className) {
  const parts = partsOf(error);
  const failure = describeError(parts, operandsOf(error));
  if (className !== undefined) failure.class = className;
  return failure;
}

/** A test ended; it is told once what still runs for it, such as its hooks, has run: at `settle`. */
export function endTest(test, outcome, fields = {}) {
  if (current !== test) return;
  Object.assign(test, { outcome, duration: milliseconds(test.began), fields, isHeld: true });
}

/** Tells the test that ended last. */
export function settle() {
  const test = current;
  if (test === undefined || !test.isHeld) return;
  current = undefined;
  probes?.test(undefined);
  probes?.flush();
  tellTest(test, test.outcome, {
    duration: test.duration,
    ...test.fields,
    hits: coverage?.scan(since, imported),
    reads: takeReads(),
  });
  if (coverage !== undefined) tellImported();
  since = coverage?.now() ?? 0;
}

/** Tells a test that did not run: skipped, or lost with its suite. */
export function tellUnrun(test, outcome, failure) {
  if (current === test) current = undefined;
  tellTest(Object.assign(test, { failure }), outcome, { duration: 0 });
}

/** A test that was told fails after all: an error that belongs to it came later. */
export function failLate(test, failure) {
  if (test.told === undefined) return false;
  emit('test-end', { ...test.told, outcome: 'failed', failure });
  return true;
}

function tellTest(test, outcome, { duration, flaky, hits, reads = {} }) {
  const isFailure = outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
  const fields = { test: test.id, file: test.file, outcome, duration_ms: duration };
  if (isFailure && test.failure !== undefined) fields.failure = test.failure;
  if (hits !== undefined) fields.coverage = coverage.lines(withShared(test, hits));
  // what other processes executed is told as the test's own reads
  for (const { file } of coverage?.lines((hits ?? []).slice(hits?.foreign)) ?? [])
    covered.set(test.file, coveredBy(test.file).add(file));
  if (coverage !== undefined) fields.reads = reads;
  if (isFailure && test.lastLines !== undefined) fields.last_lines = test.lastLines;
  if (flaky) fields.flaky = true;
  test.told = fields;
  emit('test-end', fields);
}

function withShared(test, hits) {
  const all = new Set(hits);
  for (const suite of test.suites) for (const number of shared.get(suite) ?? []) all.add(number);
  return all;
}

/** Called while statements run: a test over its limit that never returns is told with what it executed, and ended. */
function tick() {
  const test = current;
  if (test === undefined || test.isHeld || milliseconds(test.began) < limit + GRACE_MS) return;
  const message = `The test was still running after ${limit} ms, and its process was ended.`;
  Object.assign(test, { failure: { class: 'Timeout', message, frames: [] }, lastLines: coverage.lastLines(since) });
  tellTest(test, 'timeout', {
    duration: milliseconds(test.began),
    hits: coverage.scan(since, imported),
    reads: mergeReads(takeReads(), { unsure: ['its process ended before it told what the test leads to'] }),
  });
  process.kill(process.pid, 'SIGKILL');
}

/** The process ends; a test that is over is told, one that is not stays open for whoever watches. */
process.on('exit', settle);

/** An error that ends the process, and that no test has. */
process.on('uncaughtExceptionMonitor', (error) => {
  if (process.listenerCount('uncaughtException') > 0 || (current !== undefined && !current.isHeld)) return;
  settle();
  emit('collection-error', { failure: describe(error) });
});
