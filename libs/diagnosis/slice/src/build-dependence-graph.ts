// One pass over the rows, oldest first: what every row depends on. A statement's writes count from its end on, so that a function it
// calls still sees what was there before.
import { type DefUseRow, parseLoc, type RawEvent, type ValueText } from '@h/contracts';
import { readBase, readPath } from './apply-reads.ts';
import { applyWrites } from './apply-writes.ts';
import { createBinder } from './bind-names.ts';
import { createGraph, type DependenceGraph, ran, resultOf } from './dependence-graph.ts';
import type { Frame, Pass, UnderWay, Visit } from './dependence-pass.ts';
import { sequenceMismatch } from './errors.ts';
import { isPath, splitPath, valueAfter } from './read-values.ts';
import { createTracker, type ObjectId } from './track-objects.ts';

/**
 * The dependence graph of a stream. Linear in rows, names and edges, but for the inverse Ackermann factor of the regions.
 * Without `events` no value and no identity is known, and every object is compared by the names it is reached through.
 */
export function buildDependenceGraph(rows: readonly DefUseRow[], events: readonly RawEvent[] = []): DependenceGraph {
  const graph = createGraph(rows.length);
  const tracker = createTracker(graph);
  const pass: Pass = {
    rows,
    events,
    graph,
    tracker,
    binder: createBinder(graph),
    frames: new Map(),
    stack: [],
    byRow: new Array(rows.length),
    visits: [],
    unbound: new Map(),
  };
  for (const [index, row] of rows.entries()) {
    if (row.sequence !== index) throw sequenceMismatch('Row', index, row.sequence);
    beginRow(pass, index, row);
  }
  for (const visit of pass.visits) linkLastVisit(pass, visit);
  while (pass.stack.length > 0) endTop(pass);
  for (const frame of pass.frames.values()) linkEnd(pass, frame);
  return graph;
}

const noObjects: readonly ObjectId[] = [];

function beginRow(pass: Pass, index: number, row: DefUseRow): void {
  const known = pass.frames.get(row.frame);
  endRowsBefore(pass, index, row, known);
  const frame = known ?? openFrame(pass, index, row);
  const underWay: UnderWay = {
    row: index,
    frame,
    reads: [],
    received: noObjects,
    results: -1,
    called: false,
    applied: false,
  };
  linkControl(pass, index, row, frame);
  for (const path of row.uses) readPath(pass, underWay, row, path);
  for (const path of row.may_defs) if (!row.uses.includes(path)) readPath(pass, underWay, row, path);
  for (const path of row.defs) if (isPath(path)) readBase(pass, underWay, row, path);
  if (row.role === 'return') linkReturn(pass, underWay);
  else if (mayYield(row, pass.events[index])) noteYield(pass, underWay, row);
  if (row.role === 'branch') frame.lastBranch = index;
  if (!row.completed) frame.lastIncomplete = index;
  frame.last = index;
  pass.stack.push(underWay);
  pass.byRow[index] = underWay;
}

/** Ends what cannot be under way any more as `row` begins. */
function endRowsBefore(pass: Pass, index: number, row: DefUseRow, frame: Frame | undefined): void {
  const caller = frame === undefined && row.role === 'entry' ? row.caller : frame?.last;
  if (caller === undefined) {
    // Called from outside, or through code that is not observed: what is under way may be over, its writes have to be seen.
    for (let at = pass.stack.length - 1; at >= 0 && pass.stack[at]?.applied === false; at -= 1)
      applyWrites(pass, pass.stack[at] as UnderWay);
    return;
  }
  if (pass.byRow[caller] === undefined) {
    if (frame !== undefined) resumeFrame(pass, index, frame);
    return;
  }
  while (pass.stack.length > 0 && pass.stack.at(-1)?.row !== caller) endTop(pass);
  if (frame === undefined) return;
  linkVisits(pass, caller);
  endTop(pass);
}

function openFrame(pass: Pass, index: number, row: DefUseRow): Frame {
  const caller = row.role === 'entry' ? (row.caller ?? -1) : -1;
  const frame: Frame = {
    file: parseLoc(row.location).file,
    function: row.function,
    names: new Map(),
    entry: index,
    caller,
    last: -1,
    lastIncomplete: -1,
    lastBranch: -1,
    returned: false,
    hasResult: false,
    resumed: false,
    gift: pass.graph.fresh(),
    yielded: -1,
    runner: caller,
  };
  pass.frames.set(row.frame, frame);
  if (caller < 0) visit(pass, index, frame);
  const calling = pass.byRow[caller];
  if (caller >= 0) {
    pass.graph.link(ran(index), ran(caller), 'control');
    pass.graph.link(resultOf(index), ran(caller), 'data');
    pass.graph.link(resultOf(caller), frame.gift, 'data');
  }
  if (calling !== undefined) {
    linkVisits(pass, caller);
    calling.called = true;
    // An argument may be what an earlier call of the same statement returned.
    pass.graph.link(ran(index), calling.results, 'data');
    calling.results = pass.graph.both(frame.gift, calling.results);
  }
  return frame;
}

/** Only a generator goes on after the row that ran it, or after another frame's: what it gave before, it yielded. */
function resumeFrame(pass: Pass, index: number, frame: Frame): void {
  frame.resumed = true;
  linkGift(pass, frame);
  pass.graph.link(frame.gift, resultOf(frame.last), 'data');
  frame.gift = pass.graph.fresh();
  frame.yielded = -1;
  visit(pass, index, frame);
  const runner = pass.byRow[frame.runner];
  if (runner === undefined) return;
  // Whichever row under way is told to have resumed it later: this one may have.
  runner.called = true;
  runner.results = pass.graph.both(frame.gift, runner.results);
  pass.graph.link(resultOf(frame.runner), frame.gift, 'data');
  pass.graph.link(ran(index), ran(frame.runner), 'control');
}

