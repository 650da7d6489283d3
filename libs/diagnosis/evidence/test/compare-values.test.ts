import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  compareValues,
  isSameText,
  nameType,
  normalize,
  numberOf,
  typeOfText,
  unquote,
} from '../src/compare-values.ts';

it('spells texts one way', () => {
  expect(normalize("{ 'a' : [1_0, 2.50 ] }")).toBe('{"a":[10,2.5f]}');
  expect(normalize("['a b', “x”]")).toBe('["a b",“x”]');
  expect(normalize('User{id: 007}')).toBe('User{id:7}');
});
it('reads string literals', () => {
  expect(unquote("'a\\n\\x41\\u0042\\\\'")).toBe('a\nAB\\');
  expect(unquote("'a' + 'b'")).toBe("'a' + 'b'");
  expect(unquote('a')).toBe('a');
});
it('reads numbers', () => {
  expect(['1', '-1.5', '.5', '1e3', '1_000', 'inf', '1.'].map(numberOf)).toEqual([
    1,
    -1.5,
    0.5,
    1000,
    1000,
    Number.POSITIVE_INFINITY,
    1,
  ]);
  expect(['', '.', 'a', '1a', '0x10', '1 2', '--1'].map(numberOf)).toEqual(Array(7).fill(undefined));
});
it('reads types off literals', () => {
  expect(["'a'", "b'a'", 'True', '-3', '3.0', 'None', '[1]', 'User{}'].map(typeOfText)).toEqual([
    'str',
    'bytes',
    'bool',
    'int',
    'float',
    'NoneType',
    'list',
    '',
  ]);
  expect(['string', 'builtins.int', 'Array'].map(nameType)).toEqual(['str', 'int', 'list']);
});
it('never calls two different numbers or strings equal', () => {
  const of = (type: string, text: string) => ({ type, text, truncated: false });
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      expect(compareValues(of('int', `${a}`), of('int', `${b}`)) === 'equal').toBe(a === b);
    }),
  );
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
      expect(isSameText(x, y, 'str')).toBe(a === b || x === b);
      expect(isSameText(`[${x}]`, `[${y}]`, 'list')).toBe(a === b);
    }),
    { numRuns: 500, seed: 3 },
  );
});
