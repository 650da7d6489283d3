// What a row hands back to the row that called it, and what is left to do as a row ends.
import type { DefUseLog } from '@h/contracts/def-use-log';
import { applyWrites } from './apply-writes.ts';
import { control, data, ran, resultOf } from './dependence-graph.ts';
import {
  afterOf,
  endOfReads,
  hasCalled,
  hasResult,
  hasReturned,
  hasYielded,
  heightOf,
  isApplied,
  mostReceived,
  type Pass,
  planOf,
} from './dependence-pass.ts';
import type { StatementPlan, Statements } from './read-statements.ts';

/** The row that an entry names as its caller; -1: unknown, also where it is not before it. */
export function callerOf({ heap }: DefUseLog, entry: number, cells: number): number {
  const caller = (heap[cells] as number) - 1;
  return caller < entry ? caller : -1;
}

/** The branch or entry that decided that a row ran; where none is named, the entry of its frame. */
export function deciderOf(log: DefUseLog, statements: Statements, entries: Int32Array, row: number): number {
  const given = (log.control_parent[row] as number) - 1;
  const parent = given < 0 ? (entries[statements.frames[row] as number] as number) : given;
  if (parent >= row) return -1;
  return statements.isEntry[statements.statement[parent] as number] === 1 ? ran(parent) : resultOf(parent);
}

/** A return as it begins: what the calling row gets. */
export function linkReturn(pass: Pass, at: number, plan: StatementPlan): void {
  const { stack, frames, graph, log, values } = pass;
  const row = stack.row[at] as number;
  const frame = stack.frame[at] as number;
  const value = log.heap[stack.cells[at] as number] as number;
  const isResult = value === 0 ? plan.uses > 0 : !values.isNothing(value);
  frames.marks[frame] = (frames.marks[frame] as number) | hasReturned | (isResult ? hasResult : 0);
  const caller = frames.caller[frame] as number;
  if (caller < 0) return;
  const isLost = isEndOfGenerator(pass, frame, caller);
  linkReturned(pass, caller, row, isLost);
  const calling = heightOf(stack, caller);
  if (calling < 0 || isLost) return;
  stack.results[calling] = graph.both(resultOf(row), stack.results[calling] as number);
  const end = endOfReads(stack, at);
  for (let read = stack.reads[at] as number; read < end; read += 1)
    receive(pass, calling, stack.readObject[read] as number);
}

/** That a generator ended is what a loop over it, or a builtin that takes all, is told; with what is told only to who yields from it. */
export function linkReturned(
  { graph, log, statements, frames }: Pass,
  caller: number,
  row: number,
  isLost: boolean,
): void {
  if (isLost) graph.link(resultOf(caller), deciderOf(log, statements, frames.entry, row), control);
  else graph.link(resultOf(caller), resultOf(row), data);
}

/** Whether a return of the frame ends a generator that the row only runs. */
export function isEndOfGenerator(pass: Pass, frame: number, caller: number): boolean {
  return ((pass.frames.marks[frame] as number) & hasYielded) !== 0 && planOf(pass, caller).yields === false;
}

/** What is yielded may be all that the statement that runs the generator gets: of a builtin that consumes it nothing else is seen. */
export function noteYield(pass: Pass, at: number, plan: StatementPlan): void {
  if (!mayYield(pass, at, plan)) return;
  const { stack, frames, graph } = pass;
  const frame = stack.frame[at] as number;
  frames.yielded[frame] = graph.both(resultOf(stack.row[at] as number), frames.yielded[frame] as number);
  if (plan.yields === true) frames.marks[frame] = (frames.marks[frame] as number) | hasYielded;
  if (plan.mays.length === 0) return;
  const runner = heightOf(stack, frames.runner[frame] as number);
  const caller = heightOf(stack, frames.caller[frame] as number);
  const end = endOfReads(stack, at);
  for (let read = stack.reads[at] as number; read < end; read += 1) {
    const local = stack.readLocal[read] as number;
    if (!mayChange(plan, local)) continue;
    const object = stack.readObject[read] as number;
    if (runner >= 0) receive(pass, runner, object);
    if (caller >= 0 && caller !== runner) receive(pass, caller, object);
  }
}

/**
 * Whether a row may be a `yield`: it says so, or it does not say and is a statement that gives no name a value but the nothing that a
 * `yield` comes to where nobody sends one.
 */
function mayYield(pass: Pass, at: number, plan: StatementPlan): boolean {
  if (plan.yields !== undefined) return plan.yields;
  if (plan.role !== 'statement') return false;
  for (const path of plan.defs)
    if (!path.isName || !pass.values.isNothing(afterOf(pass, at, plan, path.name))) return false;
  return true;
}

function mayChange({ mays }: StatementPlan, local: number): boolean {
  for (const path of mays) if (path.local === local) return true;
  return false;
}

function receive({ tracker, stack }: Pass, at: number, object: number): void {
  const first = at * mostReceived;
  const count = stack.receivedCount[at] as number;
  for (let each = 0; each < count; each += 1) if (stack.received[first + each] === object) return;
  if (count === mostReceived) {
    tracker.join(stack.received[first + count - 1] as number, object);
    return;
  }
  stack.received[first + count] = object;
  stack.receivedCount[at] = count + 1;
}

/** Ends the innermost row under way. */
export function endTop(pass: Pass): void {
  const { stack } = pass;
  const top = stack.height - 1;
  const marks = stack.marks[top] as number;
  if ((marks & hasCalled) !== 0) readAgain(pass, top);
  if ((marks & isApplied) === 0) applyWrites(pass, top);
  stack.readCount = stack.reads[top] as number;
  stack.height = top;
}

/** A statement that called may have read an object after the call changed it. */
function readAgain({ tracker, graph, stack }: Pass, at: number): void {
  const end = endOfReads(stack, at);
  for (let read = stack.reads[at] as number; read < end; read += 1) {
    const now = tracker.changes(stack.readObject[read] as number);
    if (now !== stack.readBefore[read]) graph.link(resultOf(stack.row[at] as number), now, data);
  }
}
