import { childIn, namedChildren } from '../copy-tree.ts';
import type { Jump, Phrases, StatementGrammar } from './grammar.ts';

const LOOPS = new Set(['for_statement', 'while_statement']);
const FUNCTIONS = new Set(['function_definition', 'lambda']);
const BARRIERS = new Set(['class_definition', 'parameters', 'lambda_parameters', 'decorator', 'module']);
const JUMPS: Readonly<Record<string, Jump>> = {
  break_statement: 'break',
  continue_statement: 'continue',
  return_statement: 'return',
  raise_statement: 'raise',
};
const MOVABLE = new Set([...Object.keys(JUMPS), 'assert_statement', 'delete_statement', 'expression_statement']);
const ASSIGNMENTS = new Set(['assignment', 'augmented_assignment']);

export const PYTHON_STATEMENTS: StatementGrammar = {
  isList: (node) => (node.type === 'block' && node.parent?.type !== 'match_statement') || node.type === 'module',
  isLoop: (node) => LOOPS.has(node.type),
  isFunction: (node) => FUNCTIONS.has(node.type),
  isBarrier: (node) => BARRIERS.has(node.type),
  isAsync: (node) => node.type === 'function_definition' && node.children[0]?.type === 'async',
  isYield: (node) => node.type === 'yield',
  jump: (node) => JUMPS[node.type],
  isMovable(node) {
    if (!MOVABLE.has(node.type) || node.parent === undefined) return false;
    return node.type !== 'expression_statement' || namedChildren(node)[0]?.type !== 'string';
  },
  expression(node) {
    const [expression, ...more] = namedChildren(node);
    if (node.type !== 'expression_statement' || !expression || more.length > 0) return undefined;
    return ASSIGNMENTS.has(expression.type) ? undefined : expression;
  },
  body(node) {
    const body = childIn(node, 'body') ?? childIn(node, 'consequence');
    return body?.type === 'block' && !FUNCTIONS.has(node.type) && node.type !== 'class_definition' ? body : undefined;
  },
  plainBranch(node) {
    if (node.type !== 'if_statement' || childIn(node, 'alternative')) return undefined;
    const condition = childIn(node, 'condition');
    const body = childIn(node, 'consequence');
    return condition && body ? { condition, body } : undefined;
  },
  isDeclaring: ({ parent, field, type }) =>
    type === 'as_pattern_target' || (field === 'left' && parent?.type === 'for_statement'),
};

export const PYTHON_PHRASES: Phrases = {
  language: 'python',
  none: ['None'],
  and: 'and',
  or: 'or',
  equal: '==',
  end: '',
  nothing: 'pass',
  isNone: (text) => `${text} is None`,
  isSome: (text) => `${text} is not None`,
  isEmpty: (text) => `not ${text}`,
  length: (text) => `len(${text})`,
  branch: (condition, statement, indent, unit) => `if ${condition}:\n${indent}${unit}${statement}`,
};
