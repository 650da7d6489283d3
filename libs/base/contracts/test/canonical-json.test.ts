import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, hashRecord, sha256Hex } from '../src/index.ts';
import { messageOf } from './check-error.ts';

describe('canonicalJson: RFC 8785', () => {
  test('§3.2.2 and §3.2.3: primitives and the order of keys', () => {
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('§3.2.3: keys are ordered by UTF-16 units', () => {
    const input = {
      '\u20ac': 'Euro',
      '\r': 'CR',
      '\ufb33': 'Dagesh',
      '1': 'One',
      '\u{1f600}': 'Smile',
      '\u0080': 'Ctl',
      '\u00f6': 'O',
    };
    expect(Object.values(JSON.parse(canonicalJson(input)))).toHaveLength(7);
    expect(canonicalJson(input)).toBe(
      '{"\\r":"CR","1":"One","\u0080":"Ctl","\u00f6":"O","\u20ac":"Euro","\u{1f600}":"Smile","\ufb33":"Dagesh"}',
    );
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: %s is %s', (bits, expected) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(expected);
  });

  test.each([
    [
      '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
      undefined,
    ],
    ['[56,{"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
    ],
    ['{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
    ['"<script>\\u2028\\ud83d\\ude02\\u007f"', '"<script>\u2028😂\u007f"'],
  ])('whole documents: %s', (text, expected) => expect(canonicalJson(JSON.parse(text))).toBe(expected ?? text));

  test('is JSON of the same value, the same for any order of keys, and its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(turned(value))).toBe(text);
      }),
    );
  });
});

describe('canonicalJson refuses what JSON cannot say', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'undefined'],
    ['a function in a list', [() => 1], 'function at /0'],
    ['a hole', [1, undefined], 'undefined at /1'],
    ['NaN', { a: { b: Number.NaN } }, 'NaN at /a/b'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'Infinity at /0'],
    ['a bigint', { n: 1n }, 'bigint at /n'],
    ['a symbol', { s: Symbol('s') }, 'symbol at /s'],
    ['a date', { at: new Date(0) }, 'Date at /at'],
    ['a map', new Map(), 'Map'],
    ['bytes', { b: new Uint8Array(1) }, 'Uint8Array at /b'],
    ['a cycle', cycle, 'cycle at /self'],
    ['a lone surrogate', { s: 'x\ud800' }, 'lone surrogate at /s'],
    ['a lone surrogate in a key', { '\udc00': 1 }, 'lone surrogate'],
    ['toJSON', { toJSON: () => 1 }, 'toJSON'],
    ['nesting without end', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'nested too deeply'],
  ])('%s', (_, value, expected) => expect(messageOf('not_json', () => canonicalJson(value))).toContain(expected));

  test('an absent key and a shared object are no problem', () => {
    const shared = { x: 1 };
    expect(canonicalJson({ b: shared, a: shared, none: undefined })).toBe('{"a":{"x":1},"b":{"x":1}}');
  });
});

describe('sha256Hex and hashRecord', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('%j', (text, expected) => {
    expect(sha256Hex(text)).toBe(expected);
    expect(sha256Hex(new TextEncoder().encode(text))).toBe(expected);
  });

  test('agrees with node:crypto', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' }), (bytes, text) => {
        expect(sha256Hex(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
      }),
    );
  });

  test('hashes the canonical form', () => {
    expect(hashRecord({ b: 1, a: [] })).toBe(sha256Hex('{"a":[],"b":1}'));
    expect(hashRecord({ a: [], b: 1 })).toBe(hashRecord({ b: 1, a: [] }));
  });
});

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, turned(item)]),
  );
}
