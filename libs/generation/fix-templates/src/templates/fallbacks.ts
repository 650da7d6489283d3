import { childIn, type TreeNode } from '../copy-tree.ts';
import { operandText } from '../fit-text.ts';
import { isChainTarget, isReadValue, isTarget, put } from '../place-expression.ts';
import { ROLES } from '../roles.ts';
import type { Replacement, Site, Template } from '../template.ts';

const ORDINARY = ROLES.argument | ROLES.returned | ROLES.arithmetic | ROLES.compared | ROLES.iterated;

/** What to use where a value is missing: `?.`, `??`, `or`, `.get(key, default)`. */
export const fallbacks: Template = {
  name: 'fallback',
  *propose(site) {
    if (site.isDefinition) return;
    for (const node of site.nodes) {
      if (site.grammar.phrases.language === 'python') {
        yield* inLookup(site, node);
        yield* inCall(site, node);
      } else yield* inChain(site, node);
      yield* withDefault(site, node);
    }
  },
};

/** `a.b`, `a[i]` and `f(x)` become `a?.b`, `a?.[i]` and `f?.(x)`. */
function* inChain({ grammar, source, isLocal, text }: Site, node: TreeNode): Iterable<Replacement> {
  if (childIn(node, 'optional_chain') || isChainTarget(node)) return;
  const member = grammar.member(node);
  const dot = member && node.children.find(({ type }) => type === '.');
  if (member && dot && !/^(super|import|this)$/.test(member.object.type)) {
    const when = grammar.phrases.isNone(text(member.object));
    yield { start: dot.start, end: dot.end, text: '?.', variant: 'optional-member', when };
  }
  const access = grammar.subscript(node);
  const bracket = access && node.children.find(({ type }) => type === '[');
  if (bracket && access.container.type !== 'super') {
    const when = grammar.phrases.isNone(text(access.container));
    yield { start: bracket.start, end: bracket.start, text: '?.', variant: 'optional-index', when };
  }
  const callee = grammar.call(node)?.callee;
  const list = childIn(node, 'arguments');
  if (!callee || !list || node.type !== 'call_expression' || childIn(node, 'type_arguments')) return;
  if (source.slice(callee.end, list.start).includes('?.')) return;
  if (callee.type === 'identifier' ? !isLocal(callee) : callee.type !== 'member_expression') return;
  yield { start: list.start, end: list.start, text: '?.', variant: 'optional-call' };
}

/** `d[k]` becomes `d.get(k)` and `d.get(k, 0)`; `d.get(k)` gets a default. */
function* inLookup(site: Site, node: TreeNode): Iterable<Replacement> {
  const access = site.grammar.subscript(node);
  if (!access || isTarget(node) || /^(unary_operator|tuple)$/.test(access.index.type)) return;
  if (node.parent?.type === 'type' || node.parent?.type === 'augmented_assignment') return;
  if (/^-?\d+$/.test(site.text(access.index))) return;
  const [container, key] = [site.text(access.container), site.text(access.index)];
  const fit = keyFit(site, access.index);
  if (fit === 0) return;
  yield* put(site, node, `${container}.get(${key})`, { variant: 'get', fit });
  for (const [text, name] of DEFAULTS) {
    yield* put(site, node, `${container}.get(${key}, ${text})`, { variant: `get-${name}`, fit });
  }
}

/** How likely the index is a key of a dictionary: a text, then a name; a computed one is a position. */
function keyFit(site: Site, index: TreeNode): number {
  if (site.grammar.literal(index, site.source) === 'string') return 1;
  if (index.type === 'identifier' || site.grammar.member(index)) return 0.5;
  return site.grammar.operation(index) || /^(len|int|range)\(/.test(site.text(index)) ? 0 : 0.25;
}

const DEFAULTS = [
  ['0', 'zero'],
  ["''", 'text'],
  ['[]', 'list'],
] as const;

/** A default for what only fails without one. */
const TAKES_DEFAULT: Readonly<Record<string, number>> = { next: 1, getattr: 2, get: 1, pop: 1, min: 1, max: 1 };

function* inCall(site: Site, node: TreeNode): Iterable<Replacement> {
  const call = site.grammar.call(node);
  const list = childIn(node, 'arguments');
  const last = call?.positional.at(-1);
  if (!call || !list || !last || list.children.filter(({ named }) => named).length !== call.positional.length) return;
  const property = site.grammar.member(call.callee)?.property;
  const name = site.text(property ?? call.callee);
  if (TAKES_DEFAULT[name] !== call.positional.length) return;
  const isNamed = name === 'min' || name === 'max';
  if ((property === undefined) !== (name === 'next' || name === 'getattr' || isNamed)) return;
  const texts = isNamed ? ['default=0', 'default=None'] : ['None', ...DEFAULTS.map(([text]) => text)];
  for (const [index, text] of texts.entries()) {
    if (site.grammar.forbiddenIn(node, site.source) !== '' && text.includes("'")) continue;
    yield {
      start: last.end,
      end: last.end,
      text: `, ${text}`,
      variant: isNamed ? 'default-argument' : `default-${index === 0 ? 'none' : 'value'}`,
    };
  }
}

/** `x or []`, `x ?? 0`. */
function* withDefault(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const isPython = grammar.phrases.language === 'python';
  const operator = grammar.operators.get(isPython ? 'or' : '??');
  if (!operator || !isReadValue(site, node) || !isOpen(site, node)) return;
  const place = placeOf(node);
  const role = site.role(place);
  const isPlain = (role & ORDINARY) !== 0 || grammar.isAssigned(place) || grammar.isReturned(place);
  if (!isPlain && !(place !== node && (role & ROLES.receiver) !== 0)) return;
  const left = operandText(grammar, node, operator, true, source);
  for (const [text, name] of DEFAULTS) {
    if ((role & ROLES.iterated) !== 0 && name !== 'list') continue;
    if ((role & (ROLES.arithmetic | ROLES.compared)) !== 0 && name === 'list') continue;
    if (!site.suits(node, name === 'zero' ? ROLES.arithmetic : ROLES.iterated)) continue;
    yield* put(site, node, `${left} ${operator.text} ${text}`, {
      tightness: operator.tightness,
      variant: `or-${name}`,
    });
  }
  if (role !== 0 && (role & ~(ROLES.argument | ROLES.returned)) !== 0) return;
  yield* put(site, node, `${left} ${operator.text} {}`, { tightness: operator.tightness, variant: 'or-map' });
  if (!isPython && role !== ROLES.argument) {
    yield* put(site, node, `${left} ?? null`, { tightness: operator.tightness, variant: 'or-none' });
  }
}

/** The node with the parentheses around it. */
function placeOf(node: TreeNode): TreeNode {
  let place = node;
  while (place.parent?.type === 'parenthesized_expression') place = place.parent;
  return place;
}

/** It could be missing: a variable, a member, an element, the result of a call. */
function isOpen(site: Site, node: TreeNode): boolean {
  if (node.type === 'identifier') return site.isLocal(node);
  if (node.type === 'new_expression') return false;
  return [site.grammar.member(node), site.grammar.subscript(node), site.grammar.call(node)].some(
    (one) => one !== undefined,
  );
}
