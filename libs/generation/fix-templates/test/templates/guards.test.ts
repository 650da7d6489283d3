import { describe, expect, test } from 'vitest';
import { guards } from '../../src/templates/guards.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(guards.name, text, options);
const javascript = (line: number): Case => ({ path: 'case.ts', line });

describe('guards', () => {
  test('a way out before the statement: the next round, what the function returns, an error it raises', async () => {
    const text =
      'def f(items):\n    for item in items:\n        g(item.name)\n    if items:\n        return -1\n    raise E("x")\n';
    const found = await of(text, { line: 3 });
    const guarded = (check: string, exit: string) =>
      text.replace('        g(', `        if ${check}:\n            ${exit}\n        g(`);
    expect(found['none-continue']?.[0]).toBe(guarded('item is None', 'continue'));
    expect(found['empty-continue']?.[0]).toBe(guarded('not item', 'continue'));
    expect(found['none-seen']?.[0]).toBe(guarded('item is None', 'return -1'));
    expect(found['none-raise']?.[0]).toBe(guarded('item is None', 'raise E("x")'));
    expect(found['empty-return']?.[0]).toBe(guarded('not item', 'return None'));
  });

  test('around the statement', async () => {
    const text = 'def f(a):\n\tif a.b:\n\t\tg(\n\t\t\ta.c,\n\t\t)\n';
    const { 'around-some': found = [] } = await of(text, { line: 3, last: 5 });
    expect(found).toContain('def f(a):\n\tif a.b:\n\t\tif a is not None:\n\t\t\tg(\n\t\t\t\ta.c,\n\t\t\t)\n');
  });

  test('in front of a condition', async () => {
    const found = await of('def f(xs, i):\n    while xs[i] > 0 or i:\n        i += 1\n', { line: 2 });
    const lines = Object.fromEntries(
      Object.entries(found).map(([key, texts]) => [key, texts[0]?.split('\n')[1]?.trim()]),
    );
    expect(lines).toMatchObject({
      'condition-some-and': 'while xs is not None and (xs[i] > 0 or i):',
      'condition-none-or': 'while xs is None or xs[i] > 0 or i:',
      'condition-empty-or': 'while not xs or xs[i] > 0 or i:',
      'condition-bound-and': 'while i < len(xs) and (xs[i] > 0 or i):',
      'condition-from-zero-and': 'while i >= 0 and (xs[i] > 0 or i):',
    });
  });

  test('a divisor, an index', async () => {
    const found = await of('def f(a, b, c):\n    return a[c] / b\n', { line: 2 });
    expect(found['zero-return']).toEqual(['def f(a, b, c):\n    if b == 0:\n        return\n    return a[c] / b\n']);
    expect(found['bound-return']).toEqual([
      'def f(a, b, c):\n    if c >= len(a):\n        return\n    return a[c] / b\n',
    ]);
  });

  test('JavaScript: null and undefined at once, on one line', async () => {
    const text = 'function f(a) {\n  return a.b ?? 1 > 2;\n}\n';
    const found = await of(text, javascript(2));
    expect(found['none-return']?.[0]).toBe('function f(a) {\n  if (a == null) return;\n  return a.b ?? 1 > 2;\n}\n');
    const condition = await of('function f(a) {\n  if (a.b ?? a.c) g();\n}\n', javascript(2));
    expect(condition['condition-some-and']?.[0]).toContain('if (a != null && (a.b ?? a.c)) g();');
  });

  test('keeps line ends', async () => {
    const found = await of('def f(a):\r\n    x = a.b\r\n    return x\r\n', { line: 2 });
    expect(found['none-return']?.[0]).toBe('def f(a):\n    if a is None:\n        return\n    x = a.b\n    return x\n');
  });

  test.each([
    ['a suite on the line of its header', 'def f(a): return a.b', {}],
    ['the second statement of a line', 'def f(a):\n    x = 1; g(a.b)', { line: 2 }],
    ['a module', 'x = a.b', {}],
    ['a class body', 'class A:\n    x = a.b', {}],
    ['a docstring', 'def f(a):\n    """a.b"""', {}],
    ['what declares scopes', 'def f(a):\n    global b\n    return 1', { line: 2 }],
    ['a statement before a declaration of scope', 'def f(a):\n    g(a.b)\n    global b', { line: 2 }],
    ['a directive', "function f(a) {\n  'use strict';\n}", javascript(2)],
    ['the only statement of a branch', 'function f(a) {\n  if (b)\n    g(1);\n}', javascript(3)],
    ['a clause of match', 'def f(a):\n    match a:\n        case 1:\n            pass', { line: 3 }],
    ['the header of elif', 'def f(a):\n    if b: pass\n    elif c: pass', { line: 3 }],
  ])('puts nothing before %s', async (_, text, options) => {
    const found = Object.keys(await of(text, options));
    expect(found.filter((variant) => !/^(condition|returned)/.test(variant))).toEqual([]);
  });
});
