// What is known of the tests of one file, each told as it is registered, starts and ends. node:test's own verdict comes
// later, through its reporter; it replaces what was told where the two differ.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCoverage } from './node-coverage.mjs';
import { clock, createWriter, milliseconds, readPlan, relativePath } from './node-events.mjs';
import { createDescriber, operandsOf, partsOf } from './node-failure.mjs';
import { mergeReads, takeReads } from './node-observe.mjs';
import { startProbes } from './node-probes.mjs';
import { followReads } from './node-test-reads.mjs';
import { classOf, outcomeOf } from './node-test-verdict.mjs';

export const plan = readPlan({ take: true });
const emit = createWriter(plan);
const relative = relativePath(plan);
const describe = createDescriber(plan.root_path, relative);
const wanted = plan.tests === undefined ? undefined : new Set(plan.tests);
const done = new Set(plan.done ?? []);
const limit = plan.test_timeout_ms;
const hang = limit ?? plan.hang_ms;
const coverage =
  plan.coverage === true ? startCoverage(plan.map_path, hang === undefined ? undefined : tick) : undefined;
const reads = coverage === undefined ? undefined : followReads(plan, emit, relative);
const probes = startProbes(dirname(fileURLToPath(import.meta.url)));
const imported = new Set();
/** Statements of modules' own bodies: they count as loading, whichever test is under way when they are told. */
const loading = new Set();
const ids = new Set();
const LOST = 'its process ended while the test ran';
/** What node:test itself needs to end a test that reached its limit; the process outside waits longer. */
const GRACE_MS = 500;
/** Lines of `beforeEach` hooks that failed, whose test never began. */
const lostHooks = [];
/** Rejections that nobody handled, until node:test gives them to a test. */
export const rejections = new Set();
let registered = 0;
let loaded = false;

/** The file itself: what is registered at its top level hangs below. */
export const root = createNode({ plain: plan.file, inside: wanted?.has(plan.file) === true });

/** A test or suite; `key` is its place among what is registered beside it, `1.2` the second of the first. */
function createNode({ parent, name, plain, key = '', suite = true, inside, limited = false }) {
  return { parent, name, plain, key, suite, inside, limited, children: 0, shared: new Set(), below: [] };
}

/** The node of what is about to be registered, or undefined when it is not to run. */
export function register(parent, name, suite, options, body) {
  const plain = `${parent.plain} > ${name}`;
  let id = plain;
  if (!suite) {
    // a test may itself be named like the second of another
    for (let count = 2; ids.has(id); count += 1) id = `${plain} #${count}`;
    ids.add(id);
  }
  registered += 1;
  if (done.has(id) && !suite) return undefined;
  const inside = parent.inside || (wanted?.has(id) ?? true);
  if (!inside && !leadsToWanted(plain)) return undefined;
  if (!suite && inside) emit('collected', { tests: [{ test: id, file: plan.file }] });
  if (!suite && plan.mode === 'list') return undefined;
  parent.children += 1;
  const key = parent.key === '' ? `${parent.children}` : `${parent.key}.${parent.children}`;
  const limited = parent.limited || options.timeout !== undefined;
  const node = createNode({ parent, name, plain, key, suite, inside, limited });
  Object.assign(node, { id, told: inside && !suite, empty: body === undefined });
  node.limit = options.timeout ?? parent.limit ?? limit;
  parent.below.push(node);
  byKey.set(key, node);
  return node;
}

const byKey = new Map();

function leadsToWanted(plain) {
  const prefix = `${plain} > `;
  for (const test of wanted ?? []) if (test.startsWith(prefix)) return true;
  return false;
}

/** Whatever ran up to here was loading the file and what it imports. */
export function endLoading() {
  if (loaded || coverage === undefined) return;
  loaded = true;
  for (const number of coverage.scan(0, imported)) imported.add(number);
  tellImports();
}

function tellImports() {
  if (imported.size > 0) emit('import-coverage', { files: coverage.lines(imported) });
  for (const number of imported) loading.add(number);
  imported.clear();
}

/** Numbers of the statements that ran after `since` and are no loading. */
function ranSince(since) {
  const numbers = coverage.scan(since, imported);
  return numbers.filter((number) => !loading.has(number));
}

