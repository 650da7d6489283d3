import { namedChildren, type TreeNode } from '../copy-tree.ts';
import { fitText, operandText, operatorOf } from '../fit-text.ts';
import type { Operator } from '../languages/operators.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** Names of what is counted: where nothing else tells that a value is an integer, they do. */
const COUNTS =
  /^(i|j|k|n|m|x|y|at|to|from|idx|index|indices|pos|position|start|stop|begin|end|first|last|low|high|lo|hi|left|right|mid|middle|offset|len|length|count|counter|size|step|depth|level|line|lines|col|column|row|num|number|width|height|limit|min|max|total|top|bottom|next|prev|previous|cur|current|page|day|month|year|ceil|floor|find|rfind)$/;
const OPEN_PLACES = new Set(['argument', 'assigned', 'elsewhere', 'factor', 'returned', 'comparison', 'bound']);

/** The last word of a name, a member or what is called: `index` of `self.lastIndex`, `len` of `len(x)`. */
function lastWord(text: string): string {
  const name = /([\p{L}_$][\p{L}\p{N}_$]*)(\(.*\))?$/su.exec(text)?.[1] ?? '';
  return (
    name
      .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
      .split('_')
      .filter(Boolean)
      .at(-1) ?? ''
  ).toLowerCase();
}

/** One more or one less where an integer decides about an element, and an existing `+ 1` or `- 1` taken away. */
export const offByOne: Template = {
  name: 'off-by-one',
  *propose(site) {
    const { grammar } = site;
    const plus = grammar.operators.get('+');
    const minus = grammar.operators.get('-');
    if (!plus || !minus) return;
    for (const node of site.nodes) {
      yield* withoutOne(site, node);
      const place = grammar.integerPlace(node, site.source);
      if (!place || !isInteger(site, node)) continue;
      if ((place === 'comparison' || place === 'bound') && !isComparedInteger(site, node)) continue;
      const named = OPEN_PLACES.has(place) && COUNTS.test(lastWord(site.text(node))) ? `${place}-counted` : place;
      yield shifted(site, node, plus, named);
      yield shifted(site, node, minus, named);
      yield* fromOne(site, node, place);
    }
  },
};

function shifted(site: Site, node: TreeNode, operator: Operator, place: string): Replacement {
  const { grammar, source } = site;
  const sum = `${operandText(grammar, node, operator, true, source)} ${operator.text} 1`;
  const text = fitText(grammar, node, sum, operator.tightness, source);
  return { start: node.start, end: node.end, text, variant: `${place}-${operator.text === '+' ? 'plus' : 'minus'}` };
}

/** `x + 1` and `1 + x` become `x`. */
function* withoutOne(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const operation = grammar.operation(node);
  const [token] = operation?.operators ?? [];
  const operator = token && operatorOf(grammar, token, source);
  const [left, right] = operation?.operands ?? [];
  if (!left || !right || operator?.group !== 'additive') return;
  const rest = site.text(right) === '1' ? left : operator.commutes && site.text(left) === '1' ? right : undefined;
  if (!rest || grammar.literal(rest, source) === 'number') return;
  const text = fitText(grammar, node, site.text(rest), grammar.tightness(rest, source), source);
  yield { start: node.start, end: node.end, text, variant: 'removed' };
}

/** A literal is changed by the template of constants; `x + 2` too. */
function isInteger(site: Site, node: TreeNode): boolean {
  const { grammar, source } = site;
  const number = grammar.negative(node) ?? node;
  if (grammar.literal(number, source) || grammar.negated(node)) return false;
  const operation = grammar.operation(node);
  if (!operation) return true;
  const families = operation.operators.map((token) => operatorOf(grammar, token, source));
  if (families.some((operator) => operator?.family !== 'arithmetic')) return false;
  const kinds = operation.operands.map((operand) => grammar.literal(operand, source));
  if (kinds.some((kind) => kind === 'string' || kind === 'collection')) return false;
  return families[0]?.group !== 'additive' || !kinds.includes('number');
}

/** The right side of an order, or of an equality with a computed left side; `a + 1 < b` is `a < b - 1`. */
function isComparedInteger(site: Site, node: TreeNode): boolean {
  const { grammar, source } = site;
  const operation = node.parent && grammar.operation(node.parent);
  const position = operation ? operation.operands.indexOf(node) : -1;
  if (!operation || position < 0) return false;
  const tokens = [operation.operators[position - 1], operation.operators[position]];
  const operators = tokens.map((token) => token && operatorOf(grammar, token, source));
  const kinds = operation.operands.map((operand) => grammar.literal(operand, source));
  if (operators.some((operator) => operator?.group === 'order')) return position > 0 || operation.operands.length > 2;
  if (kinds.some((kind) => kind !== undefined)) return false;
  return position > 0 && (operators[0]?.group === 'equality' || operators[0]?.group === 'loose');
}

/** `range(n)` becomes `range(1, n)`. */
function* fromOne(site: Site, node: TreeNode, place: string): Iterable<Replacement> {
  if (place !== 'range' || !node.parent || node.parent.type !== 'argument_list') return;
  if (namedChildren(node.parent).length !== 1) return;
  yield { start: node.start, end: node.end, text: `1, ${site.text(node)}`, variant: 'range-start' };
}
