// Watches a process that runs tests, from outside it: a test that hangs is ended with its process, and what had not run
// yet runs in another one. What the process itself tells is in the report; only what it cannot tell is told here.
import { spawn } from 'node:child_process';
import { createReader } from './follow-report.mjs';
import { isOverBudget, workOf } from './node-budgets.mjs';
import { createWriter, milliseconds, passPlan } from './node-events.mjs';

/** Processes are started again this many times. */
const RESTARTS = 20;
/** What a runner itself needs to end a test that reached its limit. */
const GRACE_MS = 1000;
/** How long a process may live on after its last test. */
const LINGER_MS = 2000;
const POLL_MS = 50;
/** Where tests have a budget. */
const SHORT_POLL_MS = 10;
/** What a test read whose process did not live to tell it. */
const LOST = { unsure: ['its process ended before it told what the test read'] };
const FAILED = new Set(['failed', 'error', 'timeout', 'xpassed']);

/** `argumentsOf(plan)` gives what Node is started with. Resolves once every test ran, or no process gets any further. */
export async function supervise(plan, argumentsOf) {
  const emit = createWriter(plan);
  const reader = createReader(plan.report_path, see);
  const done = new Set();
  const doneFiles = new Set();
  const state = { known: new Map(), done, doneFiles };
  for (let start = 0; start <= RESTARTS; start += 1) {
    const before = done.size + doneFiles.size;
    Object.assign(state, { open: new Map(), files: new Map(), pids: new Map(), killed: false });
    Object.assign(state, { hung: [], isLate: false, isOver: false, seen: performance.now() });
    Object.assign(state, { hasEnded: false, hasFailed: false, isExplained: false });
    const end = await runProcess({ ...plan, done: [...done], done_files: [...doneFiles] }, argumentsOf, reader, state);
    if (plan.is_over?.()) return;
    const lost = tellLost(state, end, emit, reader, plan);
    if (isUntold(end, state, lost) && plan.mode !== 'list')
      emit('collection-error', {
        failure: {
          class: 'ExitCode',
          message: `The runner ended with ${howOf(end)}, and nothing it told says why.`,
          frames: [],
        },
      });
    if (state.isOver && state.killed && lost === 0)
      emit('note', { message: 'The process went on after its last test, and was ended.' });
    if (plan.mode === 'list' || (state.isOver && lost === 0)) return;
    const isRest = !state.isOver || [...state.known.keys()].some((test) => !done.has(test));
    if (!isRest || done.size + doneFiles.size === before) return;
    emit('note', { message: noteOf(state, end) });
  }
}

/** Whether a runner that came to its end says that something failed, where no test and no file did. */
function isUntold(end, state, lost) {
  return state.isOver && !state.killed && lost === 0 && isBad(end) && state.hasEnded && !state.hasFailed;
}

function noteOf({ hung, isLate }, end) {
  const why = hung.length > 0 || isLate ? 'a test did not end' : `its process ended: ${howOf(end)}`;
  return `The run was started again for what had not run yet, since ${why}.`;
}

async function runProcess(plan, argumentsOf, reader, state) {
  const env = passPlan(plan, { ...process.env, ...plan.env });
  const child = spawn(process.execPath, argumentsOf(plan), { ...spawnOptions(plan), env });
  plan.on_child?.(child);
  state.pid = child.pid;
  const poll = plan.budgets === undefined ? POLL_MS : SHORT_POLL_MS;
  const timer = setInterval(() => watch(child, reader, state, plan), poll);
  const end = await new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', (error) => resolve({ error }));
  });
  clearInterval(timer);
  reader.follow(state);
  return end;
}

/** A candidate's processes are a group of their own, so that all of them can be ended, and what they print nobody reads. */
export function spawnOptions({ is_candidate }) {
  return is_candidate === true ? { stdio: 'ignore', detached: true } : { stdio: ['ignore', 'inherit', 'inherit'] };
}