/** The time a stretch begins: of a hook or a test. */
export function mark() {
  endLoading();
  return coverage?.now() ?? 0;
}

export function begin(node, since) {
  reads?.hold(openNode());
  node.since = since ?? mark();
  node.began = clock();
  if (node.told) emit('test-start', { test: node.id, file: plan.file });
  probes?.test(node.id);
}

/** The test's own function ended; `thrown` is a one-element list when it threw. */
export function end(node, thrown) {
  if (node.ended || node.isJudged) return; // what goes on after the verdict changes nothing
  node.ended = true;
  node.duration = milliseconds(node.began);
  probes?.test(node.parent.id);
  freeze(node);
  const failure = thrown === undefined ? undefined : failed(node, thrown[0]);
  tell(node, failure === undefined ? 'passed' : 'failed', failure);
}

/** Sees what a test has executed, and in which order, at its end or when it is given up: later stamps hide earlier ones. */
export function freeze(node) {
  if (node.isFrozen || node.since === undefined) return;
  node.isFrozen = true;
  see(node);
  node.lastLines ??= coverage?.lastLines(node.since);
}

/** node:test gives a test up: for its limit, or for another reason. */
export function abort(node) {
  freeze(node);
  node.isLate = node.limit !== undefined && milliseconds(node.began) >= node.limit - 1;
}

/** Sees what a test has executed so far; also after its `afterEach` hooks. */
export function see(node) {
  if (coverage === undefined || node.since === undefined) return;
  node.hits = ranSince(node.since);
  reads?.hold(node);
  tellImports();
}

export function failed(node, error) {
  if (coverage !== undefined && node.since !== undefined) node.lastLines ??= coverage.lastLines(node.since);
  node.operands ??= operandsOf(error);
  return describe(partsOf(error), node.operands);
}

/** The innermost test under way. */
export function openNode() {
  return [...byKey.values()].findLast((node) => node.began !== undefined && !node.ended && !node.isJudged);
}

/** Called while statements run: a test over its limit that never returns is told with what it executed, and ended. */
function tick() {
  const node = openNode();
  if (node === undefined || milliseconds(node.began) < hang + GRACE_MS) return;
  freeze(node);
  node.duration = milliseconds(node.began);
  if (coverage !== undefined) node.reads = mergeReads(node.reads, takeReads(), { unsure: [LOST] });
  const message = `The test was still running after ${hang} ms, and its process was ended.`;
  tell(node, 'timeout', { class: 'Timeout', message, frames: [] });
  process.kill(process.pid, 'SIGKILL');
}

/** Every test below shares what a `before` hook of the suite ran. */
export function share(owner, since) {
  if (coverage !== undefined) for (const number of ranSince(since)) owner.shared.add(number);
}

export function loseHook(since) {
  if (coverage !== undefined) lostHooks.push(ranSince(since));
}

function tell(node, outcome, failure) {
  if (!node.told) return;
  const fields = { test: node.id, file: plan.file, outcome, duration_ms: node.duration ?? 0 };
  if (failure !== undefined) fields.failure = failure;
  if (coverage !== undefined) fields.reads = reads.of(node);
  if (coverage !== undefined && node.hits !== undefined) {
    fields.coverage = coverage.lines(withShared(node));
    if (failure !== undefined && node.lastLines !== undefined) fields.last_lines = node.lastLines;
  }
  Object.assign(node, { outcome, failure, text: JSON.stringify([fields.coverage, fields.reads]) });
  emit('test-end', fields);
}

function withShared(node) {
  const all = new Set(node.hits);
  for (let owner = node.parent; owner !== undefined; owner = owner.parent)
    for (const number of owner.shared) all.add(number);
  return all;
}

