import type { TreeNode } from '../copy-tree.ts';
import { operandText } from '../fit-text.ts';
import { isTarget, put } from '../place-expression.ts';
import { ROLES } from '../roles.ts';
import {
  functionAround,
  indentAt,
  isOnOwnLine,
  loopAround,
  mayReturnValue,
  ownNodes,
  reindented,
  siblingsOf,
  unitOf,
} from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';

const MAX_SUBJECTS = 3;
const MAX_SEEN_EXITS = 2;
const MAX_EXIT_LENGTH = 90;
const NEEDS = ROLES.receiver | ROLES.elements | ROLES.iterated;
const RATED = ROLES.arithmetic | ROLES.compared;

/** Something that could be missing where the statement uses it. */
interface Subject {
  text: string;
  weight: number;
  node: TreeNode;
}

/** A check that is missing: in front of a condition, or before the statement with a way out, or around it. */
export const guards: Template = {
  name: 'guard',
  *propose(site) {
    const subjects = subjectsOf(site, site.nodes);
    for (const node of site.nodes) {
      if (site.grammar.isCondition(node)) yield* inCondition(site, node, 'condition');
      else if (site.grammar.isReturned(node) && isTruth(site, node)) yield* inCondition(site, node, 'returned');
    }
    yield* withExit(site, subjects);
    yield* around(site, subjects);
  },
};

/** Local names and their members, those first that cannot be used when they are missing. */
function subjectsOf(site: Site, nodes: readonly TreeNode[]): Subject[] {
  const found = new Map<string, Subject>();
  for (const node of nodes) {
    if (!isSubject(site, node) || isTarget(node)) continue;
    const role = site.role(node);
    const weight = role & NEEDS ? 3 : role & RATED ? 2 : 1;
    const text = site.text(node);
    const known = found.get(text);
    if (!known || known.weight < weight) found.set(text, { text, weight, node });
  }
  return [...found.values()].sort((left, right) => right.weight - left.weight).slice(0, MAX_SUBJECTS);
}

function isSubject(site: Site, node: TreeNode): boolean {
  if (node.field === 'function' || node.type === 'shorthand_property_identifier') return false;
  if (node.type === 'identifier') return site.isLocal(node);
  const object = site.grammar.member(node)?.object;
  return (
    object !== undefined && (object.type === 'this' || object.type === 'identifier') && !/\s/.test(site.text(node))
  );
}

function isTruth({ grammar }: Site, node: TreeNode): boolean {
  const [token] = grammar.operation(node)?.operators ?? [];
  const family = token && grammar.operators.get(token.type)?.family;
  return family === 'comparison' || family === 'boolean' || grammar.negated(node) !== undefined;
}

/** `x is not None and …`, `x and …`, `x is None or …`, `i < len(x) and …`. */
function* inCondition(site: Site, node: TreeNode, place: string): Iterable<Replacement> {
  const { phrases } = site.grammar;
  const inside = site.nodes.filter(({ start, end }) => node.start <= start && end <= node.end);
  const join = (operator: string, check: string, variant: string, fit: number) =>
    joined(site, node, operator, check, `${place}-${variant}`, fit);
  for (const [index, { text, weight }] of subjectsOf(site, inside).entries()) {
    const fit = (weight >= 2 ? 1 : 0.5) / (1 + index);
    yield* join(phrases.and, phrases.isSome(text), 'some-and', fit);
    yield* join(phrases.or, phrases.isNone(text), 'none-or', fit);
    if (text === site.text(node)) continue;
    yield* join(phrases.and, text, 'truth-and', fit);
    yield* join(phrases.or, phrases.isEmpty(text), 'empty-or', fit);
  }
  for (const { index, container } of accesses(site, inside)) {
    yield* join(phrases.and, `${index} < ${phrases.length(container)}`, 'bound-and', 1);
    yield* join(phrases.and, `${index} >= 0`, 'from-zero-and', 1);
  }
  for (const divisor of divisors(site, inside))
    yield* join(
      phrases.and,
      `${divisor} !== 0`.replace('!==', phrases.equal === '==' ? '!=' : '!=='),
      'nonzero-and',
      1,
    );
  if (place === 'returned') return;
  const others = site.locals(node, site.range[0]).filter((name) => !inside.some((one) => site.text(one) === name));
  for (const [index, name] of others.slice(0, MAX_SUBJECTS).entries()) {
    yield* join(phrases.and, name, 'name-and', 1 / (1 + index));
    yield* join(phrases.or, name, 'name-or', 1 / (1 + index));
    yield* join(phrases.and, phrases.isEmpty(name), 'not-name-and', 1 / (1 + index));
  }
}

