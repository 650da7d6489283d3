import type { TreeNode } from '../copy-tree.ts';
import { operandText, operatorOf } from '../fit-text.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** With more arguments only neighbours are swapped. */
const MAX_ARGUMENTS_OF_ALL_PAIRS = 5;
const MAX_ARGUMENTS = 12;
const MAX_ELEMENTS = 3;

/** Two arguments, operands, indexes or elements in the other order. */
export const argumentOrder: Template = {
  name: 'argument-order',
  *propose(site) {
    for (const node of site.nodes) {
      yield* swappedArguments(site, node);
      yield* swappedOperands(site, node);
      yield* swappedIndexes(site, node);
      yield* swappedElements(site, node);
    }
  },
};

function* swappedArguments(site: Site, node: TreeNode): Iterable<Replacement> {
  const positional = site.grammar.call(node)?.positional ?? [];
  if (positional.length > MAX_ARGUMENTS) return;
  const isAll = positional.length <= MAX_ARGUMENTS_OF_ALL_PAIRS;
  for (const [position, left] of positional.entries()) {
    for (const [step, right] of positional.slice(position + 1).entries()) {
      if (step > 0 && !isAll) break;
      yield* swapped(site, left, right, step === 0 ? 'adjacent' : 'distant');
    }
  }
}

function* swappedOperands(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const operation = grammar.operation(node);
  const [token] = operation?.operators ?? [];
  const operator = token && operatorOf(grammar, token, source);
  const [left, right] = operation?.operands ?? [];
  if (!left || !right || !token || operator?.family !== 'arithmetic') return;
  const isNumber = [left, right].some((operand) => grammar.literal(operand, source) === 'number');
  if (site.text(left) === site.text(right) || (operator.commutes && isNumber)) return;
  const first = operandText(grammar, right, operator, true, source);
  const second = operandText(grammar, left, operator, false, source);
  const text = `${first}${source.slice(left.end, right.start)}${second}`;
  yield { start: left.start, end: right.end, text, variant: operator.commutes ? 'joined' : 'operands' };
}

function* swappedIndexes(site: Site, node: TreeNode): Iterable<Replacement> {
  const outer = site.grammar.subscript(node);
  const inner = outer && site.grammar.subscript(outer.container);
  if (inner) yield* swapped(site, inner.index, outer.index, 'indexes');
}

function* swappedElements(site: Site, node: TreeNode): Iterable<Replacement> {
  const elements = site.grammar.elements(node);
  if (elements.length > MAX_ELEMENTS || elements.some((element) => /splat|spread/.test(element.type))) return;
  for (const [position, left] of elements.entries()) {
    const right = elements[position + 1];
    if (right) yield* swapped(site, left, right, 'elements');
  }
}

function* swapped(site: Site, left: TreeNode, right: TreeNode, variant: string): Iterable<Replacement> {
  const [first, second] = [site.text(left), site.text(right)];
  if (first === second) return;
  const text = `${second}${site.source.slice(left.end, right.start)}${first}`;
  yield { start: left.start, end: right.end, text, variant };
}