/** node:test's verdict on the test or suite with a key. Nodes that we never registered have none. */
export function judge(key, { passed, name, skip, todo, expectFailure, error, duration }) {
  const node = byKey.get(key);
  if (node === undefined || node.name !== name) return node === undefined ? undefined : false;
  if (node.suite) {
    if (!passed) failSuite(node, error);
    return true;
  }
  rejections.delete(error?.cause);
  const given = outcomeOf({ passed, skip, todo, expectFailure, error }, node.empty);
  node.duration ??= duration;
  node.isJudged = true;
  freeze(node);
  if (node.since === undefined && error?.failureType === 'hookFailed') node.hits = lostHooks.shift();
  node.cancelled = error?.failureType === 'cancelledByParent';
  const isFailure = ['failed', 'error', 'timeout'].includes(given);
  const failure = isFailure ? failureOf(node, error) : undefined;
  const seen = node.hits === undefined ? undefined : JSON.stringify([coverage.lines(withShared(node)), reads.of(node)]);
  if (node.outcome !== given || (seen !== undefined && seen !== node.text) || (isFailure && node.failure === undefined))
    tell(node, given, failure);
  node.lastLines = undefined; // it may be long, and every test has it
  return true;
}

/** A failure as node:test tells it: its own error around the cause. */
function failureOf(node, error) {
  const first = error?.failureType === 'subtestsFailed' ? firstFailed(node) : undefined;
  if (error?.failureType === 'testCodeFailure' && node.failure !== undefined) return node.failure;
  const cause = error?.cause;
  const told =
    typeof cause === 'object' && cause !== null ? failed(node, cause) : describe({ message: error?.message });
  if (typeof cause !== 'object' || cause === null) told.class = classOf(error);
  if (first !== undefined) Object.assign(told, { frames: first.frames, location: first.location });
  if (told.location === undefined) delete told.location;
  return told;
}

function firstFailed(node) {
  return node.below.find((child) => child.failure !== undefined)?.failure;
}

/** A suite failed by itself: its tests that did not run have its failure; when there are none, the file has. */
function failSuite(node, error) {
  if (error?.failureType === 'subtestsFailed') return;
  const failure = failureOf({}, error);
  const cancelled = testsBelow(node).filter((test) => test.cancelled);
  for (const test of cancelled) tell(test, 'error', failure);
  if (cancelled.length === 0 || error?.failureType === 'testCodeFailure')
    emit('collection-error', { file: plan.file, failure });
}

function testsBelow(node) {
  return node.below.flatMap((child) => (child.suite ? testsBelow(child) : [child]));
}

/** An error outside every running test: while the file was loaded, or after a test had ended. */
export function tellStray(error) {
  const failure = describe(partsOf(error), operandsOf(error));
  if (registered === 0 && !plan.uses_node_test) stray = failure;
  else emit('collection-error', { file: plan.file, failure });
}

let stray;

/** The process ends: tests under way end with it, and a file that registered no test is one itself. */
export function tellExit(code) {
  for (const node of byKey.values()) {
    if (node.suite || node.began === undefined || node.outcome !== undefined) continue;
    freeze(node);
    node.duration = milliseconds(node.began);
    if (coverage !== undefined) node.reads = mergeReads(node.reads, takeReads(), { unsure: [LOST] });
    if (node.isLate) tell(node, 'timeout', { class: 'Timeout', message: 'The test was over its limit.', frames: [] });
    else tell(node, 'error', processEnded(`exit code ${code}`));
  }
  for (const error of rejections) tellStray(error);
  if (registered === 0 && !plan.uses_node_test && (wanted?.has(plan.file) ?? true)) tellFile(code);
  if (coverage !== undefined) {
    endLoading();
    tellImports();
    const covered = coverage.lines(coverage.stamped()).map(({ file }) => file);
    reads.tell(covered);
  }
}

export function processEnded(how) {
  return { class: 'ProcessEnded', message: `The process ended while the test ran: ${how}.`, frames: [] };
}

/** `node --test` takes a file without tests as one test, which passes when its process exits with 0. */
function tellFile(code) {
  const test = { test: plan.file, file: plan.file };
  emit('collected', { tests: [test] });
  if (plan.mode === 'list') return;
  emit('test-start', test);
  const node = Object.assign(createNode({ plain: plan.file }), { id: plan.file, told: true, since: 0 });
  node.duration = Math.round(clock() * 1000) / 1000;
  if (coverage !== undefined) {
    node.hits = ranSince(0);
    node.lastLines = coverage.lastLines(0);
    loaded = true;
  }
  const exit = { class: 'ExitCode', message: `The file ended with exit code ${code}.`, frames: [] };
  tell(node, code === 0 ? 'passed' : 'failed', code === 0 ? undefined : (stray ?? exit));
}

export function note(message) {
  emit('note', { message });
}
