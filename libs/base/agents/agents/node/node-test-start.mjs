// Runs test files of node:test, each in a process of its own, one after another, as `node --test` starts them. What only
// the outside sees is told here: a process that dies, a test that hangs, a file that registers nothing.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createReader } from './follow-report.mjs';
import { isOverBudget, workOf } from './node-budgets.mjs';
import { createWriter, milliseconds, tellStart } from './node-events.mjs';
import { spawnOptions } from './node-supervise.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const TYPESCRIPT = /\.[cm]?tsx?$/;
/** A file is started again this many times after processes that died in a test. */
const RESTARTS = 20;
/** What node:test itself needs to end a test that reached its limit. */
const GRACE_MS = 1000;
const POLL_MS = 50;
/** Where tests have a budget. */
const SHORT_POLL_MS = 10;
const FAILED = new Set(['failed', 'error', 'timeout']);
/** What a test read whose process did not live to tell it. */
const LOST = { unsure: ['its process ended before it told what the test read'] };
/** Of the run under way. */
let plan;
let emit;
let reader;
let wanted;
let warned = false;

/** Runs the tests of a plan. */
export async function start(given) {
  plan = given;
  emit = createWriter(plan);
  reader = createReader(plan.report_path, see);
  wanted = plan.tests === undefined ? undefined : new Set(plan.tests.map((test) => test.split(' > ', 1)[0]));
  tellStart(emit, plan, 'node:test');
  for (const file of plan.files ?? [])
    if ((wanted === undefined || wanted.has(file)) && plan.is_over?.() !== true) await runFile(file);
  emit('run-end');
}

async function runFile(file) {
  const path = join(plan.root_path, file);
  if (!existsSync(path)) {
    emit('collection-error', { file, failure: { class: 'Missing', message: 'There is no such file.', frames: [] } });
    return;
  }
  const usesNodeTest = readFileSync(path, 'utf8').includes('node:test');
  const done = new Set();
  for (let start = 0; start <= RESTARTS; start += 1) {
    const state = { known: new Set(), open: new Map(), done };
    const end = await runProcess(file, path, usesNodeTest, state);
    if (plan.is_over?.()) return;
    const lost = [...state.open.keys()];
    for (const test of lost) {
      done.add(test);
      tellLost(test, file, state.open.get(test), end);
    }
    const rest = [...state.known].filter((test) => !done.has(test));
    const died = state.died === true || lost.length > 0 || (end.signal && state.ends > 0 && !end.isIdle);
    if (!died) return tellSilence(file, end, rest, state);
    if (rest.length === 0) return;
    emit('note', {
      message: `${file} was started again after its process ended in a test: the tests after it ran without those before it.`,
    });
  }
}

/** One process over one file. `state` follows what its tests tell. */
async function runProcess(file, path, usesNodeTest, state) {
  const childPlan = { ...plan, file, uses_node_test: usesNodeTest, done: [...state.done] };
  for (const name of ['files', 'cwd_path', 'root_path', 'report_path', 'map_path', 'budgets']) delete childPlan[name];
  writeFileSync(join(here, 'node-test-plan.json'), JSON.stringify(childPlan));
  const child = spawn(process.execPath, [...argumentsFor(file), path], spawnOptions(plan));
  plan.on_child?.(child);
  state.pid = child.pid;
  const timer = startWatch(child, state);
  const end = await new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', (error) => resolve({ error }));
  });
  clearInterval(timer);
  reader.follow(state);
  return { ...end, timeout: state.killed === true, isIdle: state.isIdle === true };
}

function argumentsFor(file) {
  const own = ['--import', new URL('./node-test-hook.mjs', import.meta.url).href];
  own.push('--test-reporter', join(here, 'node-test-reporter.mjs'), '--test-reporter-destination', 'stdout');
  return [...own, ...(plan.node_args ?? []), ...typeStripping(file)];
}

/** TypeScript without a loader: Node does it by itself from 22.18 on, when asked from 22.6 on. */
function typeStripping(file) {
  const given = (plan.node_args ?? []).length > 0;
  if (given || !TYPESCRIPT.test(file) || process.features.typescript) return [];
  if (process.allowedNodeEnvironmentFlags.has('--experimental-strip-types')) return ['--experimental-strip-types'];
  if (!warned)
    emit('note', {
      message: `Node ${process.versions.node} does not load TypeScript by itself (22.18 and later do), and the test script names no loader, such as tsx.`,
    });
  warned = true;
  return [];
}

