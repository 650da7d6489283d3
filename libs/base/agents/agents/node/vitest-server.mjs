// The vitest that stays for all candidates of a batch, seen from outside it. Whatever is not as it should be ends in `undefined`: the candidate
// is run by a vitest of its own then.
import { spawn } from 'node:child_process';
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
  /** Files that vitest may know otherwise than they are. */
  let stale = new Set();
  let why;
  let starts = 0;
  let answer = () => {};

  async function open() {
    starts += 1;
    stale = new Set();
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

  return {
    /** Starts vitest on the tree without a candidate, which is a run of its tests; true when that came to its end. */
    open,
    isOpen: () => child !== undefined,
    /** Whether a vitest may be started anew. */
    mayOpen: () => why === undefined && starts < MOST_STARTS,
    close: () => child !== undefined && close(),
    /** Runs the tests on the candidate in place, which has changed `files`; whether one was over its budget, which ends the run. */
    async run(files, budgets) {
      for (const file of files) stale.add(file);
      if (files.some((file) => configs.has(join(plan.root_path, file)))) return undefined;
      const state = { open: new Map(), pids: new Map(), files: new Set(), isOver: false };
      const reader = createReader(plan.report_path, see);
      passPlan({ ...plan, stays: true }, {});
      const timer = setInterval(() => watch(reader, state, budgets, close), POLL_MS);
      const answered = next();
      child.send({ files: [...stale] });
      stale = new Set(files); // which are put back afterwards
      const ended = await answered;
      clearInterval(timer);
      clearTimeout(state.grace);
      if (ended === undefined && child !== undefined) close();
      if (state.isOver) return { isOver: true };
      if (child === undefined || ended === undefined || ended.failed !== undefined) return undefined;
      reader.follow(state);
      if (state.open.size > 0 || state.files.size > 0) return undefined;
      createWriter(plan)('run-end');
      return { isOver: false };
    },
  };
}

/** Ends the process of a test that is over its budget; the rest of vitest stays, if it is told in time. */
function watch(reader, state, budgets, close) {
  if (state.isOver) return;
  reader.follow(state);
  for (const [test, one] of state.open) {
    const { pid } = one;
    if (pid === undefined || !isOverBudget(budgets?.get(test), one, pid, performance.now())) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
    state.isOver = true;
    state.grace = setTimeout(close, GRACE_MS);
    return;
  }
}

function see({ event, test, file, state: what, pid }, state) {
  if (event === 'test-start') {
    const own = state.pids.get(file);
    state.open.set(test, { file, pid: own, at: performance.now(), work: own === undefined ? undefined : workOf(own) });
  } else if (event === 'test-end') state.open.delete(test);
  else if (event === 'progress' && what === 'file-start') {
    state.pids.set(file, pid);
    state.files.add(file);
  } else if (event === 'progress' && what === 'file-end') state.files.delete(file);
}
