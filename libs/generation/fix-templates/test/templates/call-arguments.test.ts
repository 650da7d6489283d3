import { describe, expect, test } from 'vitest';
import { callArguments } from '../../src/templates/call-arguments.ts';
import { type Case, textsOf } from '../results-of.ts';

const lineOf = async (text: string, line: number, options: Case = {}) => {
  const found = await textsOf(callArguments.name, text, { line, ...options });
  return Object.fromEntries(
    Object.entries(found).map(([variant, texts]) => [variant, texts.map((one) => one.split('\n')[line - 1]?.trim())]),
  );
};

describe('callArguments', () => {
  test('one left out, with its comma', async () => {
    expect(await lineOf('def f(a, b):\n    g(a, b, c=1)\n', 2)).toMatchObject({
      'dropped-other': ['g(b, c=1)', 'g(a, c=1)'],
      'dropped-keyword': ['g(a, b)'],
    });
    expect((await lineOf('def f(a):\n    g(a)\n', 2))['dropped-only']).toEqual(['g()']);
    expect((await lineOf('def f(a):\n    g(a,)\n', 2))['dropped-only']).toEqual(['g()']);
  });

  test('one put in: what another call of the same passes there, a keyword of it, a name of the place', async () => {
    const text = 'def f(a, b):\n    g(a, b)\n    g(b, key=a)\n    g(a)\n';
    expect(await lineOf(text, 4)).toMatchObject({
      'added-seen': ['g(a, b)'],
      'added-keyword': ['g(a, key=a)'],
    });
    expect((await lineOf('def f(a, b):\n    h()\n', 2))['added-name']).toEqual(['h(a)', 'h(b)']);
  });

  test('one exchanged for what another call passes in its place', async () => {
    const text = 'function f(a, b) {\n  g(a.one, 2);\n  g(b.two, 2);\n}\n';
    expect((await lineOf(text, 3, { path: 'a.js' })).exchanged).toEqual(['g(a.one, 2);']);
  });

  test('nothing of decorators, spreads and calls of super', async () => {
    expect(await lineOf('@d(1)\ndef f(a):\n    return g(*a)\n', 3)).toEqual({});
    expect(
      await lineOf('class A extends B {\n  constructor(a) {\n    super(a);\n  }\n}\n', 3, { path: 'a.js' }),
    ).toEqual({});
  });
});
