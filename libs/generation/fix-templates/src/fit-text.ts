// Puts text in the place of a node so that it still means what it says: parentheses where it binds looser, blanks where
// characters would join.
import type { TreeNode } from './copy-tree.ts';
import type { Grammar, Operation } from './languages/grammar.ts';
import type { Operator } from './languages/operators.ts';
import type { Replacement, Site } from './template.ts';

/** The operator a token stands for; `undefined` for one that no template changes. */
export function operatorOf(grammar: Grammar, token: TreeNode, source: string): Operator | undefined {
  const text = grammar.operators.has(token.type) ? token.type : source.slice(token.start, token.end);
  return grammar.operators.get(text.replace(/\s+/g, ' '));
}

/** Text that binds like `tightness` may stand in the place of the node as it is. */
export function fits(grammar: Grammar, node: TreeNode, tightness: number, source: string): boolean {
  const operation = node.parent && grammar.operation(node.parent);
  const position = operation ? operation.operands.indexOf(node) : -1;
  if (!operation || position < 0) return grammar.placeFits(node, tightness);
  return adjacent(operation, position).every(({ token, isLeft }) => {
    const operator = operatorOf(grammar, token, source);
    return operator ? grammar.operandFits(operator, isLeft, tightness) : grammar.placeFits(node, tightness);
  });
}

function adjacent({ operators }: Operation, position: number): { token: TreeNode; isLeft: boolean }[] {
  const after = operators[position];
  const before = operators[position - 1];
  return [...(after ? [{ token: after, isLeft: true }] : []), ...(before ? [{ token: before, isLeft: false }] : [])];
}

/** The text, in parentheses where the place of the node needs them. */
export function fitText(grammar: Grammar, node: TreeNode, text: string, tightness: number, source: string): string {
  return fits(grammar, node, tightness, source) ? text : `(${text})`;
}

/** An operand beside an operator, in parentheses where it binds looser. */
export function operandText(
  grammar: Grammar,
  operand: TreeNode,
  operator: Operator,
  isLeft: boolean,
  source: string,
): string {
  const text = source.slice(operand.start, operand.end);
  return grammar.operandFits(operator, isLeft, grammar.tightness(operand, source)) ? text : `(${text})`;
}

const WORD = /[\p{L}\p{N}_$]/u;
const SYMBOL = /[-+*/%<>=!&|^~?.@]/;

/** Text to stand between two neighbours, with a blank on a side where it would join the neighbour's characters. */
export function glue(before: string, text: string, after: string): string {
  const left = joins(before.slice(-1), text.slice(0, 1)) ? ' ' : '';
  const right = joins(text.slice(-1), after.slice(0, 1)) ? ' ' : '';
  return `${left}${text}${right}`;
}

function joins(left: string, right: string): boolean {
  if (left === '' || right === '') return false;
  return (WORD.test(left) && WORD.test(right)) || (SYMBOL.test(left) && SYMBOL.test(right));
}

/** A negated expression as text and how it binds. */
export function negate(grammar: Grammar, node: TreeNode, source: string): string {
  const { prefix, operand } = grammar.negation;
  const text = source.slice(node.start, node.end);
  return grammar.tightness(node, source) >= operand ? `${prefix}${text}` : `${prefix}(${text})`;
}

/** How much less likely the plain change of the token is where it would regroup the expression. */
const REGROUPED = 0.5;

/**
 * Puts another operator between the operands as they are grouped now, with parentheses where it binds otherwise. Where it
 * needs them, the change of the token alone is a second proposal: it is what a person would have typed.
 */
export function* swapOperator(
  site: Site,
  node: TreeNode,
  { operators, operands }: Operation,
  position: number,
  to: Operator,
  variant: string,
): Iterable<Replacement> {
  const token = operators[position] as TreeNode;
  const plain = { start: token.start, end: token.end, text: to.text, variant };
  const left = operands[position] as TreeNode;
  const right = operands[position + 1] as TreeNode;
  if (operators.length > 1) {
    yield plain;
    return;
  }
  const { source, grammar } = site;
  const leftText = operandText(grammar, left, to, true, source);
  const rightText = operandText(grammar, right, to, false, source);
  const isGrouped = leftText.length === left.end - left.start && rightText.length === right.end - right.start;
  if (isGrouped && fits(grammar, node, to.tightness, source)) {
    yield plain;
    return;
  }
  const before = `${leftText}${source.slice(left.end, token.start)}`;
  const after = `${source.slice(token.end, right.start)}${rightText}`;
  const text = fitText(grammar, node, `${before}${glue(before, to.text, after)}${after}`, to.tightness, source);
  yield { start: node.start, end: node.end, text, variant };
  if (mayRegroup(site, token, left, to)) yield { ...plain, fit: REGROUPED };
}

/** JavaScript refuses `a ?? b || c` and `-a ** b`. */
function mayRegroup({ grammar, source }: Site, token: TreeNode, left: TreeNode, to: Operator): boolean {
  const from = operatorOf(grammar, token, source);
  if (from?.family === 'boolean') return !grammar.operators.has('??');
  return to.text !== '**' || grammar.tightness(left, source) !== grammar.signTightness;
}
