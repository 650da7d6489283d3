import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import { ASSIGNED, JOINED, type Shape, UNWRAPPED_METHODS, WRAPPERS } from '../languages/wrappers.ts';
import { ATOM, isChainTarget, isReadValue, put } from '../place-expression.ts';
import { ROLES } from '../roles.ts';
import { functionAround } from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** A call put around a value or taken away: a conversion, a length, a bound, a copy, an `await`. */
export const wrappedCalls: Template = {
  name: 'wrapped-call',
  *propose(site) {
    for (const node of site.nodes) {
      yield* unwrapped(site, node);
      yield* awaited(site, node);
      if (!site.isDefinition) yield* wrapped(site, node);
    }
  },
};

function* wrapped(site: Site, node: TreeNode): Iterable<Replacement> {
  const { phrases } = site.grammar;
  if (!isReadValue(site, node) || isKnown(site, node)) return;
  const shape = shapeOf(site, node);
  if (!shape) return;
  const place = placeOf(site, node);
  const text = site.text(node);
  if (/[\r\n]/.test(text)) return;
  for (const { name, shapes, places, takes = 0, write } of WRAPPERS[phrases.language]) {
    if (!shapes.includes(shape) || (places & place) === 0 || !site.suits(node, takes)) continue;
    const written = write(
      shape === 'difference' || shape === 'quotient' || shape === 'product'
        ? { text, grouped: `(${text})` }
        : { text, grouped: text },
    );
    if (isDone(site, node, written)) continue;
    yield* put(site, node, written, { tightness: ATOM, variant: `to-${name}` });
  }
}

