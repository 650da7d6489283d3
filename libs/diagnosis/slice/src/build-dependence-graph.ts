// One pass over the rows, oldest first: what every row depends on. A statement's writes count from its end on, so that a function it
// calls still sees what was there before.
import type { DefUseRow, RawEvent, ValueText } from '@h/contracts';
import { applyWrites } from './apply-writes.ts';
import { createBinder, type NameBinder, type Scope } from './bind-names.ts';
import { createGraph, type DependenceGraph, ran, resultOf } from './dependence-graph.ts';
import { sequenceMismatch } from './errors.ts';
import {
  isPath,
  isPrimitive,
  maySame,
  quoted,
  slotText,
  splitPath,
  valueAfter,
  valueBefore,
  wholeText,
} from './read-values.ts';
import { createTracker, type ObjectId, type ObjectTracker } from './track-objects.ts';

export interface Frame extends Scope {
  readonly entry: number;
  /** Row under way in the calling frame; -1: unknown. */
  readonly caller: number;
  last: number;
  lastIncomplete: number;
  lastBranch: number;
  returned: boolean;
}

export interface Read {
  /** The name it is reached through. */
  readonly name: string;
  readonly object: ObjectId;
  /** Node of what had changed it as the row began. */
  readonly before: number;
}

/** A row that has begun and is not known to have ended. */
export interface UnderWay {
  readonly row: number;
  readonly frame: Frame;
  /** Objects it reads. */
  readonly reads: Read[];
  /** Objects that the functions it called handed back; of many the last stands for the rest, which it is joined with. */
  received: readonly ObjectId[];
  /** Node of what the functions it called have returned so far. */
  results: number;
  called: boolean;
  applied: boolean;
}

export interface Pass {
  readonly rows: readonly DefUseRow[];
  readonly events: readonly RawEvent[];
  readonly graph: DependenceGraph;
  readonly tracker: ObjectTracker;
  readonly binder: NameBinder;
  readonly frames: Map<number, Frame>;
  /** Innermost last. */
  readonly stack: UnderWay[];
  /** The same by row. */
  readonly byRow: (UnderWay | undefined)[];
  /** Where a frame was entered or resumed by an unknown row, oldest first. */
  readonly visits: { readonly row: number; readonly frame: Frame }[];
  /** Objects behind names that no row bound, by file and name. */
  readonly unbound: Map<string, ObjectId>;
}

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
    if (frame !== undefined) pass.visits.push({ row: index, frame });
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
    file: row.location.slice(0, row.location.lastIndexOf(':')),
    function: row.function,
    names: new Map(),
    entry: index,
    caller,
    last: -1,
    lastIncomplete: -1,
    lastBranch: -1,
    returned: false,
  };
  pass.frames.set(row.frame, frame);
  if (caller < 0) pass.visits.push({ row: index, frame });
  const calling = pass.byRow[caller];
  if (caller >= 0) {
    pass.graph.link(ran(index), ran(caller), 'control');
    pass.graph.link(resultOf(index), ran(caller), 'data');
  }
  if (calling !== undefined) {
    calling.called = true;
    // An argument may be what an earlier call of the same statement returned.
    pass.graph.link(ran(index), calling.results, 'data');
  }
  return frame;
}

/** A frame that was entered or resumed by an unknown row since `row` began: `row` may have done it, and may use what it gave back. */
function linkVisits(pass: Pass, row: number): void {
  for (let visit = pass.visits.at(-1); visit !== undefined && visit.row > row; visit = pass.visits.at(-1)) {
    pass.visits.pop();
    pass.graph.link(resultOf(row), resultOf(visit.frame.last), 'data');
    pass.graph.link(ran(visit.row), ran(row), 'control');
    const underWay = pass.byRow[row];
    if (underWay !== undefined) underWay.called = true;
  }
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

/** Row `row` reads `path`: the binding of its first name, and whatever changed what is read. */
function readPath(pass: Pass, underWay: UnderWay, row: DefUseRow, path: string): void {
  const { base, slots } = splitPath(path);
  const object = readBase(pass, underWay, row, path);
  if (object < 0) return;
  const value = valueBefore(row, pass.events[underWay.row], base);
  const from = ran(underWay.row);
  if (slots === undefined || slots.length === 0) {
    if (slots !== undefined && isOnlyHolder(row, pass.events[underWay.row], base)) return;
    const text = value && wholeText(value);
    pass.graph.link(from, pass.tracker.read(object, '', text, isAlone(value, text, 1)), 'data');
    return;
  }
  for (let depth = 1; depth < slots.length; depth += 1)
    pass.graph.link(from, pass.tracker.cellOf(object, slots.slice(0, depth).join('.'))?.node ?? -1, 'data');
  const text = value && slotText(value, slots);
  pass.graph.link(from, pass.tracker.read(object, slots.join('.'), text, isAlone(value, text, 0)), 'data');
}

/** Whether the object has a serial and the text holds no more than `brackets` containers: nothing in it has another name. */
function isAlone(value: ValueText | undefined, text: string | undefined, brackets: number): boolean {
  return value?.ref !== undefined && (text?.replace(quoted, '').match(/[[{(]/g)?.length ?? 0) <= brackets;
}

/** Whether the name stands in the row only because one of its slots is read: `self` in `x = self.total`, not in `x = self if self.total else y`. */
function isOnlyHolder(row: DefUseRow, event: RawEvent | undefined, base: string): boolean {
  if (row.may_defs.includes(base) || !row.uses.some((path) => isPath(path) && splitPath(path).base === base))
    return false;
  const held = valueBefore(row, event, base);
  const outcomes = row.defs
    .filter((path) => splitPath(path).slots?.length === 0)
    .map((name) => valueAfter(row, event, name));
  if (row.role === 'return') outcomes.push(event?.payload.return_value);
  return outcomes.every(
    (value) => value !== undefined && (isPrimitive(value) || (held !== undefined && !maySame(value, held))),
  );
}

/** The object behind the first name of a path; -1: a primitive. */
function readBase(pass: Pass, underWay: UnderWay, row: DefUseRow, path: string): ObjectId {
  const { base } = splitPath(path);
  for (const read of underWay.reads) if (read.name === base) return read.object;
  const value = valueBefore(row, pass.events[underWay.row], base);
  const bindings = pass.binder.use(underWay.row, underWay.frame, base, value);
  if (value !== undefined && isPrimitive(value)) return -1;
  const bound = bindings.map(({ object }) => object).filter((object) => object >= 0);
  if (bound.length === 0 && bindings.length > 0 && value?.ref === undefined) return -1;
  if (bound.length === 0) bound.push(unboundObject(pass, underWay.frame, base));
  const object = value?.ref === undefined ? (bound[0] ?? -1) : pass.tracker.ofRef(value.ref).object;
  for (const other of bound) pass.tracker.join(object, other);
  underWay.reads.push({ name: base, object, before: pass.tracker.changes(object) });
  return object;
}

function unboundObject({ unbound, tracker }: Pass, { file }: Frame, name: string): ObjectId {
  const key = `${file}|${name}`;
  const object = unbound.get(key) ?? tracker.fresh();
  unbound.set(key, object);
  return object;
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
function linkEnd({ graph, rows }: Pass, frame: Frame): void {
  const caller = rows[frame.caller];
  if (caller === undefined || frame.returned) return;
  if (rows[frame.last]?.completed === false) graph.link(resultOf(frame.caller), resultOf(frame.last), 'data');
  else if (frame.lastBranch >= 0 && (caller.role !== 'statement' || caller.defs.length > 0))
    graph.link(resultOf(frame.caller), resultOf(frame.lastBranch), 'control');
}
