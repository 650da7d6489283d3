import { childIn, type TreeNode } from '../copy-tree.ts';
import type { IntegerPlace } from './grammar.ts';
import { JAVASCRIPT_OPERATORS } from './operators.ts';

const COMPUTED = new Set(['call_expression', 'binary_expression', 'unary_expression']);
const NOT_INTEGER = new Set(['!', 'typeof', 'void', 'delete']);
const UNSURE = new Set([
  'identifier',
  'member_expression',
  'non_null_expression',
  'subscript_expression',
  'ternary_expression',
]);
const INTEGER_METHOD =
  /\.(slice|substring|substr|subarray|splice|charAt|charCodeAt|codePointAt|at|fill|repeat|padStart|padEnd|copyWithin|with)$/;

/** See `Grammar.integerPlace`. */
export function integerPlaceInJavascript(node: TreeNode, source: string): IntegerPlace | undefined {
  const isComputed = COMPUTED.has(node.type) && !NOT_INTEGER.has(node.children[0]?.type ?? '');
  return isComputed || UNSURE.has(node.type) ? placeOf(node, isComputed, source) : undefined;
}

function placeOf(node: TreeNode, isComputed: boolean, source: string): IntegerPlace | undefined {
  const { parent, field } = node;
  switch (parent?.type) {
    case 'subscript_expression':
      return field === 'index' ? 'index' : undefined;
    case 'binary_expression':
      return operandPlace(parent);
    case 'return_statement':
      return 'returned';
    case 'arrow_function':
      return field === 'body' ? 'returned' : undefined;
    case 'assignment_expression':
    case 'augmented_assignment_expression':
    case 'variable_declarator':
      if (field !== 'right' && field !== 'value') return undefined;
      return isComputed ? 'assigned' : 'elsewhere';
    case 'arguments':
      return argumentPlace(parent, isComputed, source);
    case 'ternary_expression':
      return field === 'condition' ? undefined : 'elsewhere';
    case 'parenthesized_expression':
      return placeOf(parent, isComputed, source);
    case 'pair':
      return field === 'value' ? 'elsewhere' : undefined;
    case 'array':
    case 'template_substitution':
      return 'elsewhere';
    default:
      return undefined;
  }
}

function operandPlace(operation: TreeNode): IntegerPlace | undefined {
  const operator = JAVASCRIPT_OPERATORS.get(childIn(operation, 'operator')?.type ?? '');
  if (operator?.family === 'arithmetic') return operator.group === 'additive' ? undefined : 'factor';
  if (operator?.family !== 'comparison') return undefined;
  return operation.field === 'condition' && operation.parent?.type === 'for_statement' ? 'bound' : 'comparison';
}

function argumentPlace(list: TreeNode, isComputed: boolean, source: string): IntegerPlace | undefined {
  const callee = list.parent && (childIn(list.parent, 'function') ?? childIn(list.parent, 'constructor'));
  if (!callee) return undefined;
  const called = source.slice(callee.start, callee.end);
  if (INTEGER_METHOD.test(called)) return 'slice';
  if (called === 'Array') return 'range';
  return isComputed || isRecursive(list, called, source) ? 'argument' : 'elsewhere';
}

/** The call is of the function around it, by its name or as a method of the same name. */
function isRecursive(list: TreeNode, called: string, source: string): boolean {
  const plain = called.replace(/^this\./, '');
  for (let around = list.parent; around; around = around.parent) {
    const name = childIn(around.type === 'arrow_function' && around.parent ? around.parent : around, 'name');
    if (name && source.slice(name.start, name.end) === plain) return true;
  }
  return false;
}