function visit(pass: Pass, row: number, frame: Frame): void {
  const under = pass.stack.at(-1)?.row ?? -1;
  frame.runner = under;
  pass.visits.push({ row, frame, under, gift: frame.gift });
}

function linkGift({ graph, rows }: Pass, { gift, yielded, last }: Frame): void {
  graph.link(gift, yielded, 'data');
  if (rows[last]?.role === 'statement') graph.link(gift, resultOf(last), 'data');
}

/**
 * Whether a row may be a `yield`, which no row says: a statement that gives no name a value but the nothing that a `yield` comes to where
 * nobody sends one.
 */
function mayYield(row: DefUseRow, event: RawEvent | undefined): boolean {
  return row.role === 'statement' && row.defs.every((name) => isNothing(valueAfter(row, event, name)));
}

function isNothing(value: ValueText | undefined): boolean {
  return value !== undefined && (value.type === 'NoneType' || value.type === 'undefined');
}

/** What is yielded may be all that the statement that runs the generator gets: of a builtin that consumes it nothing else is seen. */
function noteYield(pass: Pass, { row, frame, reads }: UnderWay, { may_defs }: DefUseRow): void {
  frame.yielded = pass.graph.both(resultOf(row), frame.yielded);
  const touched = new Set(may_defs.map((path) => splitPath(path).base));
  for (const runner of new Set([pass.byRow[frame.runner], pass.byRow[frame.caller]]))
    if (runner !== undefined)
      for (const { name, object } of reads) if (touched.has(name)) receive(pass, runner, object);
}

/** A frame that was entered or resumed by an unknown row since `row` began: `row` may have done it, and may use what it gave back. */
function linkVisits(pass: Pass, row: number): void {
  for (let visit = pass.visits.at(-1); visit !== undefined && visit.row > row; visit = pass.visits.at(-1)) {
    pass.visits.pop();
    pass.graph.link(resultOf(row), resultOf(visit.frame.last), 'data');
    pass.graph.link(resultOf(row), visit.gift, 'data');
    pass.graph.link(ran(visit.row), ran(row), 'control');
    const underWay = pass.byRow[row];
    if (underWay === undefined) continue;
    underWay.called = true;
    underWay.results = pass.graph.both(visit.gift, underWay.results);
  }
}

/**
 * A visit after which no row of the visited frame's caller ran any more: the row then under way may have been that caller, where it was cut short
 * (the run ended in it) or returned what the visit gave back.
 */
function linkLastVisit({ rows, graph, byRow }: Pass, { row, frame, under, gift }: Visit): void {
  const caller = rows[under];
  if (caller === undefined || (caller.completed && caller.role !== 'return')) return;
  graph.link(resultOf(under), resultOf(frame.last), 'data');
  graph.link(resultOf(under), gift, 'data');
  // After a return it is rather the test that called next.
  if (!caller.completed) graph.link(ran(row), ran(under), 'control');
  const underWay = byRow[under];
  if (underWay !== undefined) underWay.called = true;
}

function linkControl({ graph, rows }: Pass, index: number, row: DefUseRow, frame: Frame): void {
  const parent = row.control_parent ?? frame.entry;
  if (parent < index)
    graph.link(ran(index), rows[parent]?.role === 'entry' ? ran(parent) : resultOf(parent), 'control');
  // Had that statement not been cut short, the handler would not have run, or other rows would have come between.
  if (frame.lastIncomplete >= 0) graph.link(ran(index), resultOf(frame.lastIncomplete), 'control');
}

function linkReturn(pass: Pass, { row, frame, reads }: UnderWay): void {
  frame.returned = true;
  const value = pass.events[row]?.payload.return_value;
  if (value === undefined ? pass.rows[row]?.uses.length !== 0 : !isNothing(value)) frame.hasResult = true;
  if (frame.caller < 0) return;
  pass.graph.link(resultOf(frame.caller), resultOf(row), 'data');
  const calling = pass.byRow[frame.caller];
  if (calling === undefined) return;
  calling.results = pass.graph.both(resultOf(row), calling.results);
  for (const { object } of reads) receive(pass, calling, object);
}

function receive({ tracker }: Pass, calling: UnderWay, object: ObjectId): void {
  if (calling.received.includes(object)) return;
  if (calling.received.length < 8) calling.received = [...calling.received, object];
  else tracker.join(calling.received[7] ?? object, object);
}

function endTop(pass: Pass): void {
  const underWay = pass.stack.pop();
  if (underWay === undefined) return;
  pass.byRow[underWay.row] = undefined;
  if (underWay.called) readAgain(pass, underWay);
  if (!underWay.applied) applyWrites(pass, underWay);
}

/** A statement that called may have read an object after the call changed it. */
function readAgain({ tracker, graph }: Pass, { row, reads }: UnderWay): void {
  for (const { object, before } of reads) {
    const now = tracker.changes(object);
    if (now !== before) graph.link(resultOf(row), now, 'data');
  }
}

/** A frame that returned nothing: its caller has its exception, or depends on the way it took to its end. */
function linkEnd(pass: Pass, frame: Frame): void {
  const { graph, rows } = pass;
  if (frame.resumed || !frame.hasResult) linkGift(pass, frame);
  if (frame.caller < 0 || frame.returned) return;
  if (rows[frame.last]?.completed === false) graph.link(resultOf(frame.caller), resultOf(frame.last), 'data');
  else if (frame.lastBranch >= 0) graph.link(resultOf(frame.caller), resultOf(frame.lastBranch), 'control');
}
