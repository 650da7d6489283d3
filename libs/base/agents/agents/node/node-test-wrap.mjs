// node:test's own functions, with what is registered and what runs seen. Everything is passed on to node:test itself;
// only what is not to run stays out.
import { AsyncLocalStorage } from 'node:async_hooks';
import { abort, begin, end, failed, loseHook, mark, plan, register, root, see, share } from './node-test-record.mjs';

const current = new AsyncLocalStorage();
const { apply } = Reflect;
const { defineProperty, getOwnPropertyDescriptors, getPrototypeOf } = Object;
const limit = plan.test_timeout_ms;
/** Test nodes and the start of their `beforeEach` hooks, by the context that node:test gives both. */
const nodes = new WeakMap();
const eachStarts = new WeakMap();
const patched = new WeakSet();

/** The test or suite around the code that runs now; undefined outside all. */
export function currentNode() {
  return current.getStore();
}

const TESTS = new Set(['test', 'it']);
const SUITES = new Set(['suite', 'describe']);
const HOOKS = new Set(['before', 'after', 'beforeEach', 'afterEach']);
const VARIANTS = ['skip', 'todo', 'only', 'expectFailure'];

/** A copy of node:test's exports, which is a function itself. `call` is how the originals are to be called. */
export function wrapModule(original, call) {
  const wrapped = registrar(original, false, call);
  for (const name of Object.keys(getOwnPropertyDescriptors(original))) {
    if (name === 'length' || name === 'name' || name === 'prototype') continue;
    const value = wrapExport(original, name, call);
    if (value !== undefined)
      defineProperty(wrapped, name, { value, enumerable: true, writable: true, configurable: true });
    else copy(original, wrapped, name);
  }
  for (const name of TESTS) if (original[name] === original) wrapped[name] = wrapped;
  return wrapped;
}

function wrapExport(original, name, call) {
  if (original[name] === original || typeof original[name] !== 'function') return undefined;
  if (TESTS.has(name) || VARIANTS.includes(name)) return registrar(original[name], false, call);
  if (SUITES.has(name)) return registrar(original[name], true, call);
  return HOOKS.has(name) ? hook(original[name], name, () => current.getStore() ?? root, call) : undefined;
}

function copy(from, into, name) {
  defineProperty(into, name, { ...Object.getOwnPropertyDescriptor(from, name), configurable: true });
}

/** `test`, `describe` and their variants. */
function registrar(original, suite, call) {
  const wrapped = function (...args) {
    return add(current.getStore() ?? root, suite, args, (rest) => call(() => apply(original, this, rest)));
  };
  rename(wrapped, original);
  for (const variant of VARIANTS)
    if (typeof original[variant] === 'function' && original.test === undefined)
      wrapped[variant] = registrar(original[variant], suite, call);
  return wrapped;
}

/** The arguments as node:test reads them: `(name?, options?, fn?)`. */
function add(parent, suite, [first, second, third], pass) {
  let [name, options, fn] = [first, second, third];
  if (typeof first === 'function') [name, options, fn] = [undefined, {}, first];
  else if (typeof first === 'object' && first !== null) [name, options, fn] = [undefined, first, second];
  else if (typeof second === 'function') [options, fn] = [{}, second];
  const body = typeof fn === 'function' ? fn : undefined;
  if (typeof name !== 'string' || name === '') name = body?.name || '<anonymous>';
  options = { ...options };
  const node = register(parent, name, suite, options, body);
  if (node === undefined) return Promise.resolve();
  if (plan.coverage === true && options.concurrency !== undefined) options.concurrency = 1;
  if (limit !== undefined && !suite && !node.limited) options.timeout = limit;
  if (body === undefined) return pass([name, options]);
  return pass([name, options, suite ? suiteBody(node, body) : testBody(node, body)]);
}

function suiteBody(node, body) {
  return rename(function (...args) {
    return current.run(node, () => apply(body, this, args));
  }, body);
}

function testBody(node, body) {
  return rename(function (...args) {
    const [context, done] = args;
    nodes.set(context, node);
    patch(getPrototypeOf(context));
    begin(node, eachStarts.get(context));
    context.signal?.addEventListener('abort', () => abort(node), { once: true });
    if (body.length > 1 && typeof done === 'function')
      args[1] = (...result) => {
        end(node, result[0] ? [result[0]] : undefined);
        return apply(done, undefined, result);
      };
    return follow(
      () => current.run(node, () => apply(body, this, args)),
      (thrown) => (typeof args[1] === 'function' && thrown === undefined ? undefined : end(node, thrown)),
    );
  }, body);
}

/** Runs, and tells when it is over, also when that is later: with a one-element list of what was thrown, or with nothing. */
function follow(run, over) {
  let result;
  try {
    result = run();
  } catch (error) {
    over([error]);
    throw error;
  }
  if (result !== null && typeof result === 'object' && typeof result.then === 'function' && result instanceof Promise)
    result.then(
      () => over(undefined),
      (error) => over([error]),
    );
  else over(undefined);
  return result;
}

/** `before`, `after`, `beforeEach`, `afterEach`. In a run that only lists there are none. */
function hook(original, name, ownerOf, call) {
  return rename(function (fn, options) {
    if (plan.mode === 'list') return undefined;
    const owner = apply(ownerOf, this, []);
    const body = typeof fn === 'function' ? hookBody(name, owner, fn) : fn;
    return call(() => apply(original, this, [body, options]));
  }, original);
}

function hookBody(name, owner, fn) {
  return rename(function (...args) {
    const since = mark();
    if (name === 'beforeEach' && isObject(args[0]) && !eachStarts.has(args[0])) eachStarts.set(args[0], since);
    return follow(
      () => apply(fn, this, args),
      (thrown) => hookOver(name, owner, since, args[0], thrown),
    );
  }, fn);
}

function hookOver(name, owner, since, context, thrown) {
  const node = isObject(context) ? nodes.get(context) : undefined;
  if (name === 'before') share(owner, since);
  else if (name === 'beforeEach' && thrown !== undefined) loseHook(eachStarts.get(context) ?? since);
  else if (name === 'afterEach' && node !== undefined) {
    see(node);
    if (thrown !== undefined) failed(node, thrown[0]);
  }
}

/** The methods of a test's context register too: subtests and hooks. */
function patch(prototype) {
  if (patched.has(prototype)) return;
  patched.add(prototype);
  const plain = (run) => run();
  const { test } = prototype;
  const subtest = function (...args) {
    return add(nodes.get(this) ?? root, false, args, (rest) => apply(test, this, rest));
  };
  defineProperty(prototype, 'test', { value: rename(subtest, test), writable: true, configurable: true });
  for (const name of HOOKS) {
    if (typeof prototype[name] !== 'function') continue;
    const ownerOf = function () {
      return nodes.get(this) ?? root;
    };
    const value = hook(prototype[name], name, ownerOf, plain);
    defineProperty(prototype, name, { value, writable: true, configurable: true });
  }
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** node:test counts parameters, and names tests after functions. */
function rename(wrapper, like) {
  defineProperty(wrapper, 'name', { value: like.name, configurable: true });
  defineProperty(wrapper, 'length', { value: like.length, configurable: true });
  return wrapper;
}
