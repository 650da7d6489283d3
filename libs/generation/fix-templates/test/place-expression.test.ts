import { describe, expect, test } from 'vitest';
import { copyTree, nodeAround, type TreeNode } from '../src/copy-tree.ts';
import { isChainTarget, isTarget } from '../src/place-expression.ts';
import { sharedParser } from './results-of.ts';

const parser = await sharedParser();
const LIMITS = { nodes: 10_000, keptNodes: 10_000, depth: 100 };

function marked(text: string, language: 'python' | 'typescript'): TreeNode {
  const [start, end] = [text.indexOf('«'), text.indexOf('»') - 1];
  const root = parser.withTree(text.replace(/[«»]/g, ''), language, (tree) => copyTree(tree, [], LIMITS));
  return nodeAround(root, start, end);
}

describe('isTarget', () => {
  test.each([
    ['«a» = 1', true],
    ['«a»: int = 1', true],
    ['«a» += 1', true],
    ['b, «a[0]» = 1, 2', true],
    ['for «a.b» in c: pass', true],
    ['x = [b for «a» in c]', true],
    ['del b, «a[0]»', true],
    ['with b as «a»: pass', true],
    ['b = «a»', false],
    ['b[«a»] = 1', false],
    ['for b in «a»: pass', false],
    ['f(«a», b)', false],
  ])('%s', (text, expected) => {
    const node = marked(text, 'python');
    expect(isTarget(node) || node.parent?.type === 'as_pattern_target').toBe(expected);
  });
});

describe('isChainTarget', () => {
  test.each([
    ['«a.b» = 1', true],
    ['«a.b».c = 1', true],
    ['(«a.b» as any).c = 1', true],
    ['«a.b»![0]++', true],
    ['new («a.b»)()', true],
    ['new «a.b»()', true],
    ['«a.b»`x`', true],
    ['[«a.b»] = c', true],
    ['for («a.b» of c) {}', true],
    ['c = «a.b»', false],
    ['c[«a.b»] = 1', false],
    ['f(«a.b»).c', false],
    ['«a.b»()', false],
  ])('%s', (text, expected) => {
    expect(isChainTarget(marked(text, 'typescript'))).toBe(expected);
  });
});
