// The text of a value. No code of the target runs: only own data properties
// and internal slots are read, through functions bound at load, before the target could replace them; a Proxy stays closed.
import process from 'node:process';
import { types } from 'node:util';
import { functionText, isPlainName, keyText, maskBytes, primitive, quoted, regExp, state } from './node-atoms.mjs';
import { familyOf, plainName } from './node-classes.mjs';
import {
  charCodeAt,
  dataOf,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  getter,
  method,
  ownKeys,
  ownMap,
} from './node-intrinsics.mjs';
import { reasonOf } from './node-secrets.mjs';

const DEPTH = 4;
const ITEMS = 20;
/** Own keys looked at in one value; an object beyond is known by its first keys from then on. */
const KEYS = 5000;
/** Indexes of an array looked at: holes are counted up to here. */
const SCANNED = 200;

const { is } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { isArgumentsObject, isArrayBuffer, isBoxedPrimitive, isDataView, isDate, isExternal, isGeneratorObject } = types;
const { isMap, isModuleNamespaceObject, isNativeError, isPromise, isProxy, isRegExp, isSet, isSharedArrayBuffer } =
  types;
const { isUint8Array, isUint8ClampedArray, isWeakMap, isWeakSet } = types;
const isEnumerable = method(Object.prototype, 'propertyIsEnumerable');
const { env } = process;

const dateTime = method(Date.prototype, 'getTime');
const dateText = method(Date.prototype, 'toISOString');
const mapEntries = method(Map.prototype, 'entries');
const mapNext = method(getPrototypeOf(new Map().entries()), 'next');
const mapSize = getter(Map.prototype, 'size');
const setValues = method(Set.prototype, 'values');
const setNext = method(getPrototypeOf(new Set().values()), 'next');
const setSize = getter(Set.prototype, 'size');
const typedLength = getter(getPrototypeOf(Uint8Array).prototype, 'length');
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
const sharedLength = getter(SharedArrayBuffer.prototype, 'byteLength');
const BOXES = [Number, String, Boolean, BigInt, Symbol].map(({ name, prototype }) => ({
  name,
  read: method(prototype, 'valueOf'),
}));

const UNREAD = { get: isEnumerable };

/** First keys of objects with more keys than may be looked at. */
const bigKeys = ownMap(WeakMap);

export function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Text of a value at a depth from 1. `room` goes down by what is written, roughly. */
export function render(value, depth) {
  if (isObject(value)) return renderObject(value, depth);
  const text = primitive(value);
  state.room -= text.length + 2;
  return text;
}

/** A value beside its name: that of a key, or the first of a pair. Every text and number in a secret is masked. */
function named(name, value, depth) {
  const why = state.masks && typeof name === 'string' ? reasonOf(name) : undefined;
  if (why === undefined) return render(value, depth);
  const outer = state.secret;
  state.secret = outer?.isSure ? outer : why;
  const text = render(value, depth);
  state.secret = outer;
  return text;
}

function renderObject(value, depth) {
  state.room -= 12;
  if (isProxy(value)) return opaque('<Proxy>');
  if (typeof value === 'function') return functionText(value);
  if (value === env) return opaque('<process.env>');
  const { path } = state;
  for (let index = 0; index < path.length; index += 1) if (path[index] === value) return '<cycle>';
  if (depth > DEPTH || state.room <= 0) {
    state.truncated = true;
    return isArray(value) ? '[…]' : '{…}';
  }
  path[path.length] = value;
  const text = container(value, depth);
  path.length -= 1;
  return text;
}

/** A text that does not say all there is: with the same text the value may be another. */
function opaque(text) {
  state.truncated = true;
  return text;
}

function container(value, depth) {
  const { name, isPlain, isBuiltin, hides } = familyOf(getPrototypeOf(value));
  if (hides) state.truncated = true;
  if (isArray(value)) return `${name === 'Array' ? '' : name}[${elements(value, dataOf(value, 'length'), depth)}]`;
  if (isPlain && !isArgumentsObject(value)) return `${plainName(value, name)}{${slots(value, depth, '')}}`;
  if (isExternal(value)) return opaque('<external>');
  if (isArgumentsObject(value)) return `Arguments[${argumentItems(value, depth)}]`;
  if (isView(value)) return isDataView(value) ? opaque(`${name}{}`) : `${name}[${typed(value, depth)}]`;
  if (isMap(value)) return contentOf(value, `${name}{${entries(value, depth)}}`);
  if (isSet(value)) return contentOf(value, `${name}{${members(value, depth)}}`);
  if (isDate(value)) return `${name}(${is(dateTime(value), Number.NaN) ? 'NaN' : dateText(value)})`;
  if (isRegExp(value)) return regExp(value);
  if (isNativeError(value)) return error(value, name, depth);
  const text = special(value, name, depth);
  if (text !== undefined) return text;
  if (isBuiltin) state.truncated = true;
  return `${plainName(value, name)}{${slots(value, depth, '')}}`;
}

/** Properties beside the content are not shown. */
function contentOf(value, text) {
  return ownKeys(value).length > 0 ? opaque(text) : text;
}

/** The target may have put anything there, which is not to be asked for a number. */
function argumentItems(value, depth) {
  const length = dataOf(value, 'length');
  return typeof length === 'number' ? elements(value, length, depth) : ended('', true);
}

