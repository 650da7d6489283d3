// What a place does with its value.
import type { TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';

/** What can be done with a value, as bits. */
export const ROLES = {
  called: 1,
  receiver: 2,
  elements: 4,
  index: 8,
  arithmetic: 16,
  compared: 32,
  condition: 64,
  iterated: 128,
  argument: 256,
  returned: 512,
} as const;

const ITERATES = new Set(['for_statement', 'for_in_clause', 'for_in_statement']);

/** What the place does with the name, as bits. */
export function roleOf(node: TreeNode, grammar: Grammar): number {
  const { parent, field } = node;
  if (!parent) return 0;
  if (field === 'function' || field === 'constructor') return ROLES.called;
  if (field === 'object' || field === 'value' || field === 'index' || field === 'subscript') {
    if (parent.type === 'attribute' || parent.type === 'member_expression') return ROLES.receiver;
    if (/^subscript/.test(parent.type))
      return field === 'index' || field === 'subscript' ? ROLES.index : ROLES.elements;
  }
  if (parent.type === 'slice') return ROLES.index;
  if (parent.type === 'arguments' || parent.type === 'argument_list') return ROLES.argument;
  if (ITERATES.has(parent.type) && field === 'right') return ROLES.iterated;
  if (parent.type === 'return_statement') return ROLES.returned;
  if (grammar.isCondition(node) || grammar.negated(parent)) return ROLES.condition;
  return roleInOperation(node, parent, grammar);
}

function roleInOperation(node: TreeNode, parent: TreeNode, grammar: Grammar): number {
  const augmented = grammar.augmentedAssignment(parent);
  if (augmented) return ROLES.arithmetic;
  const [operator] = grammar.operation(parent)?.operators ?? [];
  const family = operator && grammar.operators.get(operator.type)?.family;
  if (family === 'arithmetic') return ROLES.arithmetic;
  if (family === 'comparison') return ROLES.compared;
  return family === 'boolean' && node.named ? ROLES.condition : 0;
}
