import { describe, expect, test } from 'vitest';
import {
  type CopyLimits,
  childIn,
  copyTree,
  firstNotBefore,
  nodeAround,
  type OffsetRange,
  type TreeNode,
} from '../src/copy-tree.ts';
import { sharedParser } from './results-of.ts';

const parser = await sharedParser();
const AMPLE: CopyLimits = { nodes: 1_000, keptNodes: 1_000, depth: 100 };

function copy(text: string, limits: Partial<CopyLimits> = {}, keep: OffsetRange[] = []): TreeNode {
  return parser.withTree(text, 'python', (tree) => copyTree(tree, keep, { ...AMPLE, ...limits }));
}

/** Types of named nodes as nested lists. */
function shape({ type, children }: TreeNode): string {
  const inner = children.filter(({ named }) => named).map(shape);
  return inner.length > 0 ? `${type}(${inner.join(' ')})` : type;
}

describe('copyTree', () => {
  test('copies types, fields, offsets and parents', () => {
    const root = copy('x = a\n');
    expect(shape(root)).toBe('module(expression_statement(assignment(identifier identifier)))');
    const assignment = nodeAround(root, 0, 5);
    expect(assignment).toMatchObject({ type: 'assignment', start: 0, end: 5 });
    expect(childIn(assignment, 'right')).toMatchObject({ type: 'identifier', start: 4, end: 5, named: true });
    expect(childIn(assignment, 'right')?.parent).toBe(assignment);
    expect(assignment.children.map(({ named }) => named)).toEqual([true, false, true]);
  });

  test('leaves comments and continued lines out', () => {
    expect(shape(copy('x = a \\\n  + b  # c\n'))).toBe(shape(copy('x = a + b\n')));
    expect(shape(copy('f(a,  # c\n  b)\n'))).toBe(shape(copy('f(a, b)\n')));
  });

  test('stops at its limits, but for what is to be kept', () => {
    const text = 'f(a)\n'.repeat(50);
    const full = copy(text);
    expect(full.children.at(-1)?.children).toHaveLength(1);
    const short = copy(text, { nodes: 20 });
    expect(short.children).toHaveLength(50);
    expect(short.children.at(-1)?.children).toHaveLength(0);
    const kept = copy(text, { nodes: 20 }, [[45 * 5, 45 * 5 + 4]]);
    expect(kept.children[45]?.children).toHaveLength(1);
    expect(kept.children[44]?.children).toHaveLength(0);
    const capped = copy(text, { nodes: 20, keptNodes: 20 }, [[45 * 5, 45 * 5 + 4]]);
    expect(capped.children[45]?.children).toHaveLength(0);
  });

  test('stops at its depth', () => {
    expect(shape(copy('x = ((((a))))\n', { depth: 5 }))).toBe(
      'module(expression_statement(assignment(identifier parenthesized_expression(parenthesized_expression(parenthesized_expression)))))',
    );
  });
});

describe('firstNotBefore', () => {
  test.each([
    [[], 5, 0],
    [[1, 3, 5], 0, 0],
    [[1, 3, 5], 3, 1],
    [[1, 3, 5], 4, 2],
    [[1, 3, 5], 6, 3],
  ])('%j %j', (items, wanted, expected) => {
    expect(firstNotBefore(items, (item) => item < wanted)).toBe(expected);
  });
});
