// What a row and its event say of a value: before, after, and whether the text shows all of it.
import type { DefUseRow, RawEvent, ValueText } from '@h/contracts';

const primitives = new Set([
  ...['int', 'float', 'complex', 'bool', 'str', 'bytes', 'NoneType'],
  ...['number', 'string', 'boolean', 'bigint', 'undefined', 'null', 'symbol'],
]);

/** Whether a value of this type can never be changed in place. */
export function isPrimitive(value: ValueText): boolean {
  return value.ref === undefined && primitives.has(value.type);
}

/** The value of a name as the statement began; undefined: not recorded, or recorded only after a write. */
export function valueBefore(row: DefUseRow, event: RawEvent | undefined, name: string): ValueText | undefined {
  const delta = own(event?.payload.state_delta?.from, name);
  if (delta !== undefined) return delta;
  return row.defs.includes(name) ? undefined : own(event?.payload.variables, name);
}

/** The value of a name as the statement completed; undefined: not recorded, or it was cut short, when only a recorded change is of after it. */
export function valueAfter(row: DefUseRow, event: RawEvent | undefined, name: string): ValueText | undefined {
  const changed = own(event?.payload.state_delta?.to, name);
  return changed ?? (row.completed ? own(event?.payload.variables, name) : undefined);
}

/** Whether a name may still be bound to what it was bound to: an object keeps its serial, a primitive its text. */
export function maySame(a: ValueText, b: ValueText): boolean {
  if (a.ref !== undefined && b.ref !== undefined) return a.ref === b.ref;
  if (isPrimitive(a) || isPrimitive(b)) return a.type === b.type && a.text === b.text;
  return true;
}

/** String literals inside a rendered value. */
export const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const openContainers = /\b(?:set|frozenset|Set|Map)(?=[({])/g;
/** Class instances may hide state; functions, iterators and handles do. */
const hidden = /[\w$\])][({]|<|\.\.\.|…/;

/** The text, where it shows the whole state of the value: plain data, not cut. */
export function wholeText(value: ValueText): string | undefined {
  return value.truncated || !isWhole(value.text) ? undefined : value.text;
}

function isWhole(text: string): boolean {
  if (!/[({<.…'"`]/.test(text)) return true;
  return !hidden.test(text.replace(quoted, '0').replace(openContainers, ''));
}

/**
 * The whole text of a slot of a rendered instance: `slotText("Acc{total: 3}", ["total"])` is "3".
 * Undefined: no such slot, or its text does not show all of it.
 */
export function slotText(value: ValueText, path: readonly string[]): string | undefined {
  const text = textAt(value, path);
  return text !== undefined && isWhole(text) ? text : undefined;
}

/** The text of a slot as it is rendered, whether or not it shows all of it. */
export function textAt(value: ValueText, path: readonly string[]): string | undefined {
  if (value.truncated && !value.masked) return undefined;
  let text: string | undefined = value.text;
  for (const name of path) text = text === undefined ? undefined : findSlot(text, name);
  return value.masked && text !== undefined && /[…‹]/.test(text) ? undefined : text;
}

function findSlot(text: string, name: string): string | undefined {
  const open = text.indexOf('{');
  if (!/^[\w$.]*$/.test(text.slice(0, Math.max(open, 0))) || open < 0 || !text.endsWith('}')) return undefined;
  for (let at = open + 1; at < text.length - 1; ) {
    const end = endOfItem(text, at);
    const item = text.slice(at, end).trim();
    const colon = item.indexOf(': ');
    if (colon >= 0 && item.slice(0, colon).replace(/^['"]|['"]$/g, '') === name) return item.slice(colon + 2);
    at = end + 1;
  }
  return undefined;
}

/** Index of the comma or bracket that ends the item which starts at `start`. */
export function endOfItem(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "'" || sign === '"' || sign === '`') at = endOfString(text, at, sign);
    else if ('([{'.includes(sign)) depth += 1;
    else if (depth === 0 && ',)]}'.includes(sign)) return at;
    else if (')]}'.includes(sign)) depth -= 1;
  }
  return text.length;
}

function endOfString(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}

const none: readonly string[] = [];

/** Whether this is more than a plain name. */
export function isPath(path: string): boolean {
  return path.includes('.') || path.includes('[');
}

/** An access path as the name it starts with and the slots behind it; `slots` is undefined where one of them is computed. */
export function splitPath(path: string): { readonly base: string; readonly slots: readonly string[] | undefined } {
  if (!isPath(path)) return { base: path, slots: none };
  const end = path.search(/[.[?]/);
  const rest = path.slice(end).replaceAll('?', '');
  return { base: path.slice(0, end), slots: rest.includes('[') ? undefined : rest.split('.').slice(1) };
}

export function own<Value>(table: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
