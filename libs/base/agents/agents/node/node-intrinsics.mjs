// Functions of the language as they were at load, before the target could replace them.
export const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;

const { bind, call } = Function.prototype;
/** Calls a method as it was at load, on whatever it is given first. */
const bound = bind.bind(call);
export const getter = (holder, name) => bound(getOwnPropertyDescriptor(holder, name).get);
export const method = (holder, name) => bound(getOwnPropertyDescriptor(holder, name).value);

/** A Map or WeakMap whose methods are its own, so that nobody can replace them. */
export function ownMap(Kind) {
  const { get, set, clear } = Kind.prototype;
  const methods = { get: { value: get }, set: { value: set } };
  return Object.defineProperties(new Kind(), clear === undefined ? methods : { ...methods, clear: { value: clear } });
}

export const slice = method(String.prototype, 'slice');
export const charCodeAt = method(String.prototype, 'charCodeAt');
export const toLowerCase = method(String.prototype, 'toLowerCase');

/** Value of an own data property; `undefined` for everything else. */
export function dataOf(holder, name) {
  const property = getOwnPropertyDescriptor(holder, name);
  return property === undefined ? undefined : property.value;
}
