// Whether a difference says that the two runs went different ways, or only that they began with different values.
import type { DefUseRow, ObservedRun } from '@h/contracts';
import type { Moment } from './carried-inputs.ts';
import { isPath, splitPath } from './read-values.ts';
import { type Here, isEqualPair, type Pair, readPair } from './value-pairs.ts';

/**
 * - `decision`: a branch that went another way, an exception, a truth value, nothing in place of something. What a program decides is what the
 *   passing test may rely on. How many items a loop over a collection takes is none where that collection differs.
 * - `unexplained`: a value that differs though all that the statement read is recorded and equal.
 * - `derived`: everything else. Two tests that hand in different values differ there, rightly or not.
 */
export type Weight = 'decision' | 'unexplained' | 'derived';

interface Runs {
  readonly run: ObservedRun;
  readonly other: ObservedRun;
}

export function weighDifference(runs: Runs, here: Here, { value, otherValue }: Pair, moment: Moment): Weight {
  const { run, other } = runs;
  const [row, otherRow] = [run.rows[here.sequence], other.rows[here.otherSequence]];
  if (row === undefined || otherRow === undefined || moment === 'before') return 'derived';
  if (moment === 'raise') return 'decision';
  const isKnown = row.role === 'entry' ? isCallKnown(runs, row, otherRow) : !readsDifferent(runs, row, here);
  if (moment === 'branch') return !isKnown && (takesItem(row) || takesItem(otherRow)) ? 'derived' : 'decision';
  if (row.role !== 'entry' && isDecision({ value, otherValue })) return 'decision';
  return isKnown ? 'unexplained' : 'derived';
}

const truths = new Set(['bool', 'boolean']);
const nothings = new Set(['NoneType', 'null', 'undefined']);

function isDecision({ value, otherValue }: Pair): boolean {
  if (truths.has(value.type) && truths.has(otherValue.type)) return true;
  return nothings.has(value.type) !== nothings.has(otherValue.type);
}

/** A loop over items binds one as it turns. */
function takesItem({ role, defs }: DefUseRow): boolean {
  return role === 'branch' && defs.some((path) => !isPath(path));
}

/** Whether something the statement read differs, or may differ behind the cut of its text; what is not recorded is no data. */
function readsDifferent(runs: Runs, { uses, may_defs }: DefUseRow, here: Here): boolean {
  const names = new Set([...uses, ...may_defs].map((path) => splitPath(path).base));
  return [...names].some((name) => {
    const pair = readPair(runs, here, name, 'before');
    return pair !== undefined && (!isEqualPair(pair) || pair.value.truncated);
  });
}

/** Whether the calling statements are observed and read the same. */
function isCallKnown(runs: Runs, { caller }: DefUseRow, { caller: otherCaller }: DefUseRow): boolean {
  const calling = caller === undefined ? undefined : runs.run.rows[caller];
  if (calling === undefined || otherCaller === undefined) return false;
  return !readsDifferent(runs, calling, { sequence: calling.sequence, otherSequence: otherCaller });
}
