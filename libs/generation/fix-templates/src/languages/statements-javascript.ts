import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import type { Jump, Phrases, StatementGrammar } from './grammar.ts';

const LISTS = new Set(['statement_block', 'program', 'switch_case', 'switch_default']);
const LOOPS = new Set(['for_statement', 'for_in_statement', 'while_statement', 'do_statement']);
const FUNCTIONS = new Set([
  'arrow_function',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
]);
const BARRIERS = new Set(['class_body', 'class_static_block', 'formal_parameters', 'program', 'decorator']);
const JUMPS: Readonly<Record<string, Jump>> = {
  break_statement: 'break',
  continue_statement: 'continue',
  return_statement: 'return',
  throw_statement: 'raise',
};
const ASSIGNMENTS = new Set(['assignment_expression', 'augmented_assignment_expression', 'update_expression']);

export const JAVASCRIPT_STATEMENTS: StatementGrammar = {
  isList: (node) => LISTS.has(node.type),
  isLoop: (node) => LOOPS.has(node.type),
  isFunction: (node) => FUNCTIONS.has(node.type),
  isBarrier: (node) => BARRIERS.has(node.type),
  isAsync: (node) => node.children.some(({ type, named }) => type === 'async' && !named),
  isYield: (node) => node.type === 'yield_expression',
  jump: (node) => (childIn(node, 'label') ? undefined : JUMPS[node.type]),
  isMovable(node) {
    if (JUMPS[node.type]) return !childIn(node, 'label');
    return node.type === 'expression_statement' && namedChildren(node)[0]?.type !== 'string';
  },
  expression(node) {
    const [expression] = namedChildren(node);
    if (node.type !== 'expression_statement' || !expression) return undefined;
    return ASSIGNMENTS.has(expression.type) || expression.type === 'string' ? undefined : expression;
  },
  body(node) {
    const body = childIn(node, 'body') ?? childIn(node, 'consequence');
    return body?.type === 'statement_block' && !FUNCTIONS.has(node.type) && !BARRIERS.has(node.type) ? body : undefined;
  },
  plainBranch(node) {
    if (node.type !== 'if_statement' || childIn(node, 'alternative')) return undefined;
    const condition = childIn(node, 'condition');
    const body = childIn(node, 'consequence');
    return condition && body ? { condition, body } : undefined;
  },
  isDeclaring,
};

function isDeclaring({ parent, field, type }: TreeNode): boolean {
  if (type === 'lexical_declaration') return true;
  return (
    (parent?.type === 'for_in_statement' && field === 'left') ||
    (parent?.type === 'catch_clause' && field === 'parameter')
  );
}

export const JAVASCRIPT_PHRASES: Phrases = {
  language: 'javascript',
  none: ['null', 'undefined'],
  and: '&&',
  or: '||',
  equal: '===',
  end: ';',
  nothing: '',
  // `null` and `undefined` at once.
  isNone: (text) => `${text} == null`,
  isSome: (text) => `${text} != null`,
  isEmpty: (text) => `!${text}`,
  length: (text) => `${text}.length`,
  branch: (condition, statement) => `if (${condition}) ${statement}`,
};
