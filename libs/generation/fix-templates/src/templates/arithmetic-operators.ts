import type { TreeNode } from '../copy-tree.ts';
import { fitText, operatorOf, swapOperator } from '../fit-text.ts';
import type { Grammar } from '../languages/grammar.ts';
import type { Operator } from '../languages/operators.ts';
import type { Replacement, Site, Template } from '../template.ts';

const BASIC = new Set(['additive', 'multiplicative', 'power']);

/** Arithmetic, shift and bitwise operators to one another, in expressions, in `x op= y` and in `x++`. */
export const arithmeticOperators: Template = {
  name: 'arithmetic-operator',
  *propose(site) {
    for (const node of site.nodes) {
      yield* inExpression(site, node);
      yield* inAssignment(site, node);
      yield* inUpdate(site, node);
    }
  },
};

function* inExpression(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const operand = grammar.negative(node);
  if (operand && !grammar.literal(operand, source)) {
    const text = fitText(grammar, node, site.text(operand), grammar.tightness(operand, source), source);
    yield { start: node.start, end: node.end, text, variant: 'sign' };
  }
  const operation = grammar.operation(node);
  const [token] = operation?.operators ?? [];
  const from = token && operatorOf(grammar, token, source);
  if (!operation || from?.family !== 'arithmetic') return;
  const isOnText = operation.operands.some((side) => isText(site, side));
  for (const to of grammar.operators.values()) {
    const variant = isOnText ? variantOnText(grammar, to) : variantOf(from, to);
    if (variant && to !== from) yield* swapOperator(site, node, operation, 0, to, variant);
  }
}

function variantOnText({ onText }: Grammar, to: Operator): string | undefined {
  return onText.includes(to.text) ? 'on-text' : undefined;
}

/** Text and collections are joined, repeated or formatted; other arithmetic on them only fails. */
function isText(site: Site, node: TreeNode): boolean {
  const kind = site.grammar.literal(node, site.source);
  return kind === 'string' || kind === 'collection';
}

function variantOf(from: Operator, to: Operator): string | undefined {
  if (to.family !== 'arithmetic' || to === from || to.group === 'matrix') return undefined;
  if (from.group === to.group) return from.group;
  return BASIC.has(from.group) && BASIC.has(to.group) ? `to${to.text}` : 'distant';
}

function* inAssignment(site: Site, node: TreeNode): Iterable<Replacement> {
  const augmented = site.grammar.augmentedAssignment(node);
  if (augmented) {
    const { start, end } = augmented.operator;
    const from = site.text(augmented.operator).slice(0, -1);
    yield { start, end, text: '=', variant: 'plain-assignment' };
    if (isText(site, augmented.value)) return;
    for (const to of site.grammar.augmented) {
      const variant = augmentedVariant(site, from, to);
      if (variant) yield { start, end, text: `${to}=`, variant };
    }
  }
  const plain = site.grammar.reassignment(node);
  if (!plain || !isAssignedBefore(site, plain.target)) return;
  const { start, end } = plain.equals;
  yield { start, end, text: '+=', variant: 'accumulation' };
  yield { start, end, text: '-=', variant: 'accumulation', fit: 0.5 };
}

function isAssignedBefore(site: Site, target: TreeNode): boolean {
  return target.type !== 'identifier' || site.isVisible(site.text(target), target);
}

function augmentedVariant({ grammar }: Site, from: string, to: string): string | undefined {
  const source = grammar.operators.get(from);
  const target = grammar.operators.get(to);
  if (!source || !target || from === to) return undefined;
  if (source.family === 'boolean' && target.family === 'boolean') return 'logical-assignment';
  const variant = source.family === 'arithmetic' ? variantOf(source, target) : undefined;
  return variant && `assigned-${variant}`;
}

function* inUpdate(site: Site, node: TreeNode): Iterable<Replacement> {
  const token = site.grammar.update(node);
  if (token) {
    yield { start: token.start, end: token.end, text: site.text(token) === '++' ? '--' : '++', variant: 'update' };
  }
}
