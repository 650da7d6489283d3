// How long a test of a candidate may take: processor time, measured by what the tests took before the candidate. A limit by the clock would
// have to be long, since the machine may be busy; a candidate that never ends would cost all of it. What a test took before says nothing of
// how long it takes once it is mended: a candidate that reaches a limit has no report, and is run alone.
import { readFileSync } from 'node:fs';

const FLOOR_MS = 20;
const TIMES = 5;
/** Times the longest test of the file that passes. */
const OF_LONGEST = 2;
/** For what waits instead of working. */
const WALL_FLOOR_MS = 1000;
const WALL_TIMES = 20;

/** Milliseconds of processor time, and of any time, by test. */
export function budgetsOf({ durations }, longestMs, factor) {
  const budgets = new Map();
  for (const [test, { ms, outcome }] of durations) {
    const taken = outcome === 'timeout' ? longestMs : ms; // how long a test takes that has never ended nobody knows
    const least = OF_LONGEST * longestMs;
    budgets.set(test, {
      work: Math.max(FLOOR_MS + TIMES * taken, least) * factor,
      wall: Math.max(WALL_FLOOR_MS + WALL_TIMES * taken, least) * factor,
    });
  }
  return budgets;
}

/** Milliseconds that the first thread of a process has worked, which is where tests run; undefined where the system does not say. */
export function workOf(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Whether a test has used all that it may. `began` is when it was seen to begin, and what its process had worked then. */
export function isOverBudget(budget, began, pid, now) {
  if (budget === undefined) return false;
  const work = workOf(pid);
  const used = work === undefined || began.work === undefined ? 0 : work - began.work;
  return used > budget.work || now - began.at > budget.wall;
}
