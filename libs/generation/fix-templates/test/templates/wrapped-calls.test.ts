import { describe, expect, test } from 'vitest';
import { wrappedCalls } from '../../src/templates/wrapped-calls.ts';
import { resultsOf } from '../results-of.ts';

const python = (text: string) => resultsOf(wrappedCalls.name, `def f(a, b):\n    ${text}`);
const typescript = (text: string, head = 'function f(a, b)') =>
  resultsOf(wrappedCalls.name, `${head} {\n  ${text}\n}`, { path: 'case.ts', line: 2 });

describe('wrappedCalls', () => {
  test('around a value, by its place', async () => {
    expect(await python('return a - b')).toEqual(
      expect.arrayContaining(['return abs(a - b)', 'return max(0, a - b)', 'return a - int(b)']),
    );
    expect(await python('return a - b.c')).toEqual(expect.arrayContaining(['return a - len(b.c)']));
    expect(await python('return a - b, b[0]')).toEqual(expect.arrayContaining(['return a - len(b), b[0]']));
    expect(await python('x = a / b')).toEqual(expect.arrayContaining(['x = int(a / b)', 'x = round(a / b)']));
    expect(await python('for x in a: pass')).toEqual(
      ['enumerate(a)', 'list(a)', 'reversed(a)', 'set(a)', 'sorted(a)', 'a.items()', 'a.values()', 'a.keys()']
        .map((text) => `for x in ${text}: pass`)
        .sort(),
    );
    expect(await python('print("x" + a)')).toEqual(expect.arrayContaining(['print("x" + str(a))']));
    expect(await typescript('return a / b;')).toEqual(
      expect.arrayContaining(['return Math.floor(a / b);', 'return Math.ceil(a / b);']),
    );
    expect(await typescript('return a < b;')).toEqual(
      expect.arrayContaining(['return Number(a) < b;', 'return Math.abs(a) < b;']),
    );
    expect(await typescript('return a < b && a[0];')).toEqual(
      expect.arrayContaining(['return a.length < b && a[0];', 'return a.trim() < b && a[0];']),
    );
    expect(await typescript('for (const c of a) {}')).toEqual(
      expect.arrayContaining(['for (const c of a.entries()) {}']),
    );
  });

  test('around nothing that is not read', async () => {
    for (const idle of ['a = 1', 'a.b = 1', 'del a', 'a[b] = 1', 'f(a=1)', 'x = "a"', 'x = 1']) {
      expect(
        (await python(idle)).filter((text) => !/\[\w+\(b\)\]/.test(text)),
        idle,
      ).toEqual([]);
    }
    expect(await typescript('a.b = 1;')).toEqual([]);
  });

  test('taken away', async () => {
    const without = async (text: string) => (await python(text)).filter((one) => one.length < text.length);
    expect(await without('x = len(a), a.strip()')).toEqual(['x = a, a.strip()', 'x = len(a), a']);
    expect(await without('x = max(0, a) + other(b)')).toEqual(['x = a + other(b)', 'x = max(0, a) + b']);
    expect(await without('x = int(1).b')).toEqual(['x = (1).b']);
    expect(await without('x = f(a or b) * 2')).toEqual(['x = (a or b) * 2']);
    expect(await python('del len(a).b')).toEqual([]);
    expect(await python('print(*a)')).toEqual([]);
    expect(await without('x = sum(x for x in a)')).toEqual([]);
    expect(await typescript('g({ c: 1 });')).toEqual([]);
    expect(await typescript('g([...a]);')).toEqual(expect.arrayContaining(['g(a);']));
    expect(await typescript('g(String(-1).c);')).toEqual(expect.arrayContaining(['g((-1).c);']));
    expect(await typescript('const c = () => String({ b: 1 });')).toEqual([]);
    expect(await typescript("const c = import('x');")).not.toContain("const c = 'x';");
    expect(
      await resultsOf(wrappedCalls.name, 'class A extends B {\n  constructor() {\n    super(1);\n  }\n}', {
        path: 'c.ts',
        line: 3,
      }),
    ).toEqual([]);
  });

  test('await: only in an asynchronous function, not in its parameters or in another function', async () => {
    expect(await typescript('g();', 'async function f(a)')).toEqual(['await g();']);
    expect(await typescript('g();')).toEqual([]);
    expect(await typescript('await g();', 'async function f(a)')).toEqual(['g();']);
    expect((await typescript('h(() => g());', 'async function f(a)')).filter((text) => /await/.test(text))).toEqual([
      'await h(() => g());',
    ]);
    expect((await typescript('const c = (d = g()) => 1;', 'async function f(a)')).join()).not.toContain('await');
    expect(await resultsOf(wrappedCalls.name, 'async def f():\n    g()')).toEqual(['await g()']);
    expect((await resultsOf(wrappedCalls.name, 'async def f():\n    return lambda: g()')).join()).not.toContain(
      'await',
    );
    expect(await resultsOf(wrappedCalls.name, 'async def f():\n    x = g() ** 2')).toEqual(
      expect.arrayContaining(['x = await g() ** 2']),
    );
    expect(await typescript('const c = g() ** 2;', 'async function f(a)')).toEqual(
      expect.arrayContaining(['const c = (await g()) ** 2;']),
    );
  });

  test('no quote, no brace where an interpolation ends', async () => {
    const found = await resultsOf(wrappedCalls.name, 'def f(a):\n    return f"{a - 1}"');
    expect(found.every((text) => /^return f"\{[^{"]*\}"$/.test(text))).toBe(true);
  });
});
