import type { Donor } from '../collect-donors.ts';
import type { TreeNode } from '../copy-tree.ts';
import { operandText } from '../fit-text.ts';
import { isReadValue, put } from '../place-expression.ts';
import { ROLES } from '../roles.ts';
import { functionAround, isOnOwnLine, loopAround, mayReturnValue, siblingsOf } from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';
import { openPlace } from './guards.ts';

const MAX_CONDITIONS = 5;
const MAX_GUARDS = 6;
const MAX_STATEMENTS = 5;
const MAX_VALUES = 3;
const MAX_VALUES_IN_ALL = 15;
const PLACES = ROLES.argument | ROLES.returned | ROLES.compared | ROLES.iterated | ROLES.condition;

/** Code that the file has elsewhere: a value, a part of a condition, a guard, a statement. */
export const donors: Template = {
  name: 'donor',
  prior: 0.0015,
  *propose(site) {
    if (site.isDefinition) return;
    for (const node of site.nodes) if (site.grammar.isCondition(node)) yield* inCondition(site, node);
    yield* values(site);
    yield* beforeStatement(site);
  },
};

type Rename = readonly [from: string, to: string];

/** How a donor can be used at a place: as it is where all its names can be; a single one that cannot be gives way to a name of the place. */
function renamings(
  { isVisible }: Site,
  donor: Donor,
  node: TreeNode,
  stand: readonly string[],
): (Rename | undefined)[] {
  const missing = donor.names.filter((name) => !isVisible(name, node));
  const [only] = missing;
  if (only === undefined) return [undefined];
  const isBound = (name: string) => donor.bound.has(name) || donor.guard?.exit.bound.has(name) === true;
  if (missing.length > 1 || isBound(only)) return [];
  return stand.filter((name) => !isBound(name)).map((name) => [only, name]);
}

/** The text with another name wherever it reads the one. */
function renamed({ text, reads }: Donor, rename: Rename | undefined): string {
  if (rename === undefined) return text;
  const [from, to] = rename;
  let result = '';
  let done = 0;
  for (const { name, at, isKey } of reads) {
    if (name !== from) continue;
    result += `${text.slice(done, at)}${isKey ? `${name}: ` : ''}${to}`;
    done = at + name.length;
  }
  return result + text.slice(done);
}

/** `a` becomes `a and b`, `b and a`, `a or b`, `b or a`. */
function* inCondition(site: Site, node: TreeNode): Iterable<Replacement> {
  const { grammar } = site;
  const own = site.text(node);
  const used = localNames(site, site.nodes).slice(0, 1);
  const parts = site
    .donors('condition')
    .flatMap((donor) => renamings(site, donor, node, used).map((one) => ({ text: renamed(donor, one), donor })))
    .filter(({ text }) => !own.includes(text) && !text.includes(own));
  for (const [index, { text, donor }] of parts.slice(0, MAX_CONDITIONS).entries()) {
    for (const word of [grammar.phrases.and, grammar.phrases.or]) {
      const joining = grammar.operators.get(word);
      if (!joining) continue;
      const part = isLoose(donor.type) ? `(${text})` : text;
      const isAnd = word === grammar.phrases.and;
      const name = isAnd ? 'and' : 'or';
      const fit = 1 / (1 + index / 2);
      const front = `${part} ${word} ${operandText(grammar, node, joining, false, site.source)}`;
      yield* put(site, node, front, { tightness: joining.tightness, variant: `condition-${name}-front`, fit });
      const back = `${operandText(grammar, node, joining, true, site.source)} ${word} ${part}`;
      yield* put(site, node, back, { tightness: joining.tightness, variant: `condition-${name}-back`, fit });
    }
  }
}

/** It binds looser than an operand of `and` may. */
function isLoose(type: string): boolean {
  return /^(boolean_operator|binary_expression|conditional_expression|ternary_expression|lambda|assignment_expression|named_expression|await.*|as_expression|sequence_expression|yield.*|augmented.*)$/.test(
    type,
  );
}

/** Another value of the file where its names are known: likest first. */
function* values(site: Site): Iterable<Replacement> {
  const pieces = site.donors('value');
  if (pieces.length === 0) return;
  let left = MAX_VALUES_IN_ALL;
  for (const node of site.nodes) {
    if (left <= 0) return;
    if (!isDonated(site, node)) continue;
    const own = site.text(node);
    const chosen = pieces
      .filter(({ text, names }) => text !== own && names.every((name) => site.isVisible(name, node)))
      .map((donor, order) => ({
        donor,
        order,
        alike: likeness(own, donor.text) + (donor.type === node.type ? 0.2 : 0),
      }))
      .filter(({ alike }) => alike > 0.25)
      .sort((one, other) => other.alike - one.alike || one.order - other.order);
    for (const [index, { donor }] of chosen.slice(0, MAX_VALUES).entries()) {
      left -= 1;
      const text = isLoose(donor.type) ? `(${donor.text})` : donor.text;
      const variant = `value-${index === 0 ? 'first' : 'near'}`;
      yield* put(site, node, text, { tightness: tightnessOf(donor.type), variant });
    }
  }
}

