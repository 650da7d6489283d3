import { describe, expect, test } from 'vitest';
import { literals } from '../../src/templates/literals.ts';
import { resultsOf } from '../results-of.ts';

describe('literals', () => {
  test.each([
    ['x = None', ['x = 0', 'x = False', "x = ''", 'x = []', 'x = True']],
    ['if x is None: pass', []],
    ['x = True', ['x = None']],
    ['x = ""', ['x = None']],
    ['x = []', ['x = None', 'x = {}']],
    ['x = [1]', ['x = [1.0]']],
    ['x = 0', ['x = 0.0', 'x = None', "x = float('inf')", "x = -float('inf')"]],
    ['x = 3', ['x = 3.0']],
    ['x = 2.0', ['x = 2']],
    ['x = 0.5', ['x = 0', 'x = 1']],
    ['x = "ab"', ['x = "AB"', 'x = "Ab"']],
    ['x = ", "', ['x = ","', 'x = " , "']],
    ['x = {"ab": 1}', ['x = {"ab": 1.0}']],
    ['x = "a" "b"', []],
    ['"""ab"""', []],
    ['x = f"{a[0]}"', ['x = f"{a[0.0]}"']],
    ['x = 007', []],
    ['x = 0x10', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(literals.name, statement)).toEqual([...expected].sort());
  });

  test.each([
    ['x = null;', ['x = undefined;', 'x = 0;', 'x = false;', "x = '';", 'x = [];', 'x = true;']],
    ['x = false;', ['x = null;']],
    ["x = 'ab';", ["x = 'AB';", "x = 'Ab';"]],
    ['f({});', ['f([]);', 'f(null);']],
    ['f(() => {});', []],
    ["'use strict';", []],
    ["const x: 'ab' = y as 'cd';", []],
    ["x = { 'ab': y };", []],
    ['enum A { B = 0 }', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(literals.name, statement, { path: 'case.ts' })).toEqual([...expected].sort());
  });
});
