// What a statement read, as it began: names, slots, whole objects.
import { data, ran } from './dependence-graph.ts';
import { addRead, afterOf, objectRead, type Pass } from './dependence-pass.ts';
import type { NamePath, StatementPlan } from './read-statements.ts';

/** The row on top reads `plan.reads[at]`: the binding of its first name, and whatever changed what is read. */
export function readPath(pass: Pass, plan: StatementPlan, at: number): void {
  const path = plan.reads[at] as NamePath;
  const object = readBase(pass, plan, path);
  if (object < 0) return;
  const { stack, tracker, values, graph } = pass;
  const top = stack.height - 1;
  const value = beforeOf(pass, plan, path.name);
  const from = ran(stack.row[top] as number);
  if (path.slot === 0) {
    if (plan.mayOnlyHold[at] === true && isOnlyHolder(pass, plan, value)) return;
    const text = values.wholeText(value);
    graph.link(from, tracker.read(object, 0, text, values.isAlone(value, text, 1)), data);
    return;
  }
  for (const slot of path.outer) graph.link(from, tracker.nodeOf(object, slot), data);
  const text = values.slotText(value, path.slot);
  graph.link(from, tracker.read(object, path.slot, text, values.isAlone(value, text, 0)), data);
}

/** Value number of a name of the row on top as it began. */
function beforeOf({ log, stack }: Pass, plan: StatementPlan, name: number): number {
  return log.heap[(stack.cells[stack.height - 1] as number) + plan.leading + 2 * name] as number;
}

/** Whether the name stands in the row only because one of its slots is read: `self` in `x = self.total`, not in `x = self if self.total else y`. */
function isOnlyHolder(pass: Pass, plan: StatementPlan, held: number): boolean {
  const { log, stack } = pass;
  const top = stack.height - 1;
  for (const name of plan.bound) if (!isOther(pass, afterOf(pass, top, plan, name), held)) return false;
  return plan.role !== 'return' || isOther(pass, log.heap[stack.cells[top] as number] as number, held);
}

/** Whether a recorded outcome is certainly not the object that is held. */
function isOther({ values }: Pass, value: number, held: number): boolean {
  return value > 0 && (values.isPrimitive(value) || (held > 0 && !values.maySame(value, held)));
}

/** The object behind the first name of a path; -1: a primitive. */
export function readBase(pass: Pass, plan: StatementPlan, { name, local }: NamePath): number {
  const { stack, values, binder, tracker, statements, frames } = pass;
  const top = stack.height - 1;
  const known = objectRead(stack, top, local);
  if (known >= 0) return known;
  const value = beforeOf(pass, plan, name);
  const slot = (frames.base[stack.frame[top] as number] as number) + local;
  const variable = (statements.firstVariable[plan.function] as number) + local;
  binder.use(slot, variable, ran(stack.row[top] as number), value);
  if (values.isPrimitive(value)) return -1;
  const { count, first, others } = binder.found;
  const ref = values.refOf(value);
  if (first < 0 && count > 0 && ref < 0) return -1;
  const bound = first < 0 ? unboundObject(pass, variable) : first;
  const object = ref < 0 ? bound : tracker.ofRef(ref);
  tracker.join(object, bound);
  for (const other of others) tracker.join(object, other);
  addRead(stack, local, object, tracker.changes(object));
  return object;
}

function unboundObject({ unbound, tracker, statements }: Pass, variable: number): number {
  const name = statements.variables[variable]?.name ?? 0;
  const known = unbound[name] as number;
  if (known >= 0) return known;
  const object = tracker.fresh();
  unbound[name] = object;
  return object;
}