function watch(child, reader, state, plan) {
  reader.follow(state);
  const limit = (plan.test_timeout_ms ?? plan.hang_ms) + GRACE_MS;
  if (state.isOver && milliseconds(state.seen) > LINGER_MS) kill(child, state);
  if (state.hung.length > 0) return;
  for (const [test, { began, work, pid }] of state.open) {
    if (milliseconds(began) > limit) state.hung.push(test);
    else if (isOverBudget(plan.budgets?.get(test), { at: began, work }, pid, performance.now()))
      return plan.on_budget();
  }
  if (state.hung.length > 0) kill(child, state);
}

/** Ends a process, and those of its workers that told their number: one that hangs would outlive it. */
function kill(child, state) {
  state.killed = true;
  for (const pid of [child.pid, ...state.pids.values()]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
  }
}

/** Tells the tests under way when their process ended, and how many. Where one of several hung, the others were ended for its sake, and run again. */
function tellLost(state, end, emit, reader, plan) {
  const lost = state.hung.length > 0 ? state.hung : [...state.open.keys()];
  for (const test of lost) {
    const { file, began } = state.open.get(test);
    const isHung = state.hung.length > 0;
    const message = isHung
      ? `The test was still running after ${Math.round(milliseconds(began))} ms, and its process was ended.`
      : `The process ended while the test ran: ${howOf(end)}.`;
    const failure = { class: isHung ? 'Timeout' : 'ProcessEnded', message, frames: [] };
    const outcome = isHung ? 'timeout' : 'error';
    const duration_ms = milliseconds(began);
    emit('test-end', { test, file, outcome, duration_ms, failure, ...(plan.coverage === true ? { reads: LOST } : {}) });
    state.done.add(test);
  }
  // a file that ends its process without a test under way: nothing more is to be had from it
  if (lost.length === 0 && !state.isOver) {
    const told = [...state.files].filter(([file, known]) => loseFile(file, known, state, end, emit));
    if (told.length === 0 && !state.isLate && !state.isExplained && state.hasEnded && isBad(end))
      emit('collection-error', { failure: processEnded('between tests', end) });
  }
  reader.skip();
  return lost.length;
}

function loseFile(file, known, state, end, emit) {
  const isLoaded = [...known].some((test) => state.done.has(test));
  const rest = [...known].filter((test) => !state.done.has(test));
  if (isLoaded && rest.length > 0) return false;
  state.doneFiles.add(file);
  if (isLoaded && state.isLate) return false;
  const before = known.size === 0 ? 'while the file was loaded' : 'before the first test of the file, in a hook';
  const when = isLoaded ? 'after the last test of the file' : before;
  emit('collection-error', { file, failure: processEnded(when, end) });
  return true;
}

function processEnded(when, end) {
  return { class: 'ProcessEnded', message: `The process ended ${when}: ${howOf(end)}.`, frames: [] };
}

function isBad({ code, signal }) {
  return code > 0 || typeof signal === 'string';
}

function howOf({ code, signal, error }) {
  return signal ? `signal ${signal}` : error === undefined ? `exit code ${code}` : String(error);
}

function see(event, state) {
  const { test, file } = event;
  if (event.event === 'collected')
    for (const found of event.tests ?? []) {
      state.known.set(found.test, found.file);
      state.files.get(found.file)?.add(found.test);
    }
  if (event.event === 'test-start') {
    const pid = state.pids.get(file) ?? state.pid;
    state.open.set(test, { file, pid, began: performance.now(), work: workOf(pid) });
  }
  if (event.event === 'progress') follow(event, state);
  if (event.event === 'collection-error' && file !== undefined) state.doneFiles.add(file);
  if (event.event === 'collection-error') Object.assign(state, { hasFailed: true, isExplained: file === undefined });
  if (event.event !== 'test-end') return;
  state.hasEnded = true;
  if (FAILED.has(event.outcome)) state.hasFailed = true;
  state.open.delete(test);
  state.done.add(test);
  state.isLate = event.outcome === 'timeout';
}

function follow({ state: what, file, pid }, state) {
  if (what === 'file-start') state.files.set(file, new Set());
  if (what === 'file-start' && pid !== undefined) state.pids.set(file, pid);
  if (what === 'file-loaded' || what === 'file-end') state.files.delete(file);
  if (what === 'file-end') {
    state.pids.delete(file);
    state.doneFiles.add(file);
  }
  if (what === 'all-end') Object.assign(state, { isOver: true, seen: performance.now() });
}
