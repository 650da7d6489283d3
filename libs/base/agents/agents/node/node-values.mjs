// A value as bounded text, taken now: what changes later does not show. No code of the target runs: only own data properties
// and internal slots are read, through functions bound at load, before the target could replace them; a Proxy stays closed.
import process from 'node:process';
import { types } from 'node:util';

const DEPTH = 4;
const ITEMS = 20;
const STRING_UNITS = 200;
const TEXT_UNITS = 4096;
const NAME_UNITS = 80;
/** Prototypes looked at. */
const CHAIN = 20;
/** Own keys looked at in one value; an object beyond is known by its first keys from then on. */
const KEYS = 5000;
/** Indexes of an array looked at: holes are counted up to here. */
const SCANNED = 200;
const BIGGEST = 10n ** 200n;

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const { is } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { stringify } = JSON;
const { isArgumentsObject, isArrayBuffer, isBoxedPrimitive, isDataView, isDate, isExternal, isGeneratorObject } = types;
const { isMap, isModuleNamespaceObject, isNativeError, isPromise, isProxy, isRegExp, isSet, isSharedArrayBuffer } =
  types;
const { isWeakMap, isWeakSet } = types;
const { env } = process;

const { bind, call } = Function.prototype;
/** Calls a method as it was at load, on whatever it is given first. */
const bound = bind.bind(call);
const getter = (holder, name) => bound(getOwnPropertyDescriptor(holder, name).get);
const method = (holder, name) => bound(getOwnPropertyDescriptor(holder, name).value);

/** A WeakMap whose methods are its own, so that nobody can replace them. */
function ownWeakMap() {
  const { get, set } = WeakMap.prototype;
  return Object.defineProperties(new WeakMap(), { get: { value: get }, set: { value: set } });
}

const slice = method(String.prototype, 'slice');
const charCodeAt = method(String.prototype, 'charCodeAt');
const symbolText = method(Symbol.prototype, 'toString');
const dateTime = method(Date.prototype, 'getTime');
const dateText = method(Date.prototype, 'toISOString');
const regExpSource = getter(RegExp.prototype, 'source');
const mapEntries = method(Map.prototype, 'entries');
const mapNext = method(getPrototypeOf(new Map().entries()), 'next');
const mapSize = getter(Map.prototype, 'size');
const setValues = method(Set.prototype, 'values');
const setNext = method(getPrototypeOf(new Set().values()), 'next');
const setSize = getter(Set.prototype, 'size');
const TypedArray = getPrototypeOf(Uint8Array);
const typedLength = getter(TypedArray.prototype, 'length');
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
const sharedLength = getter(SharedArrayBuffer.prototype, 'byteLength');
const bigText = method(BigInt.prototype, 'toString');
const FLAGS = [
  ['hasIndices', 'd'],
  ['global', 'g'],
  ['ignoreCase', 'i'],
  ['multiline', 'm'],
  ['dotAll', 's'],
  ['unicode', 'u'],
  ['unicodeSets', 'v'],
  ['sticky', 'y'],
]
  .filter(([name]) => getOwnPropertyDescriptor(RegExp.prototype, name)?.get !== undefined)
  .map(([name, letter]) => ({ read: getter(RegExp.prototype, name), letter }));
const BOXES = [Number, String, Boolean, BigInt, Symbol].map(({ name, prototype }) => ({
  name,
  read: method(prototype, 'valueOf'),
}));

let refs = 0;
const serials = ownWeakMap();
/** First keys of objects with more keys than may be looked at. */
const bigKeys = ownWeakMap();
/** By prototype. */
const families = ownWeakMap();
const NO_FAMILY = { name: 'Object', isPlain: false };
const objectPrototype = Object.prototype;
/** Prototypes of builtins whose state is not in their properties. */
const builtins = ownWeakMap();
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const prototype = /^[A-Z]/.test(name) ? getOwnPropertyDescriptor(globalThis, name)?.value?.prototype : undefined;
  if (typeof prototype === 'object' && prototype !== null && name !== 'Object') builtins.set(prototype, true);
}
for (const made of [(function* () {})(), (async function* () {})()])
  builtins.set(getPrototypeOf(getPrototypeOf(made)), true);
