// What a statement wrote, once it has ended: names bound, slots set, objects that may have changed.
import type { ValueText } from '@h/contracts';
import type { Pass, UnderWay } from './build-dependence-graph.ts';
import { resultOf } from './dependence-graph.ts';
import { isPath, isPrimitive, slotText, splitPath, valueAfter, wholeText } from './read-values.ts';
import type { ObjectId } from './track-objects.ts';

export function applyWrites(pass: Pass, underWay: UnderWay): void {
  underWay.applied = true;
  const row = pass.rows[underWay.row];
  if (row === undefined) return;
  const sources = sourcesOf(pass, underWay, row.role === 'entry');
  const changed = row.may_defs.filter((path) => changeObject(pass, underWay, path));
  if (changed.length > 0) joinAll(pass, [...sources]);
  for (const path of row.defs) {
    if (isPath(path)) setSlot(pass, underWay, path, sources);
    else bindName(pass, underWay, path, sources);
  }
}

/** Objects that what the row wrote may come from or hold. */
function sourcesOf(pass: Pass, { frame, reads, received }: UnderWay, isEntry: boolean): ObjectId[] {
  const calling = isEntry ? pass.byRow[frame.caller] : undefined;
  const all = calling === undefined ? reads : [...reads, ...calling.reads];
  return [...all.map(({ object }) => object), ...received, ...(calling?.received ?? [])];
}

/** Records that the object may have changed; false where its whole text is on record and did not. */
function changeObject({ events, tracker, graph }: Pass, { row, reads }: UnderWay, path: string): boolean {
  const { base, slots } = splitPath(path);
  const object = reads.find(({ name }) => name === base)?.object;
  if (object === undefined) return false;
  const slot = slots?.join('.') ?? '';
  const value = valueAfter(events[row], base);
  const text = value && (slot === '' ? wholeText(value) : slotText(value, slots ?? []));
  const cell = tracker.cellOf(object, slot);
  if (text !== undefined && cell?.text === text) return false;
  tracker.addChange(object, resultOf(row));
  tracker.write(object, slot, { text, node: graph.both(resultOf(row), cell?.node ?? -1) });
  return true;
}

/** `self.total = …`: sure of the slot, where the slot is not computed. */
function setSlot({ events, tracker, graph }: Pass, { row, reads }: UnderWay, path: string, sources: ObjectId[]): void {
  const { base, slots } = splitPath(path);
  const object = reads.find(({ name }) => name === base)?.object;
  if (object === undefined) return;
  const value = valueAfter(events[row], base);
  const text = value && (slots === undefined ? wholeText(value) : slotText(value, slots));
  const slot = slots?.join('.') ?? '';
  const sure = slots !== undefined && text !== undefined;
  const earlier = sure ? -1 : (tracker.cellOf(object, slot)?.node ?? -1);
  tracker.addChange(object, resultOf(row));
  if (slots === undefined || text === undefined || /[[{(]/.test(text))
    for (const source of sources) tracker.join(object, source);
  tracker.write(object, slot, { text, node: graph.both(resultOf(row), earlier) });
}

function bindName(pass: Pass, underWay: UnderWay, name: string, sources: ObjectId[]): void {
  const value = valueAfter(pass.events[underWay.row], name);
  const object = value !== undefined && isPrimitive(value) ? -1 : objectOf(pass, underWay, value, sources);
  pass.binder.bind(underWay.frame, name, { row: underWay.row, value, object });
}

function objectOf(pass: Pass, { row }: UnderWay, value: ValueText | undefined, sources: ObjectId[]): ObjectId {
  const { tracker, graph } = pass;
  const met = value?.ref === undefined ? { object: tracker.fresh(), known: false } : tracker.ofRef(value.ref);
  if (met.known) return met.object;
  for (const source of sources) tracker.join(met.object, source);
  const text = value && wholeText(value);
  if (text !== undefined)
    tracker.write(met.object, '', { text, node: graph.both(resultOf(row), tracker.changes(met.object)) });
  return met.object;
}

function joinAll({ tracker }: Pass, objects: readonly ObjectId[]): void {
  for (const object of objects.slice(1)) tracker.join(objects[0] ?? object, object);
}
