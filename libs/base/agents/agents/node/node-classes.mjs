// What a value is called, without asking it: the name of its class, and whether it is plain.
import { types } from 'node:util';
import { cut } from './node-atoms.mjs';
import { dataOf, getPrototypeOf, ownMap } from './node-intrinsics.mjs';

const NAME_UNITS = 80;
/** Prototypes looked at. */
const CHAIN = 20;

const { isProxy } = types;
/** By prototype. */
const families = ownMap(WeakMap);
const NO_FAMILY = { name: 'Object', isPlain: false };
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

/** 'Proxy', 'function', or the name of the class: of the first constructor on the prototype chain that names that prototype as its own. */
export function typeName(value) {
  if (isProxy(value)) return 'Proxy';
  return typeof value === 'function' ? 'function' : familyOf(getPrototypeOf(value)).name;
}

/** Name of the class, and whether what it makes has no state but its properties: no builtin is on the prototype chain. */
export function familyOf(prototype) {
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

export function plainName(value, name) {
  if (name !== 'Object') return name;
  const holder = getPrototypeOf(value);
  return holder === null || (!isProxy(holder) && getPrototypeOf(holder) === null) ? '' : name;
}
