import type { SeenCall } from '../collect-donors.ts';
import { childIn, namedChildren, type TreeNode } from '../copy-tree.ts';
import { put } from '../place-expression.ts';
import type { Replacement, Site, Template } from '../template.ts';

const MAX_ARGUMENTS = 8;
const MAX_ADDED = 3;

/** An argument left out or put in: a name of the place, what other calls of the same pass, a keyword of theirs. */
export const callArguments: Template = {
  name: 'call-argument',
  prior: 0.003,
  *propose(site) {
    if (site.isDefinition) return;
    for (const node of site.nodes) {
      const call = site.grammar.call(node);
      const list = childIn(node, 'arguments');
      if (!call || !list || /^(super|import|require)$/.test(site.text(call.callee))) continue;
      if (node.parent?.type === 'decorator' || site.source[list.start] !== '(') continue;
      const given = namedChildren(list);
      if (given.length > MAX_ARGUMENTS || given.some(({ type }) => /splat|spread|generator/.test(type))) continue;
      yield* dropped(site, given);
      yield* added(site, list, given, site.calls(site.text(call.callee)));
      yield* exchanged(site, call.positional, site.calls(site.text(call.callee)));
    }
  },
};

/** With the comma that joins it to a neighbour. */
function* dropped(site: Site, given: readonly TreeNode[]): Iterable<Replacement> {
  for (const [index, argument] of given.entries()) {
    const [previous, next] = [given[index - 1], given[index + 1]];
    const [start, end] = previous
      ? [previous.end, argument.end]
      : [argument.start, next ? next.start : endOfOnly(site.source, argument.end)];
    if (/[\r\n]/.test(site.source.slice(start, end)) || hasComment(site.source.slice(start, end))) continue;
    const isLast = next === undefined;
    const place = argument.type === 'keyword_argument' ? 'keyword' : isLast ? (index === 0 ? 'only' : 'last') : 'other';
    yield { start, end, text: '', variant: `dropped-${place}` };
  }
}

/** With the comma that may stand after it. */
function endOfOnly(source: string, end: number): number {
  return end + (/^\s*,/.exec(source.slice(end, end + 80))?.[0].length ?? 0);
}

function hasComment(text: string): boolean {
  return /#|\/\/|\/\*/.test(text.replace(/(["']).*?\1/g, ''));
}

/** After the last one. */
function* added(
  site: Site,
  list: TreeNode,
  given: readonly TreeNode[],
  others: readonly SeenCall[],
): Iterable<Replacement> {
  const last = given.at(-1);
  const at = last?.end ?? list.start + 1;
  const hasKeyword = given.some(({ type }) => type === 'keyword_argument');
  const before = last ? ', ' : '';
  const known = new Set(given.map((one) => site.text(one)));
  const texts: [text: string, variant: string][] = [];
  for (const { positional, keywords } of others) {
    const next = hasKeyword ? undefined : positional[given.length];
    if (next && isUsable(site, next, list)) texts.push([next.text, 'added-seen']);
    for (const keyword of keywords) {
      const name = keyword.text.split('=', 1)[0] ?? '';
      const isGiven = given.some((one) => site.text(one).startsWith(`${name}=`));
      if (!isGiven && isUsable(site, keyword, list)) texts.push([keyword.text, 'added-keyword']);
    }
  }
  if (!hasKeyword)
    for (const name of site.locals(list, site.range[0]).slice(0, MAX_ADDED)) texts.push([name, 'added-name']);
  const seen = new Set<string>();
  for (const [text, variant] of texts) {
    if (seen.has(text) || known.has(text)) continue;
    seen.add(text);
    if (seen.size > 2 * MAX_ADDED) return;
    yield { start: at, end: at, text: `${before}${text}`, variant, fit: 1 / (1 + (seen.size - 1) / 3) };
  }
}

function isUsable(site: Site, { names }: { names: readonly string[] }, node: TreeNode): boolean {
  return names.every((name) => site.isVisible(name, node));
}

/** What other calls pass in the same place. */
function* exchanged(site: Site, positional: readonly TreeNode[], others: readonly SeenCall[]): Iterable<Replacement> {
  for (const [index, argument] of positional.entries()) {
    const seen = new Set([site.text(argument)]);
    for (const other of others) {
      const donor = other.positional[index];
      if (!donor || seen.has(donor.text) || !isUsable(site, donor, argument) || seen.size > 2) continue;
      seen.add(donor.text);
      if (/operator|_expression$|lambda|await|yield/.test(donor.type) && !/^(call|member|subscript)_/.test(donor.type))
        continue;
      yield* put(site, argument, donor.text, { variant: 'exchanged' });
    }
  }
}
