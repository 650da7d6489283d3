// One pass over the rows, oldest first: what every row depends on. A statement's writes count from its end on, so that a function it
// calls still sees what was there before.
import type { DefUseLog } from '@h/contracts/def-use-log';
import { readBase, readPath } from './apply-reads.ts';
import { applyWrites } from './apply-writes.ts';
import { control, data, ran, resultOf, type Walk } from './dependence-graph.ts';
import {
  createPass,
  hasCalled,
  hasResult,
  hasReturned,
  hasYielded,
  heightOf,
  isApplied,
  type Pass,
  planOf,
  pushRow,
  wasResumed,
} from './dependence-pass.ts';
import { callerOf, deciderOf, endTop, linkReturn, noteYield } from './end-rows.ts';
import type { StatementPlan, Statements } from './read-statements.ts';
import { linkGift, linkLastVisit, linkVisits, resumeFrame, visit } from './visit-frames.ts';

/**
 * The dependence graph of a log. Linear in rows, names and edges, but for the inverse Ackermann factor of the regions.
 * Where no values are on record no identity is known either, and every object is compared by the names it is reached through.
 */
export function buildDependenceGraph(log: DefUseLog): BuiltGraph {
  const pass = createPass(log);
  let cells = 0;
  for (let row = 0; row < log.size; row += 1) {
    const plan = planOf(pass, row);
    beginRow(pass, row, plan, cells);
    cells += plan.cells;
  }
  for (const each of pass.visits) linkLastVisit(pass, each);
  while (pass.stack.height > 0) endTop(pass);
  for (let frame = 0; frame < pass.statements.functionOfFrame.length; frame += 1) linkEnd(pass, frame);
  const { graph, statements } = pass;
  const { entry } = pass.frames;
  return {
    walk: (isShort) => graph.walk((row) => deciderOf(log, statements, entry, row), isShort),
    statements,
  };
}

export interface BuiltGraph {
  /** `isShort`: as for `walk` of the graph. */
  walk(isShort: boolean): Walk;
  readonly statements: Statements;
}

function beginRow(pass: Pass, row: number, plan: StatementPlan, cells: number): void {
  const { frames, stack, statements, log, graph } = pass;
  const frame = statements.frames[row] as number;
  const isOpen = (frames.entry[frame] as number) >= 0;
  const caller = isOpen || plan.role !== 'entry' ? -1 : callerOf(log, row, cells);
  endRowsBefore(pass, row, isOpen ? (frames.last[frame] as number) : caller, isOpen ? frame : -1);
  if (!isOpen) openFrame(pass, row, frame, caller);
  // Had that statement not been cut short, the handler would not have run, or other rows would have come between.
  const cut = frames.lastIncomplete[frame] as number;
  if (cut >= 0) graph.link(ran(row), resultOf(cut), control);
  const top = pushRow(stack, row, frame, cells);
  for (let at = 0; at < plan.reads.length; at += 1) readPath(pass, plan, at);
  for (const path of plan.slotsSet) readBase(pass, plan, path);
  if (plan.role === 'return') linkReturn(pass, top, plan);
  if (plan.role !== 'return' || plan.yields === true) noteYield(pass, top, plan);
  if (plan.role === 'branch') frames.lastBranch[frame] = row;
  if (log.exception[row] === 1) frames.lastIncomplete[frame] = row;
  frames.last[frame] = row;
}

/** Ends what cannot be under way any more as `row` begins; `frame` -1: it opens one. */
function endRowsBefore(pass: Pass, row: number, caller: number, frame: number): void {
  const { stack } = pass;
  if (caller < 0) {
    // Called from outside, or through code that is not observed: what is under way may be over, its writes have to be seen.
    for (let at = stack.height - 1; at >= 0 && ((stack.marks[at] as number) & isApplied) === 0; at -= 1)
      applyWrites(pass, at);
    return;
  }
  if (heightOf(stack, caller) < 0) {
    if (frame >= 0) resumeFrame(pass, row, frame);
    return;
  }
  while (stack.height > 0 && stack.row[stack.height - 1] !== caller) endTop(pass);
  if (frame < 0) return;
  linkVisits(pass, caller);
  endTop(pass);
}

function openFrame(pass: Pass, row: number, frame: number, caller: number): void {
  const { frames, graph, stack, binder, statements } = pass;
  frames.entry[frame] = row;
  frames.base[frame] = binder.open(frame);
  frames.caller[frame] = caller;
  frames.runner[frame] = caller;
  const gift = graph.fresh();
  frames.gift[frame] = gift;
  const own = statements.functionOfFrame[frame] as number;
  frames.opened[own] = 1;
  if (caller < 0) {
    // A callback that nobody on record called: a later turn of the event loop, which what ran right before may have asked for.
    if (statements.isCallback[own] === true || statements.around[own]?.some((outer) => frames.opened[outer] === 1))
      graph.link(ran(row), resultOf(row - 1), control);
    visit(pass, row, frame);
    return;
  }
  graph.link(ran(row), ran(caller), control);
  graph.link(resultOf(row), ran(caller), data);
  graph.link(resultOf(caller), gift, data);
  const calling = heightOf(stack, caller);
  if (calling < 0) return;
  linkVisits(pass, caller);
  stack.marks[calling] = (stack.marks[calling] as number) | hasCalled;
  // An argument may be what an earlier call of the same statement returned.
  const results = stack.results[calling] as number;
  graph.link(ran(row), results, data);
  stack.results[calling] = graph.both(gift, results);
}

/** A frame that returned nothing: its caller has its exception, or depends on the way it took to its end. */
function linkEnd(pass: Pass, frame: number): void {
  const { graph, log, frames } = pass;
  const marks = frames.marks[frame] as number;
  if ((marks & (wasResumed | hasYielded)) !== 0 || (marks & hasResult) === 0) linkGift(pass, frame);
  const caller = frames.caller[frame] as number;
  if (caller < 0 || (marks & hasReturned) !== 0) return;
  const [last, branch] = [frames.last[frame] as number, frames.lastBranch[frame] as number];
  if (log.exception[last] === 1) graph.link(resultOf(caller), resultOf(last), data);
  else if (branch >= 0) graph.link(resultOf(caller), resultOf(branch), control);
}