builtins.set(TypedArray.prototype, true);

/** State of the value under way: there is only one, since no code of the target runs meanwhile. */
let truncated = false;
let room = 0;
let keysLeft = 0;
let path = [];

/** The wire form of a value, `[type,text,truncated,ref]` as JSON text. */
export function valueText(value) {
  switch (typeof value) {
    case 'number':
      return `["number","${is(value, -0) ? '-0' : `${value}`}"]`;
    case 'boolean':
      return value ? '["boolean","true"]' : '["boolean","false"]';
    case 'undefined':
      return '["undefined","undefined"]';
    case 'string':
      return stringValue(value);
    case 'bigint':
    case 'symbol':
      return finish(typeof value, value, undefined);
    default:
      return value === null ? '["null","null"]' : objectValue(value);
  }
}

function stringValue(value) {
  if (value.length <= STRING_UNITS) return `["string",${stringify(stringify(value))}]`;
  return finish('string', value, undefined);
}

function objectValue(value) {
  let ref = serials.get(value);
  if (ref === undefined) {
    ref = refs;
    refs += 1;
    serials.set(value, ref);
  }
  return finish(undefined, value, ref);
}

function finish(type, value, ref) {
  truncated = false;
  room = TEXT_UNITS;
  keysLeft = KEYS;
  path = [];
  let name = type ?? 'object';
  let text = '';
  try {
    name = type ?? typeName(value);
    text = render(value, 1);
  } catch {
    // stack exhausted, or a slot nobody may read
    text = '<unreadable>';
    truncated = true;
  }
  if (text.length > TEXT_UNITS) {
    text = cut(text, TEXT_UNITS - 1);
    truncated = true;
  }
  const head = `[${stringify(name)},${stringify(text)}`;
  return ref === undefined ? `${head}${truncated ? ',1]' : ']'}` : `${head},${truncated ? 1 : 0},${ref}]`;
}

/** At most `units` of a text and an ellipsis; no surrogate pair is cut in two. */
function cut(text, units) {
  const last = charCodeAt(text, units - 1);
  return `${slice(text, 0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)}…`;
}

function quoted(text) {
  if (text.length <= STRING_UNITS) return stringify(text);
  truncated = true;
  const head = cut(text, STRING_UNITS);
  return `${stringify(slice(head, 0, head.length - 1))}…`;
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Value of an own data property; `undefined` for everything else. */
function dataOf(holder, name) {
  const property = getOwnPropertyDescriptor(holder, name);
  return property === undefined ? undefined : property.value;
}

/** 'Proxy', 'function', or the name of the class: of the first constructor on the prototype chain that names that prototype as its own. */
function typeName(value) {
  if (isProxy(value)) return 'Proxy';
  return typeof value === 'function' ? 'function' : className(value);
}

function className(value) {
  return familyOf(getPrototypeOf(value)).name;
}

/** Name of the class, and whether what it makes has no state but its properties: no builtin is on the prototype chain. */
function familyOf(prototype) {
  if (prototype === null) return NO_FAMILY;
  let family = families.get(prototype);
  if (family === undefined) {
    family = { name: nameOf(prototype), isPlain: isPlainChain(prototype) };
    families.set(prototype, family);
  }
  return family;
}

function nameOf(prototype) {
  let holder = prototype;
  for (let steps = 0; steps < CHAIN && holder !== null && !isProxy(holder); steps += 1) {
    const made = dataOf(holder, 'constructor');
    if (typeof made === 'function' && !isProxy(made) && dataOf(made, 'prototype') === holder) {
      const name = dataOf(made, 'name');
      if (typeof name === 'string' && name !== '') return name.length > NAME_UNITS ? cut(name, NAME_UNITS) : name;
      return '<anonymous>';
    }
    holder = getPrototypeOf(holder);
  }
  return 'Object';
}

function isPlainChain(prototype) {
  let holder = prototype;
  for (let steps = 0; steps < CHAIN && holder !== null && !isProxy(holder); steps += 1) {
    if (holder === objectPrototype) return true;
    if (builtins.get(holder) === true) return false;
    holder = getPrototypeOf(holder);
  }
  return false; // of another realm, or hidden by a Proxy: to be looked at closely
}

/** Text of a value at a depth from 1. `room` goes down by what is written, roughly. */
function render(value, depth) {
  if (isObject(value)) return renderObject(value, depth);
  const text = primitive(value);
  room -= text.length + 2;
  return text;
}

function primitive(value) {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'symbol') return long(symbolText(value));
  if (typeof value === 'bigint') return bigint(value);
  return is(value, -0) ? '-0' : `${value}`;
}