function* joined(
  site: Site,
  node: TreeNode,
  operator: string,
  check: string,
  variant: string,
  fit: number,
): Iterable<Replacement> {
  const { grammar, source } = site;
  const joining = grammar.operators.get(operator);
  const own = site.text(node);
  if (!joining || own.startsWith(check)) return;
  const text = `${check} ${operator} ${operandText(grammar, node, joining, false, source)}`;
  yield* put(site, node, text, { tightness: joining.tightness, variant, fit });
}

/** `x[i]` with a plain `i`. */
function accesses(site: Site, nodes: readonly TreeNode[]): { index: string; container: string }[] {
  return nodes
    .flatMap((node) => {
      const access = site.grammar.subscript(node);
      if (access?.index.type !== 'identifier' || /\s/.test(site.text(access.container))) return [];
      return [{ index: site.text(access.index), container: site.text(access.container) }];
    })
    .slice(0, 2);
}

function divisors(site: Site, nodes: readonly TreeNode[]): string[] {
  return nodes
    .flatMap((node) => {
      const operation = site.grammar.operation(node);
      const [token] = operation?.operators ?? [];
      const right = operation?.operands[1];
      if (!token || !right || !['/', '//', '%'].includes(token.type)) return [];
      return right.type === 'identifier' || site.grammar.member(right) ? [site.text(right)] : [];
    })
    .slice(0, 2);
}

/** `if x is None: return` before the statement. */
function* withExit(site: Site, subjects: readonly Subject[]): Iterable<Replacement> {
  const { grammar, statement } = site;
  const place = statement && openPlace(site, statement);
  if (!statement || !place) return;
  const exits = exitsOf(site, statement);
  const checks = [
    ...subjects.flatMap(({ text, weight }, index) => {
      const fit = weight / 3 / (1 + index);
      return [
        { text: grammar.phrases.isNone(text), variant: 'none', fit },
        { text: grammar.phrases.isEmpty(text), variant: 'empty', fit },
      ];
    }),
    ...divisors(site, site.nodes).map((text) => ({
      text: `${text} ${grammar.phrases.equal} 0`,
      variant: 'zero',
      fit: 1,
    })),
    ...accesses(site, site.nodes).map(({ index, container }) => ({
      text: `${index} >= ${grammar.phrases.length(container)}`,
      variant: 'bound',
      fit: 1,
    })),
  ];
  for (const check of checks) {
    for (const [index, exit] of exits.entries()) {
      const lines = grammar.phrases.branch(check.text, exit.text, place.indent, place.unit);
      yield {
        start: statement.start,
        end: statement.start,
        text: `${lines}\n${place.indent}`,
        variant: `${check.variant}-${exit.kind}`,
        fit: check.fit / (1 + index / 4),
        when: check.text,
      };
    }
  }
}

/** Where a line may be put before a statement of a function. */
export function openPlace(site: Site, statement: TreeNode): { indent: string; unit: string } | undefined {
  const { grammar, source } = site;
  if (site.isDefinition || !functionAround(grammar, statement) || !isStart(site, statement)) return undefined;
  const indent = indentAt(source, statement.start);
  const list = statement.parent;
  const owner = list?.parent;
  if (indent === undefined || !owner || !grammar.statements.isList(list)) return undefined;
  let outer: TreeNode = owner;
  while (outer.parent && indentAt(source, outer.start) === undefined) outer = outer.parent;
  const unit = unitOf(source, indentAt(source, outer.start) ?? '', statement);
  return unit === undefined ? undefined : { indent, unit };
}

