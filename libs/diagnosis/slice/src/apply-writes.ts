// What a statement wrote, once it has ended: names bound, slots set, objects that may have changed.
import type { DefUseRow, ValueText } from '@h/contracts';
import { resultOf } from './dependence-graph.ts';
import type { Pass, UnderWay } from './dependence-pass.ts';
import { isPath, isPrimitive, slotText, splitPath, valueAfter, wholeText } from './read-values.ts';
import type { ObjectId } from './track-objects.ts';

export function applyWrites(pass: Pass, underWay: UnderWay): void {
  underWay.applied = true;
  const row = pass.rows[underWay.row];
  if (row === undefined) return;
  const sources = sourcesOf(pass, underWay, row.role === 'entry');
  const changed = row.may_defs.filter((path) => changeObject(pass, underWay, row, path));
  if (changed.length > 0) joinAll(pass, [...sources]);
  for (const path of row.defs) {
    if (isPath(path)) setSlot(pass, underWay, row, path, sources);
    else bindName(pass, underWay, row, path, sources);
  }
}

/** Objects that what the row wrote may come from or hold. */
function sourcesOf(pass: Pass, { frame, reads, received }: UnderWay, isEntry: boolean): ObjectId[] {
  const calling = isEntry ? pass.byRow[frame.caller] : undefined;
  const all = calling === undefined ? reads : [...reads, ...calling.reads];
  return [...all.map(({ object }) => object), ...received, ...(calling?.received ?? [])];
}

/** Records that the object may have changed; false where its whole text is on record and did not. */
function changeObject({ events, tracker, graph }: Pass, { reads }: UnderWay, row: DefUseRow, path: string): boolean {
  const { base, slots } = splitPath(path);
  const object = reads.find(({ name }) => name === base)?.object;
  if (object === undefined) return false;
  const slot = slots?.join('.') ?? '';
  const value = valueAfter(row, events[row.sequence], base);
  const text = value && (slot === '' ? wholeText(value) : slotText(value, slots ?? []));
  const cell = tracker.cellOf(object, slot);
  if (text !== undefined && cell?.text === text) return false;
  const node = resultOf(row.sequence);
  tracker.addChange(object, node);
  tracker.write(object, slot, { text, node: graph.both(node, cell?.node ?? -1) });
  return true;
}

/** `self.total = …`: sure of the slot, where the slot is not computed. */
function setSlot(
  { events, tracker, graph }: Pass,
  { reads }: UnderWay,
  row: DefUseRow,
  path: string,
  sources: ObjectId[],
): void {
  const { base, slots } = splitPath(path);
  const object = reads.find(({ name }) => name === base)?.object;
  if (object === undefined) return;
  const value = valueAfter(row, events[row.sequence], base);
  const text = value && (slots === undefined ? wholeText(value) : slotText(value, slots));
  const slot = slots?.join('.') ?? '';
  const sure = slots !== undefined && text !== undefined && row.completed;
  const earlier = sure ? -1 : (tracker.cellOf(object, slot)?.node ?? -1);
  const node = resultOf(row.sequence);
  tracker.addChange(object, node);
  if (slots === undefined || text === undefined || /[[{(]/.test(text))
    for (const source of sources) tracker.join(object, source);
  tracker.write(object, slot, { text, node: graph.both(node, earlier) });
}

/** A statement that was cut short may or may not have bound the name. */
function bindName(pass: Pass, underWay: UnderWay, row: DefUseRow, name: string, sources: ObjectId[]): void {
  const { frame } = underWay;
  const value = valueAfter(row, pass.events[row.sequence], name);
  const earlier = row.completed ? undefined : frame.names.get(name);
  const object = value !== undefined && isPrimitive(value) ? -1 : objectOf(pass, row.sequence, value, sources);
  if (earlier !== undefined) {
    pass.graph.link(resultOf(row.sequence), resultOf(earlier.row), 'data');
    if (object >= 0 && earlier.object >= 0) pass.tracker.join(object, earlier.object);
  }
  pass.binder.bind(frame, name, { row: row.sequence, value, object });
}

function objectOf(pass: Pass, row: number, value: ValueText | undefined, sources: ObjectId[]): ObjectId {
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