function bigint(value) {
  if (value < BIGGEST && value > -BIGGEST) return `${bigText(value)}n`;
  truncated = true;
  return value < 0n ? '<bigint below -10^200>' : '<bigint above 10^200>';
}

function long(text) {
  if (text.length <= STRING_UNITS) return text;
  truncated = true;
  return cut(text, STRING_UNITS);
}

function renderObject(value, depth) {
  room -= 12;
  if (isProxy(value)) return '<Proxy>';
  if (typeof value === 'function') return functionText(value);
  if (value === env) return '<process.env>';
  for (let index = 0; index < path.length; index += 1) if (path[index] === value) return '<cycle>';
  if (depth > DEPTH || room <= 0) {
    truncated = true;
    return isArray(value) ? '[…]' : '{…}';
  }
  path[path.length] = value;
  const text = container(value, depth);
  path.length -= 1;
  return text;
}

function container(value, depth) {
  const { name, isPlain } = familyOf(getPrototypeOf(value));
  if (isArray(value)) return `${name === 'Array' ? '' : name}[${elements(value, dataOf(value, 'length'), depth)}]`;
  if (isPlain && !isArgumentsObject(value)) return `${plainName(value, name)}{${slots(value, depth, '')}}`;
  if (isExternal(value)) return '<external>';
  if (isArgumentsObject(value)) return `Arguments[${elements(value, dataOf(value, 'length'), depth)}]`;
  if (isView(value)) return isDataView(value) ? `${name}{}` : `${name}[${typed(value, depth)}]`;
  if (isMap(value)) return `${name}{${entries(value, depth)}}`;
  if (isSet(value)) return `${name}{${members(value, depth)}}`;
  if (isDate(value)) return `${name}(${is(dateTime(value), Number.NaN) ? 'NaN' : dateText(value)})`;
  if (isRegExp(value)) return regExp(value);
  if (isNativeError(value)) return error(value, name, depth);
  return special(value, name, depth) ?? `${plainName(value, name)}{${slots(value, depth, '')}}`;
}

function plainName(value, name) {
  if (name !== 'Object') return name;
  const holder = getPrototypeOf(value);
  return holder === null || (!isProxy(holder) && getPrototypeOf(holder) === null) ? '' : name;
}

