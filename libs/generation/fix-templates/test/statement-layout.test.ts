import { describe, expect, test } from 'vitest';
import { copyTree, nodeAround, type TreeNode } from '../src/copy-tree.ts';
import { javascript } from '../src/languages/javascript.ts';
import { python } from '../src/languages/python.ts';
import {
  functionAround,
  indentAt,
  loopAround,
  mayJoin,
  mayReturnValue,
  mayStart,
  reindented,
} from '../src/statement-layout.ts';
import { sharedParser } from './results-of.ts';

const parser = await sharedParser();
const LIMITS = { nodes: 10_000, keptNodes: 10_000, depth: 100 };

/** The smallest node of the marked text, `«…»`. */
function marked(text: string, language: 'python' | 'typescript'): { source: string; node: TreeNode } {
  const [start, end] = [text.indexOf('«'), text.indexOf('»') - 1];
  const source = text.replace(/[«»]/g, '');
  const root = parser.withTree(source, language, (tree) => copyTree(tree, [], LIMITS));
  return { source, node: nodeAround(root, start, end) };
}

describe('functionAround and loopAround', () => {
  test.each([
    ['def f():\n    for a in b:\n        «c»()', 'python', true, true],
    ['def f(a=«c»): pass', 'python', false, false],
    ['for a in b:\n    class C:\n        «c»()', 'python', false, false],
    ['for a in b:\n    lambda: «c»', 'python', true, false],
    ['for (;;) { () => { «c»() } }', 'typescript', true, false],
    ['class A { static { «c»() } }', 'typescript', false, false],
    ['async (a = «c»()) => a', 'typescript', false, false],
    ['function f() { while (1) «c»() }', 'typescript', true, true],
  ] as const)('%j', (text, language, isInFunction, isInLoop) => {
    const { node } = marked(text, language);
    const grammar = language === 'python' ? python : javascript;
    expect([functionAround(grammar, node) !== undefined, loopAround(grammar, node) !== undefined]).toEqual([
      isInFunction,
      isInLoop,
    ]);
  });
});

describe('mayReturnValue', () => {
  test.each([
    ['async def f():\n    yield 1\n    «a»', false],
    ['async def f():\n    def g(): yield 1\n    «a»', true],
    ['def f():\n    yield 1\n    «a»', true],
  ])('%j', (text, expected) => {
    const around = functionAround(python, marked(text, 'python').node);
    expect(around && mayReturnValue(python, around)).toBe(expected);
  });
});

describe('indentAt', () => {
  test.each([
    ['\tx', 1, '\t'],
    ['\ufeffx', 1, ''],
    ['a\r  x', 4, '  '],
    ['a; x', 3, undefined],
    ['if a: x', 6, undefined],
  ])('%j at %d', (source, offset, expected) => {
    expect(indentAt(source, offset)).toBe(expected);
  });
});

describe('reindented', () => {
  test.each([
    ['«f(\n    a,\n\n  )»', '', '\t', 'f(\n\t    a,\n\n\t  )'],
    ['if a:\n    «f(\n        a)»', '    ', '', 'f(\n    a)'],
    ['if a:\n    «f(\n  a)»', '    ', '', undefined],
    ['«f("""\n  a""")»', '', '  ', undefined],
    ['«f(a)»', '', '  ', 'f(a)'],
  ])('%j', (text, from, to, expected) => {
    const { source, node } = marked(text, 'python');
    expect(reindented(source, node, from, to)).toBe(expected);
  });
});

describe('mayStart and mayJoin', () => {
  test.each([
    ['«f(a)»', '{}', false],
    ['«f(a)».b', '(a)', false],
    ['x = «f(a)»', '{}', true],
    ['() => «f(a)»', '{}', false],
    ['() => «f(a)».b', '[]', false],
    ['«f(a)»', 'b', true],
  ])('%j with %j', (text, replacement, expected) => {
    expect(mayStart(javascript, marked(text, 'typescript').node, replacement)).toBe(expected);
  });

  test('a line without a semicolon joins what begins like a continuation', () => {
    expect(mayJoin(javascript, 'a = b', '(c)')).toBe(true);
    expect(mayJoin(javascript, 'a = b', '[c]')).toBe(true);
    expect(mayJoin(javascript, 'a = b;', '(c)')).toBe(false);
    expect(mayJoin(javascript, 'a = b', 'c()')).toBe(false);
    expect(mayJoin(python, 'a = b', '(c)')).toBe(false);
  });
});
