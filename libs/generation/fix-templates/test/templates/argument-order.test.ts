import { describe, expect, test } from 'vitest';
import { argumentOrder } from '../../src/templates/argument-order.ts';
import { resultsOf } from '../results-of.ts';

describe('argumentOrder', () => {
  test.each([
    ['f(a, b)', ['f(b, a)']],
    ['f(a, b, c)', ['f(a, c, b)', 'f(b, a, c)', 'f(c, b, a)']],
    ['f(a, b, k=c)', ['f(b, a, k=c)']],
    ['f(a, b, *c, d)', ['f(b, a, *c, d)']],
    ['f(a, *b, c)', []],
    ['f(a, a)', []],
    [
      'f(a, (b, c), [d, e])',
      [
        'f((b, c), a, [d, e])',
        'f([d, e], (b, c), a)',
        'f(a, [d, e], (b, c))',
        'f(a, (b, c), [e, d])',
        'f(a, (c, b), [d, e])',
      ].sort(),
    ],
    ['x = a - b', ['x = b - a']],
    ['x = a - b - c', ['x = b - a - c', 'x = c - (a - b)']],
    ['x = a - (b - c)', ['x = (b - c) - a', 'x = a - (c - b)']],
    ['x = a + b', ['x = b + a']],
    ['x = a + 1', []],
    ['x = a / 2', ['x = 2 / a']],
    ['x = a < b', []],
    ['x = -a ** b', ['x = -b ** a']],
    ['x = m[i][j]', ['x = m[j][i]']],
    ['x = m[i, j]', []],
    ['x = a, b', ['x = b, a']],
    ['x = a, b, c, d', []],
    ['def f(a, b=(1, 2)): pass', ['def f(a, b=(2, 1)): pass']],
    ['@f(a, b)\ndef g(): pass', []],
    ['x: f[a, b] = c', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(argumentOrder.name, statement)).toEqual(expected);
  });

  test.each([
    ['new F(a, b, ...c);', ['new F(b, a, ...c);']],
    ['a?.(b, c);', ['a?.(c, b);']],
    ['x = a ** -b;', ['x = (-b) ** a;']],
    ['x = [a, b];', ['x = [b, a];']],
    ['const [a, b] = c;', []],
    ['f<A, B>(a);', []],
    ['f((a, b), (c) => c);', ['f((c) => c, (a, b));']],
    ['import a, { b } from "c";', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(argumentOrder.name, statement, { path: 'case.ts' })).toEqual(expected);
  });

  test('swaps only neighbours of many', async () => {
    expect(await resultsOf(argumentOrder.name, 'f(a, b, c, d, e)')).toHaveLength(10);
    expect(await resultsOf(argumentOrder.name, 'f(a, b, c, d, e, g)')).toHaveLength(5);
  });

  test('keeps what stands between', async () => {
    const text = 'f(a, // first\n  b);';
    expect(await resultsOf(argumentOrder.name, text, { path: 'case.ts', line: 1, last: 2 })).toEqual([
      'f(b, // first\n  a);',
    ]);
  });
});
