import type { TreeNode } from '../copy-tree.ts';
import { fitText, negate, operatorOf, swapOperator } from '../fit-text.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** Boolean operators to one another, one operand dropped, a `not` added to an operand or taken from anywhere. */
export const booleanOperators: Template = {
  name: 'boolean-operator',
  *propose(site) {
    for (const node of site.nodes) {
      yield* withoutNegation(site, node);
      yield* inOperation(site, node);
    }
  },
};

function* withoutNegation(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const operand = grammar.negated(node);
  if (!operand || node.parent?.type === 'expression_statement') return;
  const text = fitText(grammar, node, site.text(operand), grammar.tightness(operand, source), source);
  yield { start: node.start, end: node.end, text, variant: 'negation-dropped' };
}

function* inOperation(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const operation = grammar.operation(node);
  const [token] = operation?.operators ?? [];
  const from = token && operatorOf(grammar, token, source);
  if (!operation || from?.family !== 'boolean') return;
  for (const to of grammar.operators.values()) {
    if (to.family !== 'boolean' || to === from) continue;
    const variant = to.group === 'nullish' || from.group === 'nullish' ? 'nullish' : 'swapped';
    yield* swapOperator(site, node, operation, 0, to, variant);
  }
  for (const operand of operation.operands) {
    const text = fitText(grammar, node, site.text(operand), grammar.tightness(operand, source), source);
    yield { start: node.start, end: node.end, text, variant: 'operand-dropped' };
  }
  if (from.group === 'nullish') return;
  for (const operand of operation.operands) {
    if (isTruthValue(site, operand)) yield negatedOperand(site, operand);
  }
}

/** Comparisons have opposites of their own, negations are dropped, nested operations are visited by themselves. */
function isTruthValue({ grammar, source }: Site, node: TreeNode): boolean {
  return !grammar.operation(node) && !grammar.negated(node) && !grammar.literal(node, source);
}

function negatedOperand(site: Site, operand: TreeNode): Replacement {
  const { grammar, source } = site;
  const text = fitText(grammar, operand, negate(grammar, operand, source), grammar.negation.tightness, source);
  return { start: operand.start, end: operand.end, text, variant: 'negation-added' };
}
