import type { TreeNode } from '../copy-tree.ts';
import { fitText, operatorOf } from '../fit-text.ts';
import type { Replacement, Site, Template } from '../template.ts';

const MAX_SEEN_NEAR = 4;
const MAX_SEEN_FAR = 3;

const INTEGER = /^(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0|[1-9][\d_]*)(n?)$/;
const RADIX: Readonly<Record<string, number>> = { '0x': 16, '0b': 2, '0o': 8 };
const MAX_LENGTH = 40;

/** Another number, truth value or string: the neighbours of a number, 0, 1 and -1, and what the file uses elsewhere. */
export const constants: Template = {
  name: 'constant',
  *propose(site) {
    for (const node of site.nodes) {
      const kind = site.grammar.literal(node, site.source);
      if (kind === 'boolean') yield* flipped(site, node);
      if (kind === 'string') yield* otherString(site, node);
      if (kind === 'number' && !(node.parent && site.grammar.negative(node.parent)))
        yield* otherNumber(site, node, node);
      const operand = site.grammar.negative(node);
      if (operand && site.grammar.literal(operand, site.source) === 'number') yield* otherNumber(site, node, operand);
    }
  },
};

function* flipped(site: Site, node: TreeNode): Iterable<Replacement> {
  const [yes, no] = site.grammar.booleans;
  yield { start: node.start, end: node.end, text: site.text(node) === yes ? no : yes, variant: 'boolean' };
}

/** The whole number with its sign is one constant. */
function* otherNumber(site: Site, node: TreeNode, digits: TreeNode): Iterable<Replacement> {
  const read = readInteger(site.text(digits));
  const isNegative = node !== digits;
  if (read) {
    yield numberReplacement(site, node, stepped(read, isNegative, 1), 'plus-one');
    yield numberReplacement(site, node, stepped(read, isNegative, -1), 'minus-one');
    for (const unit of isAdded(site, node) ? ['0', '1'] : ['0', '1', '-1']) {
      yield numberReplacement(site, node, `${unit}${read.suffix}`, `to-${unit}`);
    }
  }
  if (isNegative) yield numberReplacement(site, node, site.text(digits), 'sign');
  for (const [text, place] of seenTexts(site, 'number', digits)) {
    yield numberReplacement(site, node, text, `seen-${place}`);
  }
}

/** The right operand of `+` or `-`: its sign is the operator's. */
function isAdded({ grammar, source }: Site, node: TreeNode): boolean {
  const operation = node.parent && grammar.operation(node.parent);
  const [token] = operation?.operators ?? [];
  const group = token && operatorOf(grammar, token, source)?.group;
  return group === 'additive' && operation?.operands[1] === node;
}

function numberReplacement(site: Site, node: TreeNode, number: string, variant: string): Replacement {
  const tightness = number.startsWith('-') ? site.grammar.signTightness : site.grammar.tightness(node, site.source);
  const text = number.startsWith('-') ? fitText(site.grammar, node, number, tightness, site.source) : number;
  return { start: node.start, end: node.end, text, variant };
}

function* otherString(site: Site, node: TreeNode): Iterable<Replacement> {
  if (site.isDefinition || !site.grammar.isPlainString(node)) return;
  const text = site.text(node);
  const quoted = /^([A-Za-z]*)('''|"""|'|")/.exec(text);
  if (!quoted) return;
  const [open, prefix = ''] = quoted;
  if (text.length > 2 * open.length - prefix.length) {
    const empty = `${open}${open.slice(prefix.length)}`;
    yield { start: node.start, end: node.end, text: empty, variant: 'to-empty' };
  }
  for (const [other, place] of seenTexts(site, 'string', node)) {
    yield { start: node.start, end: node.end, text: other, variant: `string-${place}` };
  }
}

/** What the file writes elsewhere: the function's own first, those with the same part (key or value) before others. */
function* seenTexts(site: Site, kind: 'number' | 'string', node: TreeNode): Iterable<[text: string, place: string]> {
  const own = site.text(node);
  const isKey = site.grammar.isKey(node);
  const forbidden = site.grammar.forbiddenIn(node, site.source);
  const usable = site
    .literals(kind, node)
    .filter(
      ({ text }) => text !== own && isAlike(kind, own, text) && ![...forbidden].some((one) => text.includes(one)),
    );
  const alike = [
    ...usable.filter((literal) => literal.isKey === isKey),
    ...usable.filter((literal) => literal.isKey !== isKey),
  ];
  for (const { text } of alike.filter(({ isNear }) => isNear).slice(0, MAX_SEEN_NEAR)) yield [text, 'near'];
  for (const { text } of alike.filter(({ isNear }) => !isNear).slice(0, MAX_SEEN_FAR)) yield [text, 'far'];
}

/** Numbers of the same suffix, strings of the same prefix. */
function isAlike(kind: 'number' | 'string', left: string, right: string): boolean {
  const mark = kind === 'number' ? /[njJ]?$/ : /^[a-zA-Z]*/;
  return mark.exec(left)?.[0].toLowerCase() === mark.exec(right)?.[0].toLowerCase();
}

/** An integer literal taken apart; the value is exact. */
interface IntegerLiteral {
  value: bigint;
  /** `0x`, `0b`, `0o` or ''. */
  base: string;
  /** `n` of a JavaScript bigint or ''. */
  suffix: string;
}

/** Reads an integer of Python or JavaScript; `undefined` for every other number: floats, imaginary ones, old octals. */
function readInteger(text: string): IntegerLiteral | undefined {
  const match = text.length <= MAX_LENGTH ? INTEGER.exec(text) : null;
  if (!match) return undefined;
  const [, digits = '0', suffix = ''] = match;
  const base = /^0[xXbBoO]/.test(digits) ? digits.slice(0, 2) : '';
  return { value: BigInt(digits.replaceAll('_', '').toLowerCase()), base, suffix };
}

/** The integer one step further, written in the same base; `isNegative` says that a minus stands before it. */
function stepped(number: IntegerLiteral, isNegative: boolean, step: 1 | -1): string {
  const value = (isNegative ? -number.value : number.value) + BigInt(step);
  const size = value < 0n ? -value : value;
  const radix = RADIX[number.base.toLowerCase()] ?? 10;
  return `${value < 0n ? '-' : ''}${radix === 10 ? '' : number.base}${size.toString(radix)}${number.suffix}`;
}