/** The call is there already, around the value or in it, or another that does as well. */
function isDone(site: Site, node: TreeNode, written: string): boolean {
  const name = /^[\w.]+(?=\()/.exec(written)?.[0];
  if (name === undefined) return false;
  if (site.text(node).startsWith(`${name}(`)) return true;
  const around = node.parent?.parent && site.grammar.call(node.parent.parent);
  if (around === undefined || STACKED.test(name)) return false;
  return WRAPPERS[site.grammar.phrases.language].some(({ callee }) => callee === site.text(around.callee));
}

/** Calls that make sense inside another conversion. */
const STACKED = /^(set|abs|Math\.abs|new Set)$/;

function shapeOf(site: Site, node: TreeNode): Shape | undefined {
  const { grammar } = site;
  if (node.type === 'identifier') return site.isLocal(node) ? 'name' : undefined;
  if (node.type === 'new_expression') return undefined;
  if (grammar.call(node)) return 'call';
  if (grammar.member(node)) return 'member';
  if (grammar.subscript(node)) return 'element';
  if (/comprehension|^array$|^list$/.test(node.type)) return 'collection';
  const token = grammar.operation(node)?.operators[0]?.type;
  if (token === '-') return 'difference';
  if (token === '/' || token === '//') return 'quotient';
  return token === '*' || token === '+' ? 'product' : undefined;
}

/** Roles of the place, and whether the value is assigned. */
function placeOf(site: Site, node: TreeNode): number {
  const role = site.role(node);
  const { grammar } = site;
  const isJoined =
    node.parent !== undefined &&
    grammar.operation(node.parent)?.operands.some((one) => grammar.literal(one, site.source) === 'string');
  const range = node.parent?.parent && grammar.call(node.parent.parent);
  return (
    (isJoined ? JOINED : role) |
    (grammar.isAssigned(node) ? ASSIGNED : 0) |
    (grammar.isReturned(node) ? ROLES.returned : 0) |
    (range && site.text(range.callee) === 'range' ? ROLES.index : 0)
  );
}

function* unwrapped(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const call = grammar.call(node);
  const isPart = node.parent?.type === 'decorator' || isChainTarget(node);
  if (call && !isPart) yield* withoutCall(site, node, call.callee, call.positional);
  const member = grammar.member(node);
  if (
    member &&
    site.text(member.property) === 'length' &&
    isReadValue(site, node) &&
    site.suits(member.object, site.role(node))
  ) {
    yield* put(site, node, site.text(member.object), {
      tightness: grammar.tightness(member.object, source),
      variant: 'without-length',
    });
  }
  const [spread, ...more] = node.type === 'array' ? namedChildren(node) : [];
  if (spread?.type === 'spread_element' && more.length === 0 && namedChildren(spread)[0] && !isPart) {
    const inner = namedChildren(spread)[0] as TreeNode;
    yield* put(site, node, site.text(inner), { tightness: grammar.tightness(inner, source), variant: 'without-copy' });
  }
}

function* withoutCall(
  site: Site,
  node: TreeNode,
  callee: TreeNode,
  positional: readonly TreeNode[],
): Iterable<Replacement> {
  const { grammar, source } = site;
  const list = childIn(node, 'arguments');
  if (!list || /^(super|import)$/.test(callee.type) || site.text(callee) === 'require') return;
  if (childIn(node, 'type_arguments') || node.parent?.type === 'with_item' || node.parent?.type === 'as_pattern')
    return;
  const count = namedChildren(list).length;
  if (count !== positional.length) return;
  const member = grammar.member(callee);
  if (count === 0 && member) {
    const name = site.text(member.property);
    const variant = UNWRAPPED_METHODS.has(name) ? 'without-method' : 'without-other-method';
    const isSuper =
      /^(super|this)$/.test(member.object.type) || /^(self|cls|super\(\))$/.test(site.text(member.object));
    if (!isSuper)
      yield* put(site, node, site.text(member.object), {
        tightness: grammar.tightness(member.object, source),
        variant,
      });
  }
  if (count < 1 || count > 2) return;
  const isBound = count === 2 && /(^|\.)(min|max)$/.test(site.text(callee));
  if (count === 2 && !isBound) return;
  const known = isKnown(site, node);
  for (const argument of positional) {
    if (isBound && grammar.literal(argument, source) === 'number') continue;
    if (known && /^(len|sum)$/.test(site.text(callee)) && !site.suits(argument, site.role(node))) continue;
    const text = site.text(argument);
    const isLoose =
      grammar.literal(argument, source) === 'number' || /^(generator_expression|named_expression)$/.test(argument.type);
    const tightness = isLoose && node.field === 'object' ? 0 : grammar.tightness(argument, source);
    yield* put(site, node, text, {
      tightness,
      variant: isBound ? 'without-bound' : known ? 'without-known' : 'without-other',
    });
  }
}

function isKnown({ grammar, text }: Site, node: TreeNode): boolean {
  const callee = grammar.call(node)?.callee;
  return callee !== undefined && WRAPPERS[grammar.phrases.language].some((wrapper) => wrapper.callee === text(callee));
}

function* awaited(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  if (/^await/.test(node.type)) {
    const operand = namedChildren(node)[0];
    if (operand && !/^import\b/.test(site.text(operand)))
      yield* put(site, node, site.text(operand), {
        tightness: grammar.tightness(operand, source),
        variant: 'without-await',
      });
    return;
  }
  if (!grammar.call(node) || /^await|decorator/.test(node.parent?.type ?? '') || node.type === 'new_expression') return;
  const around = functionAround(grammar, node);
  if (!around || !grammar.statements.isAsync(around) || site.isDefinition || isChainTarget(node)) return;
  if (/^(Math|Number|String|Object|Array|JSON|Boolean)\b/.test(site.text(node)) || isKnown(site, node)) return;
  const isPlain = isReadValue(site, node) || node.parent?.type === 'expression_statement' || node.field === 'object';
  if (!isPlain) return;
  const awaiting = grammar.phrases.language === 'python' ? AWAIT_IN_PYTHON : AWAIT_IN_JAVASCRIPT;
  yield* put(site, node, `await ${site.text(node)}`, { tightness: awaiting, variant: 'to-await' });
}

/** How tightly `await` binds, on the scales of the grammars. */
const AWAIT_IN_PYTHON = 15;
const AWAIT_IN_JAVASCRIPT = 14;
