// What a statement wrote, once it has ended: names bound, slots set, objects that may have changed.
import { data, resultOf } from './dependence-graph.ts';
import {
  afterOf,
  endOfReads,
  heightOf,
  isApplied,
  mostReceived,
  objectRead,
  type Pass,
  planOf,
} from './dependence-pass.ts';
import type { NamePath, StatementPlan } from './read-statements.ts';

/** Applies the writes of the row at that height. */
export function applyWrites(pass: Pass, at: number): void {
  const { stack, frames } = pass;
  stack.marks[at] = (stack.marks[at] as number) | isApplied;
  const plan = planOf(pass, stack.row[at] as number);
  if (plan.mays.length === 0 && plan.defs.length === 0) return;
  const caller = plan.role === 'entry' ? heightOf(stack, frames.caller[stack.frame[at] as number] as number) : -1;
  let isChanged = false;
  for (const path of plan.mays) if (changeObject(pass, at, plan, path)) isChanged = true;
  if (isChanged) joinSources(pass, at, caller);
  for (const path of plan.defs) {
    if (path.isName) bindName(pass, at, plan, path, caller);
    else setSlot(pass, at, plan, path, caller);
  }
}

/** Objects that what the row wrote may come from or hold: what it and, for an entry, the calling row read and were handed back. */
function eachSource(pass: Pass, at: number, caller: number, visit: (object: number) => void): void {
  eachRead(pass, at, visit);
  if (caller >= 0) eachRead(pass, caller, visit);
  eachReceived(pass, at, visit);
  if (caller >= 0) eachReceived(pass, caller, visit);
}

function eachRead({ stack }: Pass, at: number, visit: (object: number) => void): void {
  const end = endOfReads(stack, at);
  for (let read = stack.reads[at] as number; read < end; read += 1) visit(stack.readObject[read] as number);
}

function eachReceived({ stack }: Pass, at: number, visit: (object: number) => void): void {
  const count = stack.receivedCount[at] as number;
  for (let each = 0; each < count; each += 1) visit(stack.received[at * mostReceived + each] as number);
}

function joinSources(pass: Pass, at: number, caller: number): void {
  let first = -1;
  eachSource(pass, at, caller, (object) => {
    if (first < 0) first = object;
    else pass.tracker.join(first, object);
  });
}

function joinWith(pass: Pass, at: number, caller: number, object: number): void {
  eachSource(pass, at, caller, (source) => pass.tracker.join(object, source));
}

/** Records that the object may have changed; false where its whole text is on record and did not. */
function changeObject(pass: Pass, at: number, plan: StatementPlan, { local, name, slot }: NamePath): boolean {
  const { stack, tracker, graph, values } = pass;
  const object = objectRead(stack, at, local);
  if (object < 0) return false;
  const value = afterOf(pass, at, plan, name);
  const text = slot === 0 ? values.wholeText(value) : values.slotText(value, slot);
  if (text > 0 && tracker.textOf(object, slot) === text) return false;
  const earlier = tracker.nodeOf(object, slot);
  const node = resultOf(stack.row[at] as number);
  tracker.addChange(object, node);
  tracker.write(object, slot, text, graph.both(node, earlier));
  return true;
}

/** `self.total = …`: sure of the slot, where the slot is not computed. */
function setSlot(pass: Pass, at: number, plan: StatementPlan, path: NamePath, caller: number): void {
  const { stack, tracker, graph, values, log } = pass;
  const { local, name, slot, isComputed } = path;
  const object = objectRead(stack, at, local);
  if (object < 0) return;
  const row = stack.row[at] as number;
  const value = afterOf(pass, at, plan, name);
  const text = isComputed ? values.wholeText(value) : values.slotText(value, slot);
  const isSure = !isComputed && text > 0 && log.exception[row] === 0;
  const earlier = isSure ? -1 : tracker.nodeOf(object, slot);
  const node = resultOf(row);
  tracker.addChange(object, node);
  if (isComputed || text === 0 || values.hasBracket(text)) joinWith(pass, at, caller, object);
  tracker.write(object, slot, text, graph.both(node, earlier));
}

/** A statement that was cut short may or may not have bound the name. */
function bindName(pass: Pass, at: number, plan: StatementPlan, { local, name }: NamePath, caller: number): void {
  const { stack, graph, tracker, binder, values, log, frames, statements } = pass;
  const row = stack.row[at] as number;
  const frame = stack.frame[at] as number;
  const slot = (frames.base[frame] as number) + local;
  const value = afterOf(pass, at, plan, name);
  const object = values.isPrimitive(value) ? -1 : objectOf(pass, at, value, caller);
  const variable = (statements.firstVariable[plan.function] as number) + local;
  let node = resultOf(row);
  if (log.exception[row] === 1) {
    node = graph.fresh();
    graph.link(node, resultOf(row), data);
    binder.use(slot, variable, node, 0);
    const { first, others } = binder.found;
    if (object >= 0 && first >= 0) tracker.join(object, first);
    if (object >= 0) for (const other of others) tracker.join(object, other);
  }
  binder.bind(slot, variable, { frame, row, node, value, object });
}

function objectOf(pass: Pass, at: number, value: number, caller: number): number {
  const { stack, tracker, graph, values } = pass;
  const ref = values.refOf(value);
  if (ref >= 0 && tracker.knows(ref)) return tracker.ofRef(ref);
  const object = ref < 0 ? tracker.fresh() : tracker.ofRef(ref);
  joinWith(pass, at, caller, object);
  const text = values.wholeText(value);
  if (text > 0) tracker.write(object, 0, text, graph.both(resultOf(stack.row[at] as number), tracker.changes(object)));
  return object;
}
