import { describe, expect, test } from 'vitest';
import { statements } from '../../src/templates/statements.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(statements.name, text, options);
const LOOP = 'def f(a):\n    x = 1\n    for b in a:\n        x += b\n        c = x\n    return x\n';

describe('statements', () => {
  test('left out, with its line', async () => {
    expect(await of('def f(a):\n    x = 1\n    g(a)  # why\n    return x\n', { line: 3 })).toMatchObject({
      'deleted-other': ['def f(a):\n    x = 1  # why\n    return x\n'],
    });
    expect((await of('def f(a):\n    g(a)\n', { line: 2 }))['deleted-other']).toEqual(['def f(a):\n    pass\n']);
    expect((await of('if a: g(a)\n', { line: 1 }))['deleted-branch']).toEqual(['pass\n']);
    expect((await of('x = 1; y = 2\n', { line: 1 }))['deleted-assignment']).toEqual(['y = 2\n', 'x = 1\n']);
    expect((await of('if (a) {\n  g();\n}\n', { path: 'c.ts', line: 2 }))['deleted-other']).toEqual([
      'if (a) {\n  \n}\n',
    ]);
  });

  test('a condition taken from around its block', async () => {
    const found = await of('def f(a):\n    if a:\n        g(\n            a)\n        return 1\n    return 2\n', {
      line: 2,
    });
    expect(found['condition-dropped']).toEqual(['def f(a):\n    g(\n        a)\n    return 1\n    return 2\n']);
    expect((await of('if (a) b();\n', { path: 'c.js', line: 1 }))['condition-dropped']).toEqual(['b();\n']);
    expect((await of('if (a) {\n  const b = 1;\n}\n', { path: 'c.js', line: 1 }))['condition-dropped']).toBeUndefined();
    expect((await of('if a:\n    b = """\n    c"""\n', { line: 1 }))['condition-dropped']).toBeUndefined();
    expect((await of('if a: pass\nelse: b()\n', { line: 1 }))['condition-dropped']).toBeUndefined();
  });

  test('neighbours that share a name change places', async () => {
    const found = await of(LOOP, { line: 4 });
    expect(found['swapped-next']).toEqual([LOOP.replace('x += b\n        c = x', 'c = x\n        x += b')]);
    expect((await of('a = 1\nb = 2\n', { line: 1 }))['swapped-next']).toBeUndefined();
    expect((await of('a = b\nb = a\n', { line: 2 }))['swapped-previous']).toEqual(['b = a\na = b\n']);
    expect((await of('a(b)\nb(a)\n', { path: 'c.js', line: 1 }))['swapped-next']).toEqual(['b(a)\na(b)\n']);
    expect((await of('a(b)\n;[b] = a\n', { path: 'c.js', line: 1 }))['swapped-next']).toBeUndefined();
  });

  test('moved out of a loop or branch', async () => {
    expect((await of(LOOP, { line: 5 }))['out-after-loop']).toEqual([
      'def f(a):\n    x = 1\n    for b in a:\n        x += b\n    c = x\n    return x\n',
    ]);
    const branch = 'def f(a):\n    if a:\n        x = 1\n    else:\n        g()\n    return 1\n';
    expect((await of(branch, { line: 3 }))['out-before-branch']).toEqual([
      'def f(a):\n    x = 1\n    if a:\n        pass\n    else:\n        g()\n    return 1\n',
    ]);
    const typescript = 'for (const a of b) {\n  c(1);\n  d(2);\n}\n';
    expect((await of(typescript, { path: 'c.ts', line: 3 }))['out-after-loop']).toEqual([
      'for (const a of b) {\n  c(1);\n}\nd(2);\n',
    ]);
  });

  test('moved into a loop or branch', async () => {
    expect((await of(LOOP, { line: 6 }))['in-end-loop']).toEqual([
      'def f(a):\n    x = 1\n    for b in a:\n        x += b\n        c = x\n        return x\n',
    ]);
    expect((await of(LOOP, { line: 2 }))['in-start-loop']).toEqual([
      'def f(a):\n    for b in a:\n        x = 1\n        x += b\n        c = x\n    return x\n',
    ]);
    const typescript = 'for (const a of b) {\n  c(1);\n}\nd(2);\n';
    expect((await of(typescript, { path: 'c.ts', line: 4 }))['in-end-loop']).toEqual([
      'for (const a of b) {\n  c(1);\n  d(2);\n}\n',
    ]);
  });

  test.each([
    ['a docstring', 'def f():\n    """a"""\n    x = 1\n', 2],
    ['an import', 'import a\nx = 1\n', 1],
    ['a decorated function', '@a\ndef f(): pass\n', 1],
    ['what declares scopes', 'def f():\n    global a\n    a = 1\n', 2],
    ['beside what declares scopes', 'def f():\n    global a\n    a = 1\n', 3],
    ['a jump out of its loop', 'for a in b:\n    if a:\n        c()\n    break\n', 4],
  ])('never %s', async (_, text, line) => {
    const found = await of(text, { line });
    expect(Object.keys(found).filter((variant) => /^(out|deleted|swapped)/.test(variant))).toEqual([]);
  });

  test('nothing that uses a name of the loop leaves it, nor a name of the block', async () => {
    expect((await of('for a in b:\n    c()\n    d(a)\n', { line: 3 }))['out-after-loop']).toBeUndefined();
    const typescript = 'for (const a of b) {\n  const c = a;\n  d(c);\n}\n';
    expect((await of(typescript, { path: 'c.ts', line: 3 }))['out-after-loop']).toBeUndefined();
  });

  test('no line joins another for want of a semicolon', async () => {
    const text = 'let a = b\nc()\n(d)\n[e]\n';
    const removed = await of('let a = b\nc();\n[e].f()\n', { path: 'c.js', line: 2 });
    expect(removed['deleted-other']).toBeUndefined();
    expect(await of(text, { path: 'c.js', line: 2 })).toBeDefined();
  });
});
