import { describe, expect, test } from 'vitest';
import { negatedCondition } from '../../src/templates/negated-condition.ts';
import { resultsOf } from '../results-of.ts';

describe('negatedCondition', () => {
  test.each([
    ['if a: pass', ['if not a: pass']],
    ['while a and b: pass', ['while not (a and b): pass']],
    ['if a < b < c: pass', ['if not a < b < c: pass']],
    ['if(a): pass', ['if not (a): pass']],
    ['if (n := f()): pass', ['if not (n := f()): pass']],
    ['if n := f(): pass', ['if not (n := f()): pass']],
    ['if a if b else c: pass', ['if a if not b else c: pass', 'if not (a if b else c): pass']],
    ['x = 1 if b else 2', ['x = 1 if not b else 2']],
    ['x = [i for i in y if i.z]', ['x = [i for i in y if not i.z]']],
    ['x = {i for i in y if (yield)}', ['x = {i for i in y if not (yield)}']],
    ['assert a, b', ['assert not a, b']],
    ['def f(): return a or b', ['def f(): return not (a or b)']],
    ['x = a', ['x = not a']],
    ['x = key(lambda a: a)', ['x = key(lambda a: not a)', 'x = not key(lambda a: a)']],
    ['x = 1', []],
    ['x += a', []],
    ['for a in b: pass', []],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(negatedCondition.name, statement)).toEqual(expected);
  });

  test.each([
    ['if (a || b) {}', ['if (!(a || b)) {}']],
    ['while (a) {}', ['while (!a) {}']],
    ['do { f(); } while (a.b);', ['do { f(); } while (!a.b);']],
    ['for (; a; ) {}', ['for (; !a; ) {}']],
    ['for (;;) {}', []],
    ['f(a ?? b ? c : d);', ['f(!(a ?? b) ? c : d);']],
    ['f(a = b ? c : d);', ['f(a = !b ? c : d);']],
    ['f((y) => y.z);', ['f((y) => !y.z);']],
    ['const x = a as boolean;', []],
    ['const x = a?.b;', ['const x = !a?.b;']],
    ['if (await a) {}', ['if (!await a) {}']],
  ])('%s', async (statement, expected) => {
    expect(await resultsOf(negatedCondition.name, statement, { path: 'case.ts' })).toEqual(expected);
  });

  test('leaves to other templates what has an opposite', async () => {
    for (const statement of ['if a < b: pass', 'if a in b: pass', 'if not a: pass', 'return a == b']) {
      expect(await resultsOf(negatedCondition.name, statement)).toEqual([]);
    }
  });

  test('negates a returned truth value, in the header of no other statement', async () => {
    const text = 'def f(a):\n    if a:\n        return a or b';
    expect(await resultsOf(negatedCondition.name, text)).toEqual(['return not (a or b)']);
    expect(await resultsOf(negatedCondition.name, text, { line: 2 })).toEqual(['if not a:']);
    expect(await resultsOf(negatedCondition.name, text, { line: 1 })).toEqual([]);
  });
});
