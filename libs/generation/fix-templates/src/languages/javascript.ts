import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import { isFrozenInJavascript } from './frozen-javascript.ts';
import type { Call, Grammar, LiteralKind, Operation } from './grammar.ts';
import { JAVASCRIPT_OPERATORS, type Operator } from './operators.ts';
import { integerPlaceInJavascript } from './places-javascript.ts';
import { JAVASCRIPT_PHRASES, JAVASCRIPT_STATEMENTS } from './statements-javascript.ts';

const LOOSEST = 0;
const ASSIGNMENT = 1;
const CONDITIONAL = 2;
const NULLISH = 3;
const ABOVE_AND = 5;
const RELATIONAL = 9;
const POWER_RIGHT = 13;
const UNARY = 14;
const POSTFIX = 15;
const MEMBER = 16;
const ATOM = 17;

const TIGHTNESS: Readonly<Record<string, number>> = {
  arrow_function: ASSIGNMENT,
  as_expression: RELATIONAL,
  assignment_expression: ASSIGNMENT,
  augmented_assignment_expression: ASSIGNMENT,
  await_expression: UNARY,
  call_expression: MEMBER,
  member_expression: MEMBER,
  new_expression: MEMBER,
  non_null_expression: MEMBER,
  satisfies_expression: RELATIONAL,
  sequence_expression: LOOSEST,
  spread_element: ASSIGNMENT,
  subscript_expression: MEMBER,
  ternary_expression: CONDITIONAL,
  type_assertion: UNARY,
  unary_expression: UNARY,
  update_expression: POSTFIX,
  yield_expression: ASSIGNMENT,
};
const LITERALS: Readonly<Record<string, LiteralKind>> = {
  array: 'collection',
  arrow_function: 'collection',
  false: 'boolean',
  function_expression: 'collection',
  null: 'null',
  number: 'number',
  object: 'collection',
  regex: 'collection',
  string: 'string',
  template_string: 'string',
  true: 'boolean',
  undefined: 'null',
};
const CONDITION_OWNERS = new Set(['if_statement', 'while_statement', 'do_statement', 'for_statement']);
export const javascript: Grammar = {
  statements: JAVASCRIPT_STATEMENTS,
  phrases: JAVASCRIPT_PHRASES,
  operators: JAVASCRIPT_OPERATORS,
  onText: ['+'],
  augmented: ['+', '-', '*', '/', '%', '**', '<<', '>>', '>>>', '&', '|', '^', '&&', '||', '??'],
  negation: { prefix: '!', tightness: UNARY, operand: UNARY },
  signTightness: UNARY,
  booleans: ['true', 'false'],
  isFrozen: isFrozenInJavascript,
  isBlock: (node) => ['statement_block', 'class_body', 'switch_body', 'class_static_block'].includes(node.type),
  tightness(node, source) {
    if (node.type !== 'binary_expression') return TIGHTNESS[node.type] ?? ATOM;
    const operator = childIn(node, 'operator');
    return (
      JAVASCRIPT_OPERATORS.get(operator ? source.slice(operator.start, operator.end) : '')?.tightness ?? RELATIONAL
    );
  },
  operandFits(operator: Operator, isLeft, tightness) {
    if (operator.text === '**') return tightness >= (isLeft ? POSTFIX : POWER_RIGHT);
    if (operator.text === '??') return tightness >= ABOVE_AND || (isLeft && tightness === NULLISH);
    if (operator.family === 'boolean') return tightness >= operator.tightness;
    return isLeft ? tightness >= operator.tightness : tightness > operator.tightness;
  },
  placeFits: (node, tightness) => tightness >= demandOf(node),
  operation,
  augmentedAssignment(node) {
    if (node.type !== 'augmented_assignment_expression') return undefined;
    const [target, operator, value] = node.children;
    return target && operator && value ? { target, operator, value } : undefined;
  },
  update(node) {
    if (node.type !== 'update_expression') return undefined;
    return node.children.find((child) => child.field === 'operator');
  },
  reassignment(node) {
    const [target, equals] = node.children;
    if (node.type !== 'assignment_expression' || node.parent?.type !== 'expression_statement') return undefined;
    if (!target || equals?.type !== '=' || node.children[2]?.type === 'assignment_expression') return undefined;
    return TARGETS.has(target.type) ? { target, equals } : undefined;
  },
  negated: (node) => unaryOperand(node, '!'),
  negative: (node) => unaryOperand(node, '-'),
  isCondition,
  call,
  member(node) {
    if (node.type !== 'member_expression') return undefined;
    const object = childIn(node, 'object');
    const property = childIn(node, 'property');
    return object && property ? { object, property } : undefined;
  },
  literal: (node) => LITERALS[node.type],
  elements: (node) => (node.type === 'array' ? namedChildren(node) : []),
  subscript(node) {
    if (node.type !== 'subscript_expression') return undefined;
    const container = childIn(node, 'object');
    const index = childIn(node, 'index');
    return container && index ? { container, index } : undefined;
  },
  isReturned(node) {
    if (!node.named) return false;
    return (
      node.parent?.type === 'return_statement' || (node.parent?.type === 'arrow_function' && node.field === 'body')
    );
  },
  isAssigned: ({ parent, field }) =>
    (parent?.type === 'assignment_expression' && field === 'right') ||
    (parent?.type === 'variable_declarator' && field === 'value'),
  isPlainString(node) {
    if (node.type !== 'string') return false;
    const { parent } = node;
    if (parent?.type === 'expression_statement' || parent?.type === 'jsx_attribute') return false;
    return node.field !== 'key' && node.field !== 'source';
  },
  integerPlace: integerPlaceInJavascript,
  isKey: (node) => node.field === 'index',
  forbiddenIn: () => '',
};

