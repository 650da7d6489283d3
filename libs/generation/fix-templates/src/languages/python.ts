import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import type { Call, Grammar, LiteralKind, Operation } from './grammar.ts';
import { type Operator, PYTHON_OPERATORS } from './operators.ts';
import { integerPlaceInPython } from './places-python.ts';
import { PYTHON_PHRASES, PYTHON_STATEMENTS } from './statements-python.ts';

const LOOSEST = 0;
const EXPRESSION = 1;
const CONDITIONAL = 2;
const OR = 3;
const NOT = 5;
const COMPARISON = 6;
const BITWISE_OR = 7;
const SIGN = 13;
const AWAIT = 15;
const PRIMARY = 16;

const FROZEN = new Set([
  'ERROR',
  'as_pattern_target',
  'dotted_name',
  'exec_statement',
  'format_specifier',
  'future_import_statement',
  'global_statement',
  'import_from_statement',
  'import_statement',
  'keyword_separator',
  'nonlocal_statement',
  'print_statement',
  'string_content',
  'string_end',
  'string_start',
  'type',
  'type_alias_statement',
  'type_conversion',
  'type_parameter',
]);
const PARAMETER_LISTS = new Set(['parameters', 'lambda_parameters']);
const DEFAULTS = new Set(['default_parameter', 'typed_default_parameter']);
const TIGHTNESS: Readonly<Record<string, number>> = {
  as_pattern: LOOSEST,
  assignment: LOOSEST,
  await: AWAIT,
  comparison_operator: COMPARISON,
  conditional_expression: CONDITIONAL,
  expression_list: LOOSEST,
  lambda: EXPRESSION,
  list_splat: EXPRESSION,
  named_expression: LOOSEST,
  not_operator: NOT,
  pattern_list: LOOSEST,
  unary_operator: SIGN,
  yield: LOOSEST,
};
const LITERALS: Readonly<Record<string, LiteralKind>> = {
  concatenated_string: 'string',
  dictionary: 'collection',
  dictionary_comprehension: 'collection',
  false: 'boolean',
  float: 'number',
  integer: 'number',
  list: 'collection',
  list_comprehension: 'collection',
  none: 'null',
  set: 'collection',
  string: 'string',
  true: 'boolean',
  tuple: 'collection',
};
const CONDITION_OWNERS = new Set(['if_statement', 'elif_clause', 'while_statement']);
export const python: Grammar = {
  statements: PYTHON_STATEMENTS,
  phrases: PYTHON_PHRASES,
  operators: PYTHON_OPERATORS,
  onText: ['+', '*', '%'],
  augmented: ['+', '-', '*', '/', '//', '%', '**', '<<', '>>', '&', '|', '^'],
  negation: { prefix: 'not ', tightness: NOT, operand: NOT },
  signTightness: SIGN,
  booleans: ['True', 'False'],
  isFrozen(node) {
    const { parent } = node;
    if (node.start === node.end || FROZEN.has(node.type)) return true;
    if (!parent) return false;
    if (PARAMETER_LISTS.has(parent.type)) return !DEFAULTS.has(node.type);
    if (DEFAULTS.has(parent.type) || parent.type === 'named_expression') return node.field !== 'value';
    if (parent.type === 'decorator') return node.type !== 'call';
    return isFrozenPart(node, parent);
  },
  isBlock: (node) => node.type === 'block',
  tightness(node, source) {
    if (node.type === 'binary_operator' || node.type === 'boolean_operator') {
      const operator = childIn(node, 'operator');
      return PYTHON_OPERATORS.get(operator ? source.slice(operator.start, operator.end) : '')?.tightness ?? LOOSEST;
    }
    return TIGHTNESS[node.type] ?? PRIMARY;
  },
  operandFits(operator: Operator, isLeft, tightness) {
    if (operator.text === '**') return tightness >= (isLeft ? AWAIT : SIGN);
    if (operator.family === 'boolean') return tightness >= operator.tightness;
    if (operator.family === 'comparison') return tightness > operator.tightness;
    return isLeft ? tightness >= operator.tightness : tightness > operator.tightness;
  },
  placeFits: (node, tightness) => tightness >= demandOf(node),
  operation,
  augmentedAssignment(node) {
    if (node.type !== 'augmented_assignment') return undefined;
    const [target, operator, value] = node.children;
    return target && operator && value ? { target, operator, value } : undefined;
  },
  update: () => undefined,
  reassignment(node) {
    const [target, equals] = node.children;
    if (node.type !== 'assignment' || node.parent?.type === 'assignment') return undefined;
    if (!target || equals?.type !== '=' || node.children[2]?.type === 'assignment') return undefined;
    return ['identifier', 'attribute', 'subscript'].includes(target.type) ? { target, equals } : undefined;
  },
  negated: (node) => (node.type === 'not_operator' ? childIn(node, 'argument') : undefined),
  negative: (node) =>
    node.type === 'unary_operator' && node.children[0]?.type === '-' ? childIn(node, 'argument') : undefined,
  isCondition,
  call,
  member(node) {
    if (node.type !== 'attribute') return undefined;
    const object = childIn(node, 'object');
    const property = childIn(node, 'attribute');
    return object && property ? { object, property } : undefined;
  },
  literal: (node) => LITERALS[node.type],
  elements: (node) => (['tuple', 'list', 'expression_list'].includes(node.type) ? namedChildren(node) : []),
  subscript(node) {
    if (node.type !== 'subscript') return undefined;
    const [container, index, ...more] = namedChildren(node);
    return container && index && more.length === 0 && index.type !== 'slice' ? { container, index } : undefined;
  },
  isReturned: (node) => node.named && (node.parent?.type === 'return_statement' || isBodyOfLambda(node)),
  isAssigned: ({ parent, field }) => parent?.type === 'assignment' && field === 'right',
  isPlainString(node) {
    if (node.type !== 'string' || node.parent?.type === 'concatenated_string') return false;
    return !node.children.some((child) => child.type === 'interpolation');
  },
  integerPlace: integerPlaceInPython,
  isKey: (node) => node.field === 'key' || (node.field === 'subscript' && node.parent?.type === 'subscript'),
  forbiddenIn(node, source) {
    for (let around = node.parent; around; around = around.parent) {
      if (around.type !== 'interpolation' || !around.parent) continue;
      const [open] = around.parent.children;
      return `\\#\n${open ? source.slice(open.end - 1, open.end) : `"'`}`;
    }
    return '';
  },
};

