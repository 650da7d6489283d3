// What a value is called, without asking it: the name of its class, and whether it is plain.
import { types } from 'node:util';
import { cut } from './node-atoms.mjs';
import { charCodeAt, dataOf, getPrototypeOf, method, ownMap } from './node-intrinsics.mjs';

const NAME_UNITS = 80;
/** Prototypes looked at. */
const CHAIN = 20;
/** Characters of a class that are looked at for private members. */
const SOURCE = 100_000;

const { isProxy } = types;
const { min } = Math;
/** By prototype. */
const families = ownMap(WeakMap);
const NO_FAMILY = { name: 'Object', isPlain: false, isBuiltin: false, hides: false };
const sourceOf = method(Function.prototype, 'toString');
const objectPrototype = Object.prototype;
/** Prototypes of builtins whose state is not in their properties. */
const builtins = ownMap(WeakMap);
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const found = /^[A-Z]/.test(name) ? Object.getOwnPropertyDescriptor(globalThis, name)?.value?.prototype : undefined;
  if (typeof found === 'object' && found !== null && name !== 'Object') builtins.set(found, true);
}
for (const made of [(function* () {})(), (async function* () {})()])
  builtins.set(getPrototypeOf(getPrototypeOf(made)), true);
builtins.set(getPrototypeOf(Uint8Array).prototype, true);
builtins.set(getPrototypeOf(getPrototypeOf([][Symbol.iterator]())), true);

/** 'Proxy', 'function', or the name of the class: of the first constructor on the prototype chain that names that prototype as its own. */
export function typeName(value) {
  if (isProxy(value)) return 'Proxy';
  return typeof value === 'function' ? 'function' : familyOf(getPrototypeOf(value)).name;
}

/** Name of the class, what its prototype chain ends in, and whether a class on it has private members, which nobody can read. */
export function familyOf(prototype) {
  if (prototype === null) return NO_FAMILY;
  let family = families.get(prototype);
  if (family === undefined) {
    const last = endOf(prototype);
    const isPlain = last === objectPrototype;
    const isBuiltin = !isPlain && last !== undefined;
    family = { name: nameOf(prototype), isPlain, isBuiltin, hides: hasPrivate(prototype) };
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

/** The first prototype on the chain that is the language's own. */
function endOf(prototype) {
  let holder = prototype;
  for (let steps = 0; steps < CHAIN && holder !== null && !isProxy(holder); steps += 1) {
    if (holder === objectPrototype || builtins.get(holder) === true) return holder;
    holder = getPrototypeOf(holder);
  }
  return undefined; // of another realm, or hidden by a Proxy: to be looked at closely
}

function hasPrivate(prototype) {
  let holder = prototype;
  for (let steps = 0; steps < CHAIN && holder !== null && !isProxy(holder); steps += 1) {
    if (holder === objectPrototype || builtins.get(holder) === true) return false;
    const made = dataOf(holder, 'constructor');
    if (typeof made === 'function' && !isProxy(made) && namesPrivate(sourceOf(made))) return true;
    holder = getPrototypeOf(holder);
  }
  return false;
}

/** `#name` in the text of a class, not behind a quote, as in a colour. */
function namesPrivate(source) {
  if (charCodeAt(source, 0) === 102) return false; // `function`
  const length = min(source.length, SOURCE);
  for (let index = 1; index < length; index += 1) {
    if (charCodeAt(source, index) !== 35) continue;
    const before = charCodeAt(source, index - 1);
    const next = charCodeAt(source, index + 1) | 32;
    const isQuoted = before === 34 || before === 39 || before === 96;
    if (!isQuoted && ((next >= 97 && next <= 122) || next === 127 || next === 36)) return true;
  }
  return false;
}

export function plainName(value, name) {
  if (name !== 'Object') return name;
  const holder = getPrototypeOf(value);
  return holder === null || (!isProxy(holder) && getPrototypeOf(holder) === null) ? '' : name;
}
