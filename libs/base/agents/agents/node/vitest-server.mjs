// The vitest that stays for all candidates of a batch, seen from outside it. Whatever is not as it should be ends in `undefined`: the candidate
// is run by a vitest of its own then.
import { spawn } from 'node:child_process';
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createReader } from './follow-report.mjs';
import { isOverBudget, workOf } from './node-budgets.mjs';
import { createWriter, passPlan } from './node-events.mjs';
import { spawnOptions } from './node-supervise.mjs';
import { vitestArguments } from './vitest-start.mjs';

const POLL_MS = 10;
/** What vitest needs to tell that a process of its tests was ended. */
const GRACE_MS = 2000;
const MOST_STARTS = 4;

export function createVitestServer(plan) {
  let child;
  let configs = new Set();
  let why;
  let starts = 0;
  let answer = () => {};

  async function open() {
    starts += 1;
    const env = passPlan({ ...plan, stays: true }, { ...process.env, ...plan.env });
    const { detached } = spawnOptions(plan);
    child = spawn(process.execPath, vitestArguments(), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached, env });
    child.on('message', (message) => answer(message));
    child.on('exit', () => answer(undefined));
    child.on('error', () => answer(undefined));
    plan.on_child?.(child);
    const ended = await next();
    why = ended === undefined ? 'it ended' : ended.why;
    configs = new Set(ended?.configs ?? []);
    if (why !== undefined) close();
    return ended !== undefined;
  }

  function next() {
    return new Promise((resolve) => {
      answer = resolve;
    });
  }

  function close() {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {}
    child = undefined;
  }

  /** One run of what is not done; undefined where it was not as it should be. */
  async function runOnce(files, reader, done, budgets) {
    const state = { open: new Map(), pids: new Map(), files: new Set(), known: new Set(), hung: new Map(), done };
    passPlan({ ...plan, stays: true, done: [...done] }, {});
    const timer = setInterval(() => watch(reader, state, { plan, budgets, close }), POLL_MS);
    const answered = next();
    child.send({ files });
    const ended = await answered;
    clearInterval(timer);
    clearTimeout(state.grace);
    if (ended === undefined && child !== undefined) close();
    if (child === undefined || ended === undefined || ended.failed !== undefined) return undefined;
    if (state.hung.size > 0) return state;
    reader.follow(state);
    return state.open.size === 0 && state.files.size === 0 ? state : undefined;
  }

  return {
    /** Starts vitest on the tree without a candidate, which is a run of its tests; true when that came to its end. */
    open,
    isOpen: () => child !== undefined,
    /** Whether a vitest may be started anew. */
    mayOpen: () => why === undefined && starts < MOST_STARTS,
    close: () => child !== undefined && close(),
    /** Runs the tests on the candidate in place, of which `files` differ from what ran before. True when all of it went as it should. */
    async run(files, candidate, budgets) {
      if (Object.keys(candidate).some((file) => configs.has(join(plan.root_path, file)))) return false;
      const emit = createWriter(plan);
      const reader = createReader(plan.report_path, see);
      const done = new Set();
      for (let changed = files; ; changed = []) {
        const state = await runOnce(changed, reader, done, budgets);
        if (state === undefined) return false;
        const { hung, known } = state;
        if (hung.size > 0) truncateSync(plan.report_path, state.size); // what vitest says of the process that was ended
        for (const [test, { file, at }] of hung) {
          tellHung(emit, test, file, Math.round(performance.now() - at));
          done.add(test);
        }
        reader.skip();
        if (hung.size === 0 || [...known, ...(plan.tests ?? [])].every((test) => done.has(test))) break;
      }
      emit('run-end');
      return true;
    },
  };
}

/** Ends the process of a test that is over its budget; the rest of vitest stays, if it is told in time. */
function watch(reader, state, { plan, budgets, close }) {
  if (state.hung.size > 0) return;
  reader.follow(state);
  for (const [test, one] of state.open) {
    const { pid } = one;
    if (pid === undefined || !isOverBudget(budgets?.get(test), one, pid, performance.now())) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
    state.hung.set(test, one);
    state.size = statSync(plan.report_path).size;
    state.grace = setTimeout(close, GRACE_MS);
    return;
  }
}

function tellHung(emit, test, file, ms) {
  const message = `The test was still running after ${ms} ms, and its process was ended.`;
  const failure = { class: 'Timeout', message, frames: [] };
  emit('test-end', { test, file, outcome: 'timeout', duration_ms: ms, failure });
}

function see({ event, tests, test, file, state: what, pid }, state) {
  if (event === 'collected') for (const found of tests) state.known.add(found.test);
  else if (event === 'test-start') {
    const own = state.pids.get(file);
    state.open.set(test, { file, pid: own, at: performance.now(), work: own === undefined ? undefined : workOf(own) });
  } else if (event === 'test-end') {
    state.open.delete(test);
    state.done.add(test);
  } else if (event === 'progress' && what === 'file-start') {
    state.pids.set(file, pid);
    state.files.add(file);
  } else if (event === 'progress' && what === 'file-end') state.files.delete(file);
}
