// What a statement read, as it began: names, slots, whole objects.
import type { DefUseRow, RawEvent, ValueText } from '@h/contracts';
import { ran } from './dependence-graph.ts';
import type { Frame, Pass, UnderWay } from './dependence-pass.ts';
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
import type { ObjectId } from './track-objects.ts';

/** Row `row` reads `path`: the binding of its first name, and whatever changed what is read. */
export function readPath(pass: Pass, underWay: UnderWay, row: DefUseRow, path: string): void {
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
export function readBase(pass: Pass, underWay: UnderWay, row: DefUseRow, path: string): ObjectId {
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