/** Neither a docstring nor a directive, nor a declaration of scope. */
function isStart({ grammar, source }: Site, statement: TreeNode): boolean {
  if (
    /^(global|nonlocal|import|function|class|decorated)/.test(statement.type) ||
    grammar.statements.jump(statement) === 'raise'
  )
    return false;
  const expression = statement.type === 'expression_statement' ? statement.children[0] : undefined;
  if (expression && grammar.literal(expression, source) === 'string') return false;
  const siblings = siblingsOf(grammar, statement);
  return !siblings.slice(siblings.indexOf(statement)).some(({ type }) => /^(global|nonlocal)/.test(type));
}

interface Exit {
  kind: string;
  text: string;
}

/** Ways out that fit: the loop's next round, what the function returns elsewhere, a bare return, an error it raises. */
function exitsOf({ grammar, source, text }: Site, statement: TreeNode): Exit[] {
  const { statements, phrases } = grammar;
  const around = functionAround(grammar, statement);
  if (!around) return [];
  const exits: Exit[] = loopAround(grammar, statement) ? [{ kind: 'continue', text: `continue${phrases.end}` }] : [];
  const seen = new Set<string>();
  let raised: string | undefined;
  for (const node of ownNodes(grammar, around)) {
    const jump = statements.jump(node);
    if (jump !== 'return' && jump !== 'raise') continue;
    const written = `${text(node).replace(/;$/, '')}${phrases.end}`;
    if (written.length > MAX_EXIT_LENGTH || /[\r\n]/.test(written) || node === statement) continue;
    if (jump === 'raise') raised ??= /^(raise|throw)\s+\S/.test(written) ? written : undefined;
    else if (isSimple(node, source, grammar)) seen.add(written);
  }
  const bare = `return${phrases.end}`;
  for (const written of [...seen].filter((one) => one !== bare).slice(0, MAX_SEEN_EXITS))
    exits.push({ kind: 'seen', text: written });
  const isValued = seen.size > 0 && !seen.has(bare) && phrases.language === 'python' && mayReturnValue(grammar, around);
  exits.push({ kind: 'return', text: isValued ? 'return None' : bare });
  if (seen.size > 0 && !seen.has(bare) && mayReturnValue(grammar, around)) {
    const usual = [grammar.booleans[1], "''", '[]', '0'].map((value) => `return ${value}${phrases.end}`);
    for (const written of usual) if (!seen.has(written)) exits.push({ kind: 'usual', text: written });
  }
  if (raised) exits.push({ kind: 'raise', text: raised });
  return exits;
}

/** It returns nothing or a literal, whatever is bound by then. */
function isSimple(jump: TreeNode, source: string, grammar: Site['grammar']): boolean {
  const [value] = jump.children.filter(({ named }) => named);
  if (!value) return true;
  const number = grammar.negative(value) ?? value;
  return grammar.literal(number, source) !== undefined && value.end - value.start < 20;
}

/** `if x is not None:` around the statement. */
function* around(site: Site, subjects: readonly Subject[]): Iterable<Replacement> {
  const { grammar, source, statement } = site;
  const place = statement && openPlace(site, statement);
  if (!statement || !place || !grammar.statements.isMovable(statement) || !isOnOwnLine(grammar, source, statement))
    return;
  if (grammar.statements.jump(statement)) return;
  const { phrases } = grammar;
  const text =
    phrases.language === 'python'
      ? reindented(source, statement, place.indent, place.indent + place.unit)
      : site.text(statement);
  if (text === undefined) return;
  for (const [index, subject] of subjects.slice(0, 2).entries()) {
    const checks = [
      [phrases.isSome(subject.text), 'around-some', phrases.isNone(subject.text)],
      [subject.text, 'around-truth', phrases.isEmpty(subject.text)],
    ] as const;
    for (const [check, variant, when] of checks) {
      const branch = phrases.branch(check, text, place.indent, place.unit);
      yield { start: statement.start, end: statement.end, text: branch, variant, fit: 1 / (1 + index), when };
    }
  }
}
