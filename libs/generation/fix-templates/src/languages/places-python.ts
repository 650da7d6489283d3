import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import type { IntegerPlace } from './grammar.ts';

const ADDITIVE = new Set(['+', '-']);
/** Functions of text, of a container or of anything: one more or less makes no sense for what they take. */
const OF_CONTAINER =
  /^(len|list|tuple|set|dict|sorted|reversed|sum|any|all|iter|next|zip|enumerate|str|repr|print|isinstance)$/;
/** Integers that code computes; names and elements are only sometimes integers. */
const COMPUTED = new Set(['call', 'binary_operator', 'unary_operator']);
const UNSURE = new Set(['identifier', 'attribute', 'subscript', 'conditional_expression']);

/** See `Grammar.integerPlace`. */
export function integerPlaceInPython(node: TreeNode, source: string): IntegerPlace | undefined {
  const isComputed = COMPUTED.has(node.type);
  if (!isComputed && (!UNSURE.has(node.type) || hasSlice(node))) return undefined;
  return placeOf(node, isComputed, source);
}

function placeOf(node: TreeNode, isComputed: boolean, source: string): IntegerPlace | undefined {
  const { parent, field } = node;
  switch (parent?.type) {
    case 'subscript':
      return field === 'subscript' ? 'index' : undefined;
    case 'slice':
      return 'slice';
    case 'comparison_operator':
      return 'comparison';
    case 'return_statement':
      return 'returned';
    case 'assignment':
    case 'augmented_assignment':
      return field !== 'right' ? undefined : isComputed ? 'assigned' : 'elsewhere';
    case 'argument_list':
      if (isRange(parent, source)) return 'range';
      if (isOfContainer(parent, source)) return undefined;
      return isComputed || isRecursive(parent, source) ? 'argument' : 'elsewhere';
    case 'binary_operator':
      return ADDITIVE.has(childIn(parent, 'operator')?.type ?? '') ? undefined : 'factor';
    case 'conditional_expression':
      return namedChildren(parent)[1] === node ? undefined : 'elsewhere';
    case 'parenthesized_expression':
      return placeOf(parent, isComputed, source);
    case 'expression_list':
      return parent.parent?.type === 'delete_statement' ? undefined : 'elsewhere';
    case 'tuple':
    case 'list':
    case 'list_comprehension':
    case 'generator_expression':
    case 'lambda':
    case 'keyword_argument':
    case 'pair':
      return field === 'key' || field === 'name' ? undefined : 'elsewhere';
    default:
      return undefined;
  }
}

function hasSlice(node: TreeNode): boolean {
  return node.type === 'subscript' && node.children.some((child) => child.type === 'slice');
}

function calleeText(list: TreeNode, source: string): string {
  const callee = list.parent ? childIn(list.parent, 'function') : undefined;
  return callee ? source.slice(callee.start, callee.end) : '';
}

function isRange(list: TreeNode, source: string): boolean {
  return /^x?range$/.test(calleeText(list, source));
}

function isOfContainer(list: TreeNode, source: string): boolean {
  return OF_CONTAINER.test(calleeText(list, source));
}

/** The call is of the function around it, by its name or as a method of the same name. */
function isRecursive(list: TreeNode, source: string): boolean {
  const called = calleeText(list, source).replace(/^(self|cls)\./, '');
  for (let around = list.parent; around; around = around.parent) {
    const name = around.type === 'function_definition' ? childIn(around, 'name') : undefined;
    if (name && source.slice(name.start, name.end) === called) return true;
  }
  return false;
}
