import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import { operandText } from '../fit-text.ts';
import { isTarget, put } from '../place-expression.ts';
import { ROLES } from '../roles.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** Where a loop or a slice begins and ends, its step and its direction. */
export const loopBounds: Template = {
  name: 'loop-bound',
  *propose(site) {
    if (site.isDefinition) return;
    for (const node of site.nodes) {
      yield* inRange(site, node);
      yield* inSlice(site, node);
      yield* inSliceCall(site, node);
      if ((site.role(node) & ROLES.iterated) !== 0) yield* inIterated(site, node);
      yield* inLoopHead(site, node);
    }
  },
};

function* inRange(site: Site, node: TreeNode): Iterable<Replacement> {
  const call = site.grammar.call(node);
  if (!call || site.text(call.callee) !== 'range') return;
  const list = childIn(node, 'arguments');
  if (!list || namedChildren(list).length !== call.positional.length) return;
  const texts = call.positional.map(site.text);
  const [one = '', two = '', three = ''] = texts;
  const shifted = (index: number, sign: '+' | '-') => plusOne(site, call.positional[index], sign);
  const variants: [string, string][] =
    texts.length === 1
      ? [
          [`1, ${shifted(0, '+')}`, 'both-plus'],
          [`${shifted(0, '-')}, -1, -1`, 'reversed'],
          [`${one}, 0, -1`, 'reversed'],
          [`0, ${one}, 2`, 'step-added'],
        ]
      : texts.length === 2
        ? [
            [two, 'start-dropped'],
            ...(one === '1' ? ([[shifted(1, '-'), 'from-zero']] as [string, string][]) : []),
            [`0, ${two}`, 'start-zero'],
            [`${shifted(0, '+')}, ${shifted(1, '+')}`, 'both-plus'],
            [`${shifted(0, '-')}, ${shifted(1, '-')}`, 'both-minus'],
            [`${shifted(1, '-')}, ${shifted(0, '-')}, -1`, 'reversed'],
            [`${one}, ${two}, -1`, 'step-added'],
            [`${one}, ${two}, 2`, 'step-added'],
          ]
        : [
            [`${one}, ${two}`, 'step-dropped'],
            [`${one}, ${two}, ${three.startsWith('-') ? three.slice(1) : `-${three}`}`, 'step-sign'],
          ];
  for (const [text, variant] of variants) {
    if (!/[\r\n]/.test(text) && !/--|-\w+ [-+]/.test(variant === 'step-sign' ? text : ''))
      yield* put(site, node, `range(${text})`, { variant: `range-${variant}` });
  }
}

function plusOne(site: Site, node: TreeNode | undefined, sign: '+' | '-'): string {
  const operator = site.grammar.operators.get(sign);
  if (!node || !operator) return '';
  const text = site.text(node);
  if (/^\d{1,9}$/.test(text)) return String(Number(text) + (sign === '+' ? 1 : -1));
  if (new RegExp(`\\${sign === '+' ? '-' : '+'} 1$`).test(text)) return text.slice(0, -4);
  return `${operandText(site.grammar, node, operator, true, site.source)} ${sign} 1`;
}

/** Python's `x[a:b:c]`: a bound less, one more, the step dropped. */
function* inSlice(site: Site, node: TreeNode): Iterable<Replacement> {
  const [slice, ...more] = node.type === 'subscript' ? node.children.filter(({ type }) => type === 'slice') : [];
  if (!slice || more.length > 0 || namedChildren(node).length !== 2) return;
  const { source } = site;
  const colons = slice.children.filter(({ type }) => type === ':');
  const [first, second] = colons;
  if (!first) return;
  const start = source.slice(slice.start, first.start).trim();
  const end = source.slice(first.end, second?.start ?? slice.end).trim();
  const step = second ? source.slice(second.end, slice.end).trim() : '';
  const write = (parts: readonly string[]) => `${parts[0]}:${parts[1]}${parts[2] ? `:${parts[2]}` : ''}`;
  const variants: [string[], string][] = [];
  if (start !== '') variants.push([['', end, step], 'start-dropped']);
  else variants.push([['1', end, step], 'start-one']);
  if (end !== '') variants.push([[start, '', step], 'end-dropped']);
  else variants.push([[start, '-1', step], 'end-last']);
  if (step !== '') variants.push([[start, end, ''], 'step-dropped']);
  else if (start === '' && end === '') variants.push([['', '', '-1'], 'step-reversed']);
  if ((start === '') !== (end === '')) variants.push([[end, start, step], 'sides-swapped']);
  for (const [parts, variant] of variants) {
    const text = write(parts);
    if (text !== site.text(slice)) yield { start: slice.start, end: slice.end, text, variant: `slice-${variant}` };
  }
}

