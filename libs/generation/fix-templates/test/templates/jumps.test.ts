import { describe, expect, test } from 'vitest';
import { jumps } from '../../src/templates/jumps.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(jumps.name, text, options);
const LOOP = 'def f(a):\n    for b in a:\n        if b:\n            g(b)\n            break\n    return a\n';

describe('jumps', () => {
  test('for one another and left out', async () => {
    expect(await of(LOOP, { line: 5 })).toEqual({
      'break-to-continue': [LOOP.replace('break', 'continue')],
      'break-to-return': [LOOP.replace('break', 'return')],
      'break-to-seen': [LOOP.replace('break', 'return a')],
      'break-dropped': [LOOP.replace('\n            break', '')],
    });
    expect((await of('for a in b:\n    if a: continue\n', { line: 2 }))['continue-dropped']).toEqual([
      'for a in b:\n    if a: pass\n',
    ]);
    expect((await of('for (;;) if (a) break;\n', { path: 'c.js', line: 1 }))['break-dropped']).toEqual([
      'for (;;) if (a) {}\n',
    ]);
  });

  test('put at the end of a block', async () => {
    const found = await of(LOOP.replace('            break\n', ''), { line: 4 });
    expect(found['break-added-in-branch']).toEqual([LOOP]);
    expect(Object.keys(found).sort()).toEqual([
      'break-added-in-branch',
      'continue-added-in-branch',
      'return-added-in-branch',
      'seen-added-in-branch',
    ]);
    const text = 'switch (a) {\n  case 1:\n    b();\n  default:\n    c()\n}\n';
    expect(await of(text, { path: 'c.ts', line: 3 })).toEqual({
      'break-added-in-case': [text.replace('b();', 'b();\n    break;')],
    });
    expect((await of(text, { path: 'c.ts', line: 5 }))['break-added-in-case']).toEqual([
      text.replace('c()', 'c();\n    break;'),
    ]);
  });

  test.each([
    ['labels', 'a: for (;;) {\n  break a;\n}', { path: 'c.ts', line: 2 }],
    ['modules', 'if a:\n    b()', { line: 2 }],
    ['one-line suites', 'def f():\n    for a in b: c()', { line: 2 }],
  ])('leaves %s alone', async (_, text, options) => {
    expect(await of(text, options)).toEqual({});
  });

  test('returns no value from an asynchronous generator, none that is not bound', async () => {
    const text = 'async def f(a):\n    if a:\n        g(a)\n    yield 1\n    return\n';
    expect(Object.keys(await of(text, { line: 3 }))).toEqual(['return-added-in-branch']);
    const unbound = 'def f(a):\n    if a:\n        g(a)\n    b = 1\n    return b\n';
    expect(Object.keys(await of(unbound, { line: 3 }))).toEqual(['return-added-in-branch']);
  });
});
