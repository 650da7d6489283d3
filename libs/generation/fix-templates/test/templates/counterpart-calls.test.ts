import { describe, expect, test } from 'vitest';
import { counterpartCalls } from '../../src/templates/counterpart-calls.ts';
import { resultsOf } from '../results-of.ts';

describe('counterpartCalls', () => {
  test.each([
    ['x = min(a, b)', ['x = max(a, b)']],
    ['x = a.startswith("b")', ['x = a.endswith("b")']],
    ['x = any(a) and all(b)', ['x = all(a) and all(b)', 'x = any(a) and any(b)']],
    ['x = d.keys()', ['x = d.entries()', 'x = d.items()', 'x = d.values()']],
    ['x = min', []],
    ['x = a.min', []],
    ['x = unknown(a)', []],
    ['x = "min(a)"', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(counterpartCalls.name, statement)).toEqual(expected);
  });

  test.each([
    ['a.push(b);', ['a.unshift(b);']],
    ['x = Math.floor(a);', ['x = Math.ceil(a);', 'x = Math.round(a);', 'x = Math.trunc(a);']],
    ['x = a?.some?.(b);', ['x = a?.every?.(b);']],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(counterpartCalls.name, statement, { path: 'case.ts' })).toEqual(expected);
  });

  test('a call of a generator expression', async () => {
    expect(await resultsOf(counterpartCalls.name, 'x = all(a in b for a in c)')).toEqual([
      'x = any(a in b for a in c)',
    ]);
  });
});