function isBodyOfLambda(node: TreeNode): boolean {
  return node.parent?.type === 'lambda' && node.field === 'body';
}

function isFrozenPart(node: TreeNode, parent: TreeNode): boolean {
  switch (parent.type) {
    case 'call':
      return node.field === 'function' && parent.parent?.type === 'decorator';
    case 'class_definition':
    case 'function_definition':
      return node.field !== 'parameters' && node.field !== 'body';
    case 'keyword_argument':
    case 'keyword_pattern':
      return node.field === 'name' || node === parent.children[0] || isSigned(node, parent);
    case 'except_clause':
    case 'except_group_clause':
      return node.type !== 'block';
    case 'lambda':
      return node.field === '';
    case 'complex_pattern':
      return true;
    default:
      return parent.type.endsWith('_pattern') && isSigned(node, parent);
  }
}

function isSigned(node: TreeNode, parent: TreeNode): boolean {
  const before = parent.children[parent.children.indexOf(node) - 1];
  return before?.type === '-' || before?.type === '+';
}

function operation(node: TreeNode): Operation | undefined {
  switch (node.type) {
    case 'binary_operator':
    case 'boolean_operator': {
      const [left, operator, right] = node.children;
      return left && operator && right ? { operators: [operator], operands: [left, right] } : undefined;
    }
    case 'comparison_operator': {
      const operators = node.children.filter((child) => child.field === 'operators');
      const operands = node.children.filter((child) => child.field !== 'operators');
      return operands.length === operators.length + 1 ? { operators, operands } : undefined;
    }
    default:
      return undefined;
  }
}

/** The least tightness that needs no parentheses in the place of a node that is no operand. */
function demandOf(node: TreeNode): number {
  const { parent, field } = node;
  switch (parent?.type) {
    case 'attribute':
    case 'await':
      return PRIMARY;
    case 'call':
      return field === 'function' ? PRIMARY : EXPRESSION;
    case 'subscript':
      return field === 'value' ? PRIMARY : EXPRESSION;
    case 'unary_operator':
      return SIGN;
    case 'not_operator':
      return NOT;
    case 'conditional_expression':
      return namedChildren(parent)[2] === node ? EXPRESSION : OR;
    case 'if_clause':
    case 'for_in_clause':
      return OR;
    case 'list_splat':
    case 'dictionary_splat':
      return BITWISE_OR;
    case 'parenthesized_expression':
    case 'expression_statement':
    case 'return_statement':
    case 'assignment':
    case 'augmented_assignment':
      return LOOSEST;
    default:
      return EXPRESSION;
  }
}

function isCondition(node: TreeNode): boolean {
  const { parent } = node;
  if (!parent) return false;
  if (CONDITION_OWNERS.has(parent.type)) return node.field === 'condition';
  if (parent.type === 'if_clause') return node.named;
  if (parent.type === 'conditional_expression') return namedChildren(parent)[1] === node;
  return parent.type === 'assert_statement' && namedChildren(parent)[0] === node;
}

function call(node: TreeNode): Call | undefined {
  if (node.type !== 'call') return undefined;
  const callee = childIn(node, 'function');
  const list = childIn(node, 'arguments');
  if (!callee || list?.type !== 'argument_list') return undefined;
  const given = namedChildren(list);
  const end = given.findIndex((child) => /splat|keyword_argument/.test(child.type));
  return { callee, positional: end < 0 ? given : given.slice(0, end) };
}