/** Operations of which it is not known how they bind are put in parentheses. */
function tightnessOf(type: string): number {
  return /operator|expression$/.test(type) && !/^(call|member|subscript|parenthesized)_expression$/.test(type) ? 0 : 99;
}

function isDonated(site: Site, node: TreeNode): boolean {
  if (!isReadValue(site, node) || node.end - node.start > 60 || node.type === 'keyword_argument') return false;
  if (site.grammar.literal(node, site.source) !== undefined) return false;
  if (holds(node, WHOLE)) return false;
  const isName = node.type === 'identifier';
  if (isName && !site.isLocal(node)) return false;
  return (site.role(node) & PLACES) !== 0 || site.grammar.isAssigned(node) || site.grammar.isReturned(node);
}

/** What is replaced in parts, never as a whole: texts with values in them, types, literals of several entries, functions. */
const WHOLE =
  /template|interpolation|concatenated|type_|_type$|^type|as_expression|satisfies|non_null|object|dictionary|pair|regex|jsx|arrow|function|lambda|comprehension|class|keyword_argument/;

function holds(root: TreeNode, types: RegExp): boolean {
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.named && types.test(node.type)) return true;
    stack.push(...node.children);
  }
  return false;
}

/** Share of common words. */
function likeness(left: string, right: string): number {
  const [own, others] = [left, right].map((text) => new Set(text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []));
  if (!own || !others) return 0;
  let common = 0;
  for (const word of own) if (others.has(word)) common += 1;
  return (2 * common) / (own.size + others.size);
}

/** A guard, or another statement, of the file before this one, or at the end of its block. */
function* beforeStatement(site: Site): Iterable<Replacement> {
  const { grammar, statement, source } = site;
  const place = statement && openPlace(site, statement);
  if (!statement || !place) return;
  const used = localNames(site, site.nodes).slice(0, 2);
  yield* guards(site, statement, place, used);
  const seen = new Set(siblingsOf(grammar, statement).map((one) => site.text(one)));
  const pieces = site
    .donors('statement')
    .flatMap((donor) => renamings(site, donor, statement, []).map((one) => renamed(donor, one)));
  const isLast = siblingsOf(grammar, statement).at(-1) === statement && !grammar.statements.jump(statement);
  const mayFollow =
    isLast &&
    isOnOwnLine(grammar, source, statement) &&
    /[;}]$|^$/.test(grammar.phrases.end && site.text(statement).slice(-1));
  for (const [index, text] of pieces
    .filter((one) => !seen.has(one))
    .slice(0, MAX_STATEMENTS)
    .entries()) {
    const line = grammar.phrases.end !== '' && !/[;}]$/.test(text) ? `${text};` : text;
    const fit = 1 / (1 + index / 2);
    yield {
      start: statement.start,
      end: statement.start,
      text: `${line}\n${place.indent}`,
      variant: 'statement-before',
      fit,
    };
    if (!mayFollow) continue;
    const end = statement.end;
    yield { start: end, end, text: `\n${place.indent}${line}`, variant: 'statement-after', fit };
  }
}

function* guards(
  site: Site,
  statement: TreeNode,
  place: { indent: string; unit: string },
  used: readonly string[],
): Iterable<Replacement> {
  const { grammar } = site;
  const { phrases } = grammar;
  const isInLoop = loopAround(grammar, statement) !== undefined;
  const around = functionAround(grammar, statement);
  const mayReturn = around !== undefined && around.type !== 'lambda' && mayReturnValue(grammar, around);
  let count = 0;
  for (const donor of site.donors('guard')) {
    if (donor.guard === undefined) continue;
    const { exit, jump } = donor.guard;
    if ((jump === 'break' || jump === 'continue') && !isInLoop) continue;
    if (jump === 'return' && !mayReturn && exit.text !== 'return') continue;
    for (const rename of renamings(site, donor, statement, used)) {
      if (count >= MAX_GUARDS) return;
      count += 1;
      const check = renamed(donor, rename);
      const lines = phrases.branch(check, `${renamed(exit, rename)}${phrases.end}`, place.indent, place.unit);
      yield {
        start: statement.start,
        end: statement.start,
        text: `${lines}\n${place.indent}`,
        variant: `guard-${jump}`,
        fit: 1 / (1 + count / 3),
        when: check,
      };
    }
  }
}

/** Names of variables that the nodes read, in source order. */
function localNames(site: Site, nodes: readonly TreeNode[]): string[] {
  const names = nodes.filter((node) => node.type === 'identifier' && site.isLocal(node)).map((node) => site.text(node));
  return [...new Set(names)];
}