const TARGETS = new Set(['identifier', 'member_expression', 'subscript_expression']);

function unaryOperand(node: TreeNode, operator: string): TreeNode | undefined {
  return node.type === 'unary_expression' && node.children[0]?.type === operator
    ? childIn(node, 'argument')
    : undefined;
}

function operation(node: TreeNode): Operation | undefined {
  if (node.type !== 'binary_expression') return undefined;
  const left = childIn(node, 'left');
  const operator = childIn(node, 'operator');
  const right = childIn(node, 'right');
  return left && operator && right ? { operators: [operator], operands: [left, right] } : undefined;
}

/** The least tightness that needs no parentheses in the place of a node that is no operand. */
function demandOf(node: TreeNode): number {
  const { parent, field } = node;
  switch (parent?.type) {
    case 'member_expression':
    case 'new_expression':
    case 'non_null_expression':
    case 'as_expression':
    case 'satisfies_expression':
    case 'extends_clause':
      return MEMBER;
    case 'call_expression':
    case 'subscript_expression':
      return field === 'index' ? LOOSEST : MEMBER;
    case 'unary_expression':
    case 'await_expression':
    case 'type_assertion':
      return UNARY;
    case 'update_expression':
      return MEMBER;
    case 'binary_expression':
      return MEMBER;
    case 'ternary_expression':
      return field === 'condition' ? NULLISH : ASSIGNMENT;
    case 'parenthesized_expression':
    case 'template_substitution':
    case 'expression_statement':
    case 'return_statement':
    case 'throw_statement':
    case 'jsx_expression':
    case 'for_statement':
      return LOOSEST;
    default:
      return ASSIGNMENT;
  }
}

/** The expression inside the parentheses that `if`, `while` and `do` require. */
function isCondition(node: TreeNode): boolean {
  const { parent } = node;
  if (!node.named || !parent) return false;
  if (parent.type === 'ternary_expression') return node.field === 'condition';
  if (parent.type === 'for_statement') return node.field === 'condition' && node.type !== 'empty_statement';
  if (parent.type !== 'parenthesized_expression' || parent.field !== 'condition') return false;
  return parent.parent !== undefined && CONDITION_OWNERS.has(parent.parent.type);
}

function call(node: TreeNode): Call | undefined {
  if (node.type !== 'call_expression' && node.type !== 'new_expression') return undefined;
  const callee = childIn(node, 'function') ?? childIn(node, 'constructor');
  const list = childIn(node, 'arguments');
  if (!callee || list?.type !== 'arguments') return undefined;
  const given = namedChildren(list);
  const end = given.findIndex((child) => child.type === 'spread_element');
  return { callee, positional: end < 0 ? given : given.slice(0, end) };
}