/** Builtins whose state is not in their properties. */
function special(value, name, depth) {
  if (isPromise(value) || isWeakMap(value) || isWeakSet(value)) return `${name}{}`;
  if (isGeneratorObject(value)) return 'Generator{}';
  if (isArrayBuffer(value)) return `${name}{byteLength: ${bufferLength(value)}}`;
  if (isSharedArrayBuffer(value)) return `${name}{byteLength: ${sharedLength(value)}}`;
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

function functionText(value) {
  const name = dataOf(value, 'name');
  const made = getOwnPropertyDescriptor(value, 'prototype');
  const kind = made !== undefined && made.writable === false ? 'class' : 'function';
  return typeof name === 'string' && name !== '' ? `<${kind} ${long(name)}>` : `<${kind}>`;
}

function regExp(value) {
  let flags = '';
  for (let index = 0; index < FLAGS.length; index += 1) if (FLAGS[index].read(value)) flags += FLAGS[index].letter;
  const last = dataOf(value, 'lastIndex');
  return `/${long(regExpSource(value))}/${flags}${last === 0 ? '' : `{lastIndex: ${isObject(last) ? '…' : primitive(last)}}`}`;
}

function error(value, name, depth) {
  const message = dataOf(value, 'message');
  const rest = slots(value, depth, 'message');
  return `${name}(${typeof message === 'string' ? quoted(message) : ''})${rest === '' ? '' : `{${rest}}`}`;
}

/** `more` says that items are missing after those in `text`. */
function ended(text, more) {
  if (!more) return text;
  truncated = true;
  return text === '' ? '…' : `${text}, …`;
}

function elements(value, length, depth) {
  let text = '';
  let index = 0;
  for (let count = 0; index < length && count < ITEMS && index < SCANNED && room > 0; count += 1) {
    if (count > 0) text += ', ';
    const first = index;
    let found = getOwnPropertyDescriptor(value, index);
    while (found === undefined && index < length && index < SCANNED) {
      index += 1;
      found = getOwnPropertyDescriptor(value, index);
    }
    if (index > first) text += `<${index - first}${index < SCANNED || index === length ? '' : ' or more'} empty>`;
    else {
      text += slot(found, depth);
      index += 1;
    }
  }
  return ended(text, index < length);
}

function typed(value, depth) {
  const length = typedLength(value);
  let text = '';
  let index = 0;
  for (; index < length && index < ITEMS; index += 1) text += (index > 0 ? ', ' : '') + render(value[index], depth + 1);
  return ended(text, index < length);
}

function entries(value, depth) {
  const iterator = mapEntries(value);
  let text = '';
  let count = 0;
  for (; count < ITEMS && room > 0; count += 1) {
    const step = mapNext(iterator);
    if (step.done) break;
    text += `${count > 0 ? ', ' : ''}${render(step.value[0], depth + 1)} => ${render(step.value[1], depth + 1)}`;
  }
  return ended(text, count < mapSize(value));
}

function members(value, depth) {
  const iterator = setValues(value);
  let text = '';
  let count = 0;
  for (; count < ITEMS && room > 0; count += 1) {
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
  for (; index < keys.length && count < ITEMS && room > 0; index += 1) {
    const key = keys[index];
    if (except !== '' && (key === except || key === 'stack')) continue;
    const name = keyText(key);
    room -= name.length + 2;
    text += `${count > 0 ? ', ' : ''}${name}: ${slot(property(value, key), depth)}`;
    count += 1;
  }
  return ended(text, index < keys.length);
}

/** A binding of a module that is not initialised yet throws. */
function property(value, key) {
  try {
    return getOwnPropertyDescriptor(value, key);
  } catch {
    return undefined;
  }
}

function slot(found, depth) {
  if (found === undefined) return '<unset>';
  return found.get === undefined && found.set === undefined ? render(found.value, depth + 1) : '<getter>';
}

function keysOf(value) {
  const known = bigKeys.get(value);
  if (known !== undefined) return known;
  if (keysLeft <= 0) return undefined;
  const keys = ownKeys(value);
  keysLeft -= keys.length;
  if (keys.length <= KEYS) return keys;
  const first = [];
  for (let index = 0; index <= ITEMS; index += 1) first[index] = keys[index];
  bigKeys.set(value, first);
  return first;
}

function keyText(key) {
  if (typeof key === 'symbol') return `[${long(symbolText(key))}]`;
  return isPlainName(key) ? key : quoted(key);
}

/** Without a regular expression: the target may read what the last one matched. */
function isPlainName(key) {
  if (key.length === 0 || key.length > NAME_UNITS) return false;
  for (let index = 0; index < key.length; index += 1) {
    const code = charCodeAt(key, index);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36;
    if (!isLetter && !(index > 0 && code >= 48 && code <= 57)) return false;
  }
  return true;
}