function startWatch(child, state) {
  if (plan.budgets !== undefined) return setInterval(() => watchBudgets(state), SHORT_POLL_MS);
  return limitOf() === undefined ? undefined : setInterval(() => watch(child, state), POLL_MS);
}

/** Milliseconds that a test may take: as asked for, or else so many that the others would not run. */
function limitOf() {
  return plan.test_timeout_ms ?? plan.hang_ms;
}

/** Without a limit of its own a test that hangs takes all that is left of a run, and what comes after it does not run. */
function watchBudgets(state) {
  reader.follow(state);
  for (const [test, began] of state.open)
    if (isOverBudget(plan.budgets.get(test), { at: began, work: state.work }, state.pid, performance.now()))
      plan.on_budget();
}

/** Ends a process whose test is over its limit, and one that lives on after its last test. */
function watch(child, state) {
  reader.follow(state);
  const limit = limitOf() + GRACE_MS;
  // a test of many parts does not hang while they go on
  const heard = plan.test_timeout_ms === undefined ? state.heard : 0;
  for (const began of state.open.values()) if (milliseconds(Math.max(began, heard)) > limit) kill(child, state);
  const idle = state.open.size === 0 && state.ends > 0 && milliseconds(state.seen) > limit + GRACE_MS;
  if (idle) {
    state.isIdle = true;
    kill(child, state);
  }
}

function kill(child, state) {
  state.killed = true;
  child.kill('SIGKILL');
}

function tellLost(test, file, began, { code, signal, error, timeout }) {
  const how = signal ? `signal ${signal}` : code === undefined ? String(error) : `exit code ${code}`;
  const message = timeout
    ? `The test was still running after ${limitOf()} ms, and its process was ended.`
    : `The process ended while the test ran: ${how}.`;
  emit('test-end', {
    test,
    file,
    outcome: timeout ? 'timeout' : 'error',
    duration_ms: milliseconds(began),
    failure: { class: timeout ? 'Timeout' : 'ProcessEnded', message, frames: [] },
    ...(plan.coverage === true ? { reads: LOST } : {}),
  });
  reader.skip();
}

/** The process ended outside every test, or as it should. */
function tellSilence(file, { code, signal, timeout }, rest, state) {
  const how = signal ? `signal ${signal}` : `exit code ${code}`;
  if (timeout) emit('note', { message: `${file} went on after its last test, and its process was ended.` });
  else if (rest.length > 0 && plan.mode !== 'list')
    emit('note', { message: `${file} ended before all of its tests had run: ${how}.` });
  else if (signal || (code !== 0 && state.known.size === 0 && !state.told)) {
    const message = `The process ended before it found tests: ${how}.`;
    emit('collection-error', { file, failure: { class: 'ProcessEnded', message, frames: [] } });
  } else if (code !== 0 && !state.failed && !state.told && plan.mode !== 'list') tellExitCode(file, how);
}

/** node:test calls the file failed. Of a file of which only some tests were asked for, others may be to blame. */
function tellExitCode(file, how) {
  const message = `The file ended with ${how}, and none of its tests failed.`;
  if (wanted === undefined) emit('collection-error', { file, failure: { class: 'ExitCode', message, frames: [] } });
  else emit('note', { message: `${file}: ${message}` });
}

function see(event, state) {
  state.heard = performance.now();
  if (event.event === 'collected') for (const { test } of event.tests ?? []) state.known.add(test);
  if (event.event === 'test-start') {
    state.open.set(event.test, performance.now());
    state.work = workOf(state.pid);
  }
  if (event.event === 'collection-error') state.told = true;
  if (event.event !== 'test-end') return;
  state.open.delete(event.test);
  state.done.add(event.test);
  state.ends = (state.ends ?? 0) + 1;
  state.seen = performance.now();
  if (FAILED.has(event.outcome)) state.failed = true;
  if (event.failure?.class === 'ProcessEnded') state.died = true;
}
