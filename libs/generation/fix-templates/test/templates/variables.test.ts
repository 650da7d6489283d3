import { describe, expect, test } from 'vitest';
import { variables } from '../../src/templates/variables.ts';
import { type Case, candidatesOf, resultsOf } from '../results-of.ts';

const check = async (text: string, expected: string[], options: Case = {}) => {
  expect(await resultsOf(variables.name, text, options)).toEqual([...expected].sort());
};
const ts = { path: 'case.ts' };

describe('variables', () => {
  test('parameters and locals that are assigned by then', async () => {
    await check('def f(a, b):\n    c = 1\n    g(a)\n    e = 2', ['g(b)', 'g(c)'], { line: 3 });
    await check('def f(a):\n    return a\n    b = 1', [], { line: 2 });
    await check('def f(a):\n    for b in a:\n        g(b)', ['g(a)']);
    await check('def f(a, b):\n    return [c for c in a if c > b]', [
      'return [a for c in a if c > b]',
      'return [b for c in a if c > b]',
      'return [c for c in a if a > b]',
      'return [c for c in a if c > a]',
      'return [c for c in b if c > b]',
    ]);
  });

  test('names of the module and of functions around, never those of a class or of another function', async () => {
    await check('M = 1\ndef g(z): y = 2\ndef f(a):\n    return a', ['return M']);
    await check('class C:\n    n = 1\n    def f(self, a):\n        return a', []);
    await check('def g(b):\n    def f(a):\n        return a', ['return b']);
    await check('const m = 1;\nfunction g(z) { const y = 2; }\nfunction f(a) {\n  return a;\n}', ['return m;'], {
      ...ts,
      line: 4,
    });
    await check('function f(a) {\n  return a;\n  { let b = 1; }\n}', [], { ...ts, line: 2 });
  });

  test('targets of assignments', async () => {
    await check('def f(lo, hi):\n    mid = lo\n    lo = 1', ['mid = 1', 'hi = 1']);
    await check('def f(a, b):\n    a += 1', ['b += 1']);
    await check('for a in 1, 2: pass\nfor b in 3, 4: pass', []);
    await check('m = 1\ndef f():\n    a = 1\n    a = 2', []);
    await check('def f(a, b):\n    c = 1', []);
    await check('let a = 1, b = 2;\na = 3;', ['b = 3;'], ts);
    await check('let a = 1, b = 2;\nlet c = 3;', [], ts);
  });

  test('functions for functions, classes for classes, nothing for what is built in', async () => {
    await check('def f(): pass\ndef g(): pass\nx = f()', ['x = g()']);
    await check('class A: pass\nclass B: pass\ndef f(): pass\nx = A()', ['x = B()']);
    await check('y = 1\nprint(len([]))', []);
    await check('def f(y):\n    return lenght', ['return y']);
  });

  test('nothing that says the same of two sides', async () => {
    await check('def f(a, b):\n    return a < b', []);
    await check('def f(a, b):\n    return a - b', []);
    await check('def f(a, b):\n    return a + b', ['return a + a', 'return b + b']);
    await check('def f(a, b):\n    a = b', []);
  });

  test('leaves names alone that are no variables', async () => {
    await check('def f(self, a):\n    return self.b', []);
    await check('def f(a, b):\n    g(a=1)', []);
    await check('def f(a, b: a): pass', []);
    await check('import a, b', []);
    await check('def f(a, b):\n    global c', []);
    await check('type A = 1; type B = 2;\nlet x: A;', [], ts);
    await check('function f(a, b) {\n  g({ a: 1, m() {} });\n}', [], { ...ts, line: 2 });
    await check('function f(a, b) {\n  b: for (;;) break b;\n}', [], { ...ts, line: 2 });
    await check('function f(a, b) {\n  return <a b="1" />;\n}', [], { path: 'case.tsx', line: 2 });
  });

  test('short forms of object literals', async () => {
    await check('function f(a, b) {\n  return { a };\n}', ['return { b };', 'return { a: b };'], { ...ts, line: 2 });
  });

  test('likeliest first: unused ones, then the same role', async () => {
    const text = 'def f(xs, ys, unused, size):\n    n = size + 1\n    print(ys[0])\n    return xs[n]';
    const found = await candidatesOf([variables], text);
    const names = found
      .filter(({ blocks }) => /xs/.test(blocks?.[0]?.search ?? ''))
      .map(({ blocks }) => blocks?.[0]?.replace);
    expect(names[0]).toBe('unused');
    expect(names.indexOf('ys')).toBeLessThan(names.indexOf('size'));
  });

  test('proposes a bounded number', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `v${index}`);
    expect(await resultsOf(variables.name, `def f(${names.join(', ')}):\n    return v0`)).toHaveLength(8);
  });
});