/** Builtins whose state is not in their properties. */
function special(value, name, depth) {
  if (isPromise(value) || isWeakMap(value) || isWeakSet(value)) return opaque(`${name}{}`);
  if (isGeneratorObject(value)) return opaque('Generator{}');
  if (isArrayBuffer(value)) return opaque(`${name}{byteLength: ${bufferLength(value)}}`);
  if (isSharedArrayBuffer(value)) return opaque(`${name}{byteLength: ${sharedLength(value)}}`);
  if (isModuleNamespaceObject(value)) return `Module{${slots(value, depth, '')}}`;
  if (!isBoxedPrimitive(value)) return undefined;
  for (let index = 0; index < BOXES.length; index += 1) {
    try {
      return `${BOXES[index].name}{${primitive(BOXES[index].read(value))}}`;
    } catch {
      // another box
    }
  }
  return undefined;
}

function error(value, name, depth) {
  const message = dataOf(value, 'message');
  const rest = slots(value, depth, 'message');
  return `${name}(${typeof message === 'string' ? quoted(message) : ''})${rest === '' ? '' : `{${rest}}`}`;
}

/** `more` says that items are missing after those in `text`. */
function ended(text, more) {
  if (!more) return text;
  state.truncated = true;
  return text === '' ? '…' : `${text}, …`;
}

function elements(value, length, depth) {
  let text = '';
  let index = 0;
  for (let count = 0; index < length && count < ITEMS && index < SCANNED && state.room > 0; count += 1) {
    if (count > 0) text += ', ';
    const first = index;
    let found = getOwnPropertyDescriptor(value, index);
    while (found === undefined && index < length && index < SCANNED) {
      index += 1;
      found = getOwnPropertyDescriptor(value, index);
    }
    if (index > first) text += `<${index - first}${index < SCANNED || index === length ? '' : ' or more'} empty>`;
    else {
      text += index === 1 && length === 2 ? second(dataOf(value, 0), found, depth) : slot('', found, depth);
      index += 1;
    }
  }
  return ended(text, index < length);
}

/** The second of two items: a list of two words names fields, and is no pair of a name and what it stands for. */
function second(first, found, depth) {
  return slot(
    typeof found.value === 'string' && isPlainName(found.value) && !hasDigit(found.value) ? '' : first,
    found,
    depth,
  );
}

function hasDigit(text) {
  for (let index = 0; index < text.length; index += 1) {
    const code = charCodeAt(text, index);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}

function typed(value, depth) {
  const length = typedLength(value);
  const hidden = isUint8Array(value) || isUint8ClampedArray(value) ? maskBytes(value, length) : undefined;
  if (hidden !== undefined) return hidden;
  let text = '';
  let index = 0;
  for (; index < length && index < ITEMS; index += 1) text += (index > 0 ? ', ' : '') + render(value[index], depth + 1);
  return ended(text, index < length);
}

function entries(value, depth) {
  const iterator = mapEntries(value);
  let text = '';
  let count = 0;
  for (; count < ITEMS && state.room > 0; count += 1) {
    const step = mapNext(iterator);
    if (step.done) break;
    const { 0: key, 1: held } = step.value;
    text += `${count > 0 ? ', ' : ''}${mapKey(key, depth + 1)} => ${named(key, held, depth + 1)}`;
  }
  return ended(text, count < mapSize(value));
}

/** A key is masked for its form alone. */
function mapKey(key, depth) {
  const { secret } = state;
  state.secret = undefined;
  const text = render(key, depth);
  state.secret = secret;
  return text;
}

function members(value, depth) {
  const iterator = setValues(value);
  let text = '';
  let count = 0;
  for (; count < ITEMS && state.room > 0; count += 1) {
    const step = setNext(iterator);
    if (step.done) break;
    text += (count > 0 ? ', ' : '') + render(step.value, depth + 1);
  }
  return ended(text, count < setSize(value));
}

/** Own properties but `except` and, of an error, its stack. */
function slots(value, depth, except) {
  const keys = keysOf(value);
  if (keys === undefined) return ended('', true);
  let text = '';
  let count = 0;
  let index = 0;
  for (; index < keys.length && count < ITEMS && state.room > 0; index += 1) {
    const key = keys[index];
    if (except !== '' && (key === except || key === 'stack')) continue;
    const name = keyText(key);
    state.room -= name.length + 2;
    text += `${count > 0 ? ', ' : ''}${name}: ${slot(key, property(value, key), depth)}`;
    count += 1;
  }
  return ended(text, index < keys.length);
}

/**
 * A binding of a module that is not initialised yet throws. The stack that V8 puts into an object (`Error.captureStackTrace`) is made when it is
 * read, maybe by the target's `Error.prepareStackTrace`.
 */
function property(value, key) {
  try {
    if (key === 'stack' && !isEnumerable(value, key)) return UNREAD;
    return getOwnPropertyDescriptor(value, key);
  } catch {
    return undefined;
  }
}

function slot(name, found, depth) {
  if (found === undefined) return '<unset>';
  return found.get === undefined && found.set === undefined ? named(name, found.value, depth + 1) : opaque('<getter>');
}

function keysOf(value) {
  const known = bigKeys.get(value);
  if (known !== undefined) return known;
  if (state.keysLeft <= 0) return undefined;
  const keys = ownKeys(value);
  state.keysLeft -= keys.length;
  if (keys.length <= KEYS) return keys;
  const first = [];
  for (let index = 0; index <= ITEMS; index += 1) first[index] = keys[index];
  bigKeys.set(value, first);
  return first;
}
