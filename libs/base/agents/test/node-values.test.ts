// Rendering of values in the Node agent: what is shown of each kind, and that nothing of the target runs for it.

import { ValueText } from '@h/contracts';
import { describe, expect, it } from 'vitest';
// the agent itself, as it lies in the target
// @ts-expect-error a plain JavaScript file
import { valueText } from '../agents/node/node-values.mjs';

let ran: string[] = [];
const trap = (name: string) => (): never => {
  ran.push(name);
  throw new Error(`target code ran: ${name}`);
};
const traps = new Proxy({}, { get: (_, name) => trap(String(name)) });

/** Type, text and whether it was cut. */
function textOf(value: unknown): [string, string, boolean] {
  ran = [];
  let least = Number.POSITIVE_INFINITY;
  let wire = '';
  for (let turn = 0; turn < 5 && least > 0.5; turn += 1) {
    const before = process.cpuUsage();
    wire = valueText(value) as string;
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  const [type, text, truncated = 0, ref] = JSON.parse(wire) as [string, string, number?, number?];
  expect(ran).toEqual([]);
  const masked = truncated === 2 ? { masked: true as const } : {};
  ValueText.parse({ type, text, truncated: truncated !== 0, ...masked, ...(ref === undefined ? {} : { ref }) });
  expect(truncated === 2).toBe(text.includes('‹masked: '));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  expect(least, 'milliseconds of processor time').toBeLessThan(1);
  return [type, text, truncated !== 0];
}

class Point {
  x = 1;
  y: unknown;
  constructor(y: unknown = 2) {
    this.y = y;
  }
  get sum() {
    return trap('sum')();
  }
  toString() {
    return trap('toString')();
  }
}
class Child extends Point {
  #hidden = 3;
  get seen() {
    return this.#hidden;
  }
}
const cyclic: Record<string, unknown> = { name: 'a' };
cyclic.self = cyclic;
cyclic.list = [cyclic, { back: cyclic }];
const deep = (depth: number): unknown => (depth === 0 ? 'end' : [deep(depth - 1)]);
const accessors = {
  get a() {
    return trap('a')();
  },
  set b(_: number) {
    trap('b')();
  },
  get [Symbol.toStringTag]() {
    return trap('tag')();
  },
  toJSON: trap('toJSON'),
  [Symbol.toPrimitive]: trap('toPrimitive'),
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const named = (name: string) => ({ [name]: class {} })[name] as new () => object;
class GetterName {
  x = 1;
  static get name() {
    return trap('name')();
  }
}
class Lying {}
Lying.prototype.constructor = Point as never;
const own = (value: object, name: string) => Object.defineProperty(value, name, { get: trap(name), enumerable: true });
class Account {
  name = 'bob';
  password = 'hunter2';
}
/** A collection whose own methods are traps. */
const patched = <T extends object>(value: T): T => {
  for (const name of ['get', 'has', 'entries', 'values', 'keys', 'forEach', Symbol.iterator])
    Object.defineProperty(value, name, { value: trap(String(name)), enumerable: false, configurable: true });
  return value;
};
class Patched extends Map {
  override get size() {
    return trap('size')();
  }
  override entries() {
    return trap('entries')();
  }
  override [Symbol.iterator]() {
    return trap('iterator')();
  }
  override get [Symbol.toStringTag]() {
    return trap('tag')();
  }
}
const tall = (height: number): unknown => {
  let value: unknown = {};
  for (let level = 0; level < height; level += 1) value = { to: value };
  return value;
};
const oneTwo = (..._: unknown[]) =>
  (function () {
    // biome-ignore lint/complexity/noArguments: that is the value
    return arguments;
  })(...([1, 'two'] as unknown as []));

describe('values of the Node agent', () => {
  it.each<[string, unknown, string, string, boolean?]>([
    ['a number', 1.5, 'number', '1.5'],
    ['negative zero', -0, 'number', '-0'],
    ['no number', Number.NaN, 'number', 'NaN'],
    ['infinity', -Infinity, 'number', '-Infinity'],
    ['a large number', 1e21, 'number', '1e+21'],
    ['a boolean', true, 'boolean', 'true'],
    ['undefined', undefined, 'undefined', 'undefined'],
    ['null', null, 'null', 'null'],
    ['a bigint', 12n, 'bigint', '12n'],
    ['a huge bigint', 10n ** 5000n, 'bigint', '<bigint above 10^200>', true],
    ['a symbol', Symbol('s'), 'symbol', 'Symbol(s)'],
    ['a long symbol', Symbol('s'.repeat(500)), 'symbol', `Symbol(${'s'.repeat(193)}…`, true],
    ['a string', 'a"b\n', 'string', '"a\\"b\\n"'],
    ['an empty string', '', 'string', '""'],
    ['a long string', 'x'.repeat(1e6), 'string', `"${'x'.repeat(200)}"…`, true],
    ['a string cut within a pair', `${'x'.repeat(199)}𝒳y`, 'string', `"${'x'.repeat(199)}"…`, true],
    ['a lone surrogate', 'a\ud800b', 'string', '"a\\ud800b"'],
    ['control characters', '\0\u001b[31m', 'string', '"\\u0000\\u001b[31m"'],
    ['an array', [1, 'a', [true]], 'Array', '[1, "a", [true]]'],
    ['an empty array', [], 'Array', '[]'],
    ['holes', Object.assign([], { 1: 1, 4: 2 }), 'Array', '[<1 empty>, 1, <2 empty>, 2]'],
    ['a sparse array', Object.assign([], { length: 4e9, 3e9: 1 }), 'Array', '[<200 or more empty>, …]', true],
    ['a long array', Array(1e7).fill(0), 'Array', `[${'0, '.repeat(20)}…]`, true],
    ['a getter in an array', own([1], '0'), 'Array', '[<getter>]'],
    ['a subclass of Array', class extends Array {}.of(1), '<anonymous>', '<anonymous>[1]'],
    ['an object', { a: 1, 'b c': 2, [Symbol('d')]: 3 }, 'Object', '{a: 1, "b c": 2, [Symbol(d)]: 3}'],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), 'Object', '{a: 1}'],
    ['an unusual prototype', Object.create({ a: 1 }), 'Object', 'Object{}'],
    ['what is not enumerable', Object.defineProperty({}, 'a', { value: 1 }), 'Object', '{a: 1}'],
    [
      'many keys',
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 0])),
      'Object',
      `{${Array.from({ length: 20 }, (_, i) => `k${i}: 0`).join(', ')}, …}`,
      true,
    ],
    ['a long key', { ['k'.repeat(300)]: 1 }, 'Object', `{"${'k'.repeat(200)}"…: 1}`, true],
    [
      'accessors',
      accessors,
      'Object',
      '{a: <getter>, b: <getter>, toJSON: <function>, [Symbol(Symbol.toStringTag)]: <getter>, [Symbol(Symbol.toPrimitive)]: <function>}',
    ],
    ['an instance', new Point(), 'Point', 'Point{x: 1, y: 2}'],
    ['an instance with private fields', new Child(), 'Child', 'Child{x: 1, y: 2}'],
    ['nested instances', new Point([new Point()]), 'Point', 'Point{x: 1, y: [Point{x: 1, y: 2}]}'],
    ['a constructor that is a getter', Object.create(own({}, 'constructor')), 'Object', 'Object{}'],
    [
      'an own constructor',
      Object.assign(new Point(), { constructor: 'lie' }),
      'Point',
      'Point{x: 1, y: 2, constructor: "lie"}',
    ],
    ['a constructor of another class', new Lying(), 'Object', 'Object{}'],
    ['a class name that is a getter', new GetterName(), '<anonymous>', '<anonymous>{x: 1}'],
    ['a long class name', new (named('N'.repeat(300)))(), `${'N'.repeat(80)}…`, `${'N'.repeat(80)}…{}`],
    ['a Proxy', new Proxy({}, traps), 'Proxy', '<Proxy>'],
    ['a Proxy of a function', new Proxy(() => 1, traps), 'Proxy', '<Proxy>'],
    ['a Proxy of an array', new Proxy([], traps), 'Proxy', '<Proxy>'],
    ['a revoked Proxy', revoked.proxy, 'Proxy', '<Proxy>'],
    ['a Proxy inside', [new Proxy([], traps)], 'Array', '[<Proxy>]'],
    ['a Proxy as prototype', Object.create(new Proxy({}, traps)), 'Object', 'Object{}'],
    ['a Proxy further up', Object.create(Object.create(new Proxy({}, traps))), 'Object', 'Object{}'],
    ['a Proxy as constructor', Object.create({ constructor: new Proxy(Point, traps) }), 'Object', 'Object{}'],
    ['a cycle', cyclic, 'Object', '{name: "a", self: <cycle>, list: [<cycle>, {back: <cycle>}]}'],
    ['depth', deep(9), 'Array', '[[[[[…]]]]]', true],
    ['breadth', Array(30).fill(Array(30).fill('x'.repeat(150))), 'Array', expect.stringMatching(/…/) as never, true],
    [
      'a Map',
      new Map<unknown, unknown>([
        [1, { a: 1 }],
        ['k', [2]],
      ]),
      'Map',
      'Map{1 => {a: 1}, "k" => [2]}',
    ],
    [
      'a large Map',
      new Map(Array.from({ length: 1e5 }, (_, i) => [i, i])),
      'Map',
      expect.stringMatching(/^Map\{0 => 0, .* 19 => 19, …\}$/) as never,
      true,
    ],
    ['a Map that lies', own(new (class M extends Map<number, number> {})([[1, 2]]), 'size'), 'M', 'M{1 => 2}'],
    ['a Set', new Set([3, 'a']), 'Set', 'Set{3, "a"}'],
    [
      'a large Set',
      new Set(Array.from({ length: 25 }, (_, i) => i)),
      'Set',
      expect.stringMatching(/^Set\{0, .*19, …\}$/) as never,
      true,
    ],
    ['a WeakMap', new WeakMap(), 'WeakMap', 'WeakMap{}'],
    ['a date', new Date(86400000), 'Date', 'Date(1970-01-02T00:00:00.000Z)'],
    ['no date', new Date(Number.NaN), 'Date', 'Date(NaN)'],
    [
      'a date that lies',
      Object.assign(new Date(0), { getTime: trap('getTime'), toISOString: trap('iso') }),
      'Date',
      'Date(1970-01-01T00:00:00.000Z)',
    ],
    ['a regular expression', /a\/b/giu, 'RegExp', '/a\\/b/giu'],
    ['its place', Object.assign(/a/g, { lastIndex: 3 }), 'RegExp', '/a/g{lastIndex: 3}'],
    ['one that lies', own(own(/a/y, 'flags'), 'source'), 'RegExp', '/a/y'],
    ['an error', new TypeError('no'), 'TypeError', 'TypeError("no")'],
    [
      'an error with more',
      Object.assign(new Error('no', { cause: 1 }), { code: 'E' }),
      'Error',
      'Error("no"){cause: 1, code: "E"}',
    ],
    ['an error whose message is a getter', own(new Error('a'), 'message'), 'Error', 'Error()'],
    ['an error whose stack is a getter', own(new Error('a'), 'stack'), 'Error', 'Error("a")'],
    ['an error of a class', new (class Own extends RangeError {})('r'), 'Own', 'Own("r")'],
    ['a promise', Promise.resolve(1), 'Promise', 'Promise{}'],
    ['a thenable', own({}, 'then'), 'Object', '{then: <getter>}'],
    ['a function', function named() {}, 'function', '<function named>'],
    ['an arrow', [() => 1][0], 'function', '<function>'],
    ['a class', Point, 'function', '<class Point>'],
    ['a class with a getter for a name', GetterName, 'function', '<class>'],
    ['bytes', new Uint8Array([1, 2]), 'Uint8Array', 'Uint8Array[1, 2]'],
    ['a Buffer', Buffer.from('ab'), 'Buffer', 'Buffer[97, 98]'],
    ['many bytes', new Float64Array(1e6), 'Float64Array', `Float64Array[${'0, '.repeat(20)}…]`, true],
    ['big numbers', new BigInt64Array([5n]), 'BigInt64Array', 'BigInt64Array[5n]'],
    ['a typed array that lies', own(new Uint8Array(1), 'length'), 'Uint8Array', 'Uint8Array[0]'],
    ['a buffer', new ArrayBuffer(8), 'ArrayBuffer', 'ArrayBuffer{byteLength: 8}'],
    ['a view', new DataView(new ArrayBuffer(2)), 'DataView', 'DataView{}'],
    ['a boxed number', new Number(-0), 'Number', 'Number{-0}'],
    ['a boxed string', new String('a'), 'String', 'String{"a"}'],
    ['a boxed symbol', Object(Symbol('b')), 'Symbol', 'Symbol{Symbol(b)}'],
    [
      'a boxed value that lies',
      Object.assign(new Boolean(false), { valueOf: trap('valueOf') }),
      'Boolean',
      'Boolean{false}',
    ],
    ['a generator', (function* () {})(), 'Object', 'Generator{}'],
    ['arguments', oneTwo(), 'Object', 'Arguments[1, "two"]'],
    [
      'secrets by their names',
      new Account(),
      'Account',
      'Account{name: "bob", password: ‹masked: name "password"›}',
      true,
    ],
    [
      'a secret with parts',
      { apiKey: { id: 1, parts: ['a', null, true, 2n], at: new Uint8Array(1) }, port: 5432 },
      'Object',
      '{apiKey: {id: ‹masked: name "apiKey"›, parts: [‹masked: name "apiKey"›, null, true, ‹masked: name "apiKey"›], at: Uint8Array[‹masked: name "apiKey"›]}, port: 5432}',
      true,
    ],
    [
      'secrets in a Map and in pairs',
      [
        new Map<string, unknown>([['client_secret', 'x']]),
        ['authorization', 'Bearer abcdef0123456789'],
        ['password', 'hunter2'],
        ['password', 'username'],
      ],
      'Array',
      '[Map{"client_secret" => ‹masked: name "client_secret"›}, ["authorization", ‹masked: looks like authorization header›], ["password", ‹masked: name "password"›], ["password", "username"]]',
      true,
    ],
    ['a secret by its form', 'postgres://bob:pw@db/x', 'string', '‹masked: looks like URL userinfo›', true],
    ['one in an error', new Error('password=hunter2'), 'Error', 'Error(‹masked: assigns "password"›)', true],
    [
      'one that is a key',
      { ghp_0123456789abcdefghijABCDEFGHIJ012345: 1 },
      'Object',
      '{‹masked: looks like GitHub token›: 1}',
      true,
    ],
    ['a boxed secret', { secret: new String('x') }, 'Object', '{secret: String{‹masked: name "secret"›}}', true],
    ['a secret getter', own({}, 'password'), 'Object', '{password: <getter>}'],
    [
      'what is no secret',
      { password: '', secret: null, apiKey: true, token: 'word', key: 5, session: undefined },
      'Object',
      '{password: "", secret: null, apiKey: true, token: "word", key: 5, session: undefined}',
    ],
    ['a random token', { token: 'abcdef0123456789' }, 'Object', '{token: ‹masked: name "token"›}', true],
    ['a frozen object', Object.freeze({ a: 1 }), 'Object', '{a: 1}'],
    ['a SharedArrayBuffer', new SharedArrayBuffer(8), 'SharedArrayBuffer', 'SharedArrayBuffer{byteLength: 8}'],
    ['a WeakSet', new WeakSet(), 'WeakSet', 'WeakSet{}'],
    ['a WeakRef', new WeakRef(cyclic), 'WeakRef', 'WeakRef{}'],
    ['an iterator', [1][Symbol.iterator](), 'Object', expect.stringMatching(/\{\}$/) as never],
    ['an asynchronous generator', (async function* () {})(), 'Object', expect.stringMatching(/\{\}$/) as never],
    [
      'a Map whose methods are patched',
      patched(new Map([[1, 2]])),
      'Map',
      expect.stringMatching(/^Map\{1 => 2\}$/) as never,
    ],
    ['a Set whose methods are patched', patched(new Set([1])), 'Set', 'Set{1}'],
    [
      'an inspected object',
      { [Symbol.for('nodejs.util.inspect.custom')]: trap('inspect') },
      'Object',
      expect.any(String) as never,
    ],
    ['a subclass that patches what it is asked', new Patched(), 'Patched', 'Patched{}'],
    [
      'ten million in a Map',
      new Map(Array.from({ length: 1e6 }, (_, i) => [i, i])),
      'Map',
      expect.any(String) as never,
      true,
    ],
    ['a tall tree', tall(1e5), 'Object', '{to: {to: {to: {to: {…}}}}}', true],
    [
      'text beyond the plane',
      ['𝒳'.repeat(100), ...Array(19).fill('é𝒳'.repeat(66))],
      'Array',
      expect.stringMatching(/…$/) as never,
      true,
    ],
    ['ideographs', Array(20).fill('漢'.repeat(200)), 'Array', expect.stringMatching(/^\["漢.*…$/) as never, true],
    ['the environment', process.env, '<anonymous>', '<process.env>'],
    ['the global object', globalThis, 'Object', expect.stringMatching(/^Object\{/) as never, true],
  ])('%s', (_, value, type, text, truncated = false) => expect(textOf(value)).toEqual([type, text, truncated]));

  it('shows an object with very many keys by its first keys, and looks at all only once', () => {
    const many = Object.fromEntries(Array.from({ length: 2e5 }, (_, index) => [`k${index}`, index]));
    valueText(many);
    const [, text] = textOf(many);
    expect(text).toMatch(/^\{k0: 0, .*k19: 19, …\}$/);
  });

  it('is the value of that moment', () => {
    const list = [1];
    const before = valueText(list) as string;
    list.push(2);
    expect(JSON.parse(before)[1]).toBe('[1]');
  });

  it('gives an object one serial for ever, and primitives none', () => {
    const [a, b] = [{}, {}];
    const refOf = (value: unknown) => (JSON.parse(valueText(value) as string) as unknown[])[3];
    expect(refOf(a)).toBe(refOf(a));
    expect(refOf(a)).not.toBe(refOf(b));
    expect([refOf(1), refOf('a'), refOf(null)]).toEqual([undefined, undefined, undefined]);
  });

  it('stays within its bounds for what is wide and deep', () => {
    let wide: unknown = 'x'.repeat(1000);
    for (let depth = 0; depth < 6; depth += 1) wide = Array(50).fill(wide);
    const [, text, truncated] = textOf(wide);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(truncated).toBe(true);
  });
});