const SLICES = /^(slice|substring|subarray|substr)$/;

/** JavaScript's `x.slice(a, b)`. */
function* inSliceCall(site: Site, node: TreeNode): Iterable<Replacement> {
  const call = site.grammar.call(node);
  const property = call && site.grammar.member(call.callee)?.property;
  const list = childIn(node, 'arguments');
  if (!call || !property || !list || !SLICES.test(site.text(property))) return;
  if (namedChildren(list).length !== call.positional.length) return;
  const [one, two] = call.positional.map(site.text);
  const isSlice = site.text(property) === 'slice';
  const variants: [string, string][] =
    two !== undefined
      ? [[one ?? '', 'end-dropped'], one === '0' ? [two, 'zero-dropped'] : [`0, ${two}`, 'start-zero']]
      : one !== undefined
        ? [
            [`0, ${one}`, 'start-zero'],
            ...(isSlice
              ? ([
                  [`${one}, -1`, 'end-last'],
                  [`-${operandOf(site, call.positional[0])}`, 'from-end'],
                ] as [string, string][])
              : []),
          ]
        : isSlice
          ? [
              ['1', 'start-one'],
              ['0, -1', 'end-last'],
            ]
          : [];
  for (const [text, variant] of variants) {
    const inner = `(${text})`;
    if (inner !== site.text(list) && !/[\r\n]|--/.test(text))
      yield { start: list.start, end: list.end, text: inner, variant: `slice-${variant}` };
  }
}

function operandOf(site: Site, node: TreeNode | undefined): string {
  const times = site.grammar.operators.get('*');
  return node && times ? operandText(site.grammar, node, times, false, site.source) : '';
}

/** Another part of what is iterated. */
function* inIterated(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar } = site;
  if (isTarget(node) || /[\r\n]/.test(site.text(node))) return;
  const text = site.text(node);
  const isPlain =
    node.type === 'identifier' || grammar.member(node) !== undefined || grammar.subscript(node) !== undefined;
  const isPython = grammar.phrases.language === 'python';
  const call = grammar.call(node);
  if (
    isPython &&
    call &&
    site.text(call.callee) === 'enumerate' &&
    call.positional.length === 1 &&
    namedChildren(childIn(node, 'arguments') ?? node).length === 1
  ) {
    yield* put(site, node, `${text.slice(0, -1)}, 1)`, { variant: 'count-from-one' });
  }
  if (!isPlain) return;
  const parts = isPython
    ? [
        [`${text}[1:]`, 'without-first'],
        [`${text}[:-1]`, 'without-last'],
        [`${text}[::-1]`, 'reversed'],
        [`range(len(${text}))`, 'indexes'],
      ]
    : [
        [`${text}.slice(1)`, 'without-first'],
        [`${text}.slice(0, -1)`, 'without-last'],
        [`[...${text}].reverse()`, 'reversed'],
      ];
  for (const [part = '', variant = ''] of parts) yield* put(site, node, part, { variant: `iterated-${variant}` });
  if (isPython && text.length < 40 && site.suits(node, ROLES.arithmetic))
    yield* put(site, node, `range(${text})`, { variant: 'iterated-range' });
}

/** JavaScript: `of` for `in`, a step of two, the other direction. */
function* inLoopHead(site: Site, node: TreeNode): Iterable<Replacement> {
  const { parent } = node;
  if (parent?.type === 'for_in_statement' && node.field === 'right') {
    const word = childIn(parent, 'operator');
    if (word && !parent.children.some(({ type }) => type === 'await')) {
      yield { start: word.start, end: word.end, text: site.text(word) === 'of' ? 'in' : 'of', variant: 'of-in' };
    }
  }
  if (node.type === 'update_expression' && node.field === 'increment') {
    const name = childIn(node, 'argument');
    const sign = childIn(node, 'operator');
    if (name && sign)
      yield {
        start: node.start,
        end: node.end,
        text: `${site.text(name)} ${site.text(sign)[0]}= 2`,
        variant: 'step-two',
      };
  }
}
