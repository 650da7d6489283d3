import { describe, expect, test } from 'vitest';
import { returns } from '../../src/templates/returns.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(returns.name, text, options);

describe('returns', () => {
  test('a missing word', async () => {
    expect(await of('def f(a):\n    g(a)\n', { line: 2 })).toMatchObject({
      'added-last': ['def f(a):\n    return g(a)\n'],
    });
    const typescript = 'const f = (a) => {\n  if (a) {\n    g(a)\n  }\n};\n';
    expect(await of(typescript, { path: 'c.ts', line: 3 })).toEqual({
      'added-in-block': [typescript.replace('g(a)', 'return g(a)')],
    });
  });

  test('a missing last line: names that the function changed, latest first', async () => {
    const text = 'def f(a):\n    b = []\n    c = 1\n    for x in a:\n        b.append(x)\n        c += 1\n';
    expect((await of(text, { line: 4 }))['added-name']?.slice(0, 2)).toEqual([
      `${text}    return c\n`,
      `${text}    return b\n`,
    ]);
    const typescript = 'function f(a) {\n  const b = [];\n  for (const c of a) {\n    b.push(c);\n  }\n}\n';
    expect((await of(typescript, { path: 'c.ts', line: 3 }))['added-name']).toEqual([
      typescript.replace('  }\n}\n', '  }\n  return b;\n}\n'),
    ]);
  });

  test('a name that the last statement itself assigns, first', async () => {
    const text = 'def f(a):\n    b = g(a)\n    c = h(b)\n';
    expect((await of(text, { line: 3 }))['added-name']).toEqual([`${text}    return c\n`, `${text}    return b\n`]);
  });

  test('another value', async () => {
    const text = 'def f(a):\n    if a:\n        return -1\n    return a - 1\n';
    expect(await of(text, { line: 4 })).toEqual({
      'to-seen': [text.replace('return a - 1', 'return -1')],
      negative: [text.replace('return a - 1', 'return -(a - 1)')],
      'to-literal': ['None', 'True', 'False'].map((value) => text.replace('return a - 1', `return ${value}`)),
    });
    expect((await of('def f(a):\n    return a if b else -a\n', { line: 2 }))['one-side']).toEqual([
      'def f(a):\n    return a\n',
      'def f(a):\n    return -a\n',
    ]);
    expect((await of('def f(a):\n    return True\n', { line: 2 }))['literal-to-literal']).toEqual([
      'def f(a):\n    return None\n',
    ]);
  });

  test('a value for a bare return', async () => {
    const text = 'function f(a) {\n  if (a) return;\n  return 1;\n}\n';
    expect((await of(text, { path: 'c.ts', line: 2 }))['empty-to-name']).toEqual([
      text.replace('return;', 'return a;'),
    ]);
    const block = text.replace('return;', '{\n    return;\n  }');
    expect((await of(block, { path: 'c.ts', line: 3 }))['empty-to-seen']).toEqual([
      block.replace('return;', 'return 1;'),
    ]);
  });

  test.each([
    ['a module', 'g(a)', {}],
    ['a class body', 'class A:\n    g(a)', {}],
    ['a static block', 'class A {\n  static {\n    g(a);\n  }\n}', { path: 'c.ts', line: 3 }],
    ['an asynchronous generator', 'async def f():\n    yield 1\n    g(a)', {}],
    ['a lambda', 'x = lambda: g(a)', {}],
    ['a docstring', 'def f():\n    """a"""', {}],
  ])('nothing in %s', async (_, text, options) => {
    expect(await of(text, options)).toEqual({});
  });
});
