// How well a candidate fits what is known of the failure: what tests said, and what values were seen where the statement ran.
import type { ObservedRun, TestFailure } from '@h/contracts';
import type { TreeNode } from './copy-tree.ts';
import { hasEffectBefore } from './effects-before.ts';
import { type Bindings, evaluateExpression } from './evaluate-expression.ts';
import { operatorOf } from './fit-text.ts';
import {
  type Difference,
  type FailureSigns,
  type Relation,
  readFailures,
  type Wanted,
  wantedIn,
} from './read-failure.ts';
import { readStates, type SeenState } from './read-states.ts';
import { holds, isSame, type Value } from './seen-value.ts';
import type { Replacement, Site } from './template.ts';

/** What is known of the failure. Each part may be absent. */
export interface FailureEvidence {
  /** Of the failing tests. */
  failures?: readonly TestFailure[];
  /** A failing run with the values that probes saw. */
  observed?: ObservedRun;
}

/** Error classes that failing tests ended with, and what assertions wanted. */
export interface FailureFacts {
  readonly raised: readonly string[];
  readonly wanted: readonly Wanted[];
}

/** What templates are told of a failure. */
export function factsOf({ failures = [] }: FailureEvidence): FailureFacts {
  const signs = readFailures(failures);
  return { raised: failures.map((failure) => failure.class), wanted: signs === undefined ? [] : wantedIn(signs) };
}

/** Rates candidates of the statement that starts on a line; 1 says nothing for or against. */
export interface FailureFit {
  rate(site: Site, location: string, replacement: Replacement, kind: string): number;
}

/** Wherever the failing run was there, the changed place gives what it gave: it cannot pass by this change. */
const WITHOUT_EFFECT = 0.02;
/** The check would have held somewhere in the failing run. */
const WOULD_HOLD = 3;
/** What was expected, where before the change it gave what came. */
const GIVES_EXPECTED = 4;
/** Both sides of an operator are of a kind, which they were not. */
const MENDS_KINDS = 3;
const MAX_LEVELS = 6;
/** Names inside mean other things than around. */
const OWN_SCOPE =
  /lambda|comprehension|generator_expression|arrow_function|function_expression|function_declaration|method_definition/;

/** `undefined` where nothing is known. */
export function createFailureFit({ failures = [], observed }: FailureEvidence): FailureFit | undefined {
  const signs = readFailures(failures);
  const states = observed === undefined ? new Map<string, readonly SeenState[]>() : readStates(observed);
  if (signs === undefined && states.size === 0) return undefined;
  const heard = new WeakMap<Site, readonly SeenState[]>();
  return {
    rate(site, location, replacement, kind) {
      const seen = heard.get(site) ?? tellingStates(site, states.get(location) ?? []);
      heard.set(site, seen);
      const bySigns = signs === undefined ? 1 : rateBySigns(site, replacement, kind, signs);
      return bySigns * (seen.length === 0 ? 1 : rateByStates(site, replacement, seen, signs?.differences ?? []));
    },
  };
}

/** Its parts run at different moments, and one event tells of all of them. */
const MIXED: Readonly<Record<string, RegExp>> = { javascript: /^(for|do)_statement$/, python: /^$/ };
/** What it goes over is asked for once, and seen at every turn. */
const REPEATED = /^for_/;

/** None where the header is not read, or where the values seen say another way than the one that was taken: what was observed is right. */
function tellingStates(site: Site, states: readonly SeenState[]): readonly SeenState[] {
  if (MIXED[site.grammar.phrases.language]?.test(site.node.type)) return [];
  const condition = site.nodes.find(isBranch);
  if (condition === undefined) return states;
  const known = knownAt(site, condition);
  const isDenied = states.some((state) => {
    if (state.branch === undefined) return false;
    const value = evaluateExpression(site.text(condition), site.grammar, known(state));
    const held = value && holds(value, site.grammar.phrases.language);
    return held !== undefined && held !== state.branch;
  });
  return isDenied ? [] : states;
}

/** What is known where a part of the statement is evaluated. */
function knownAt(site: Site, { start, end }: { start: number; end: number }): (state: SeenState) => Bindings {
  const isLate = hasEffectBefore(site, [start, end]);
  return ({ bindings, lasting }) => (isLate ? lasting : bindings);
}

function rateByStates(
  site: Site,
  replacement: Replacement,
  states: readonly SeenState[],
  differences: readonly Difference[],
): number {
  const { start, end, text, when } = replacement;
  if (when !== undefined) return rateCheck(site, when, start, states);
  if (REPEATED.test(site.node.type)) return 1;
  const around = nodesAround(site, start, end);
  if (around === undefined) return 1;
  let rating = 1;
  for (const node of around) {
    const before = site.text(node);
    const after = `${before.slice(0, start - node.start)}${text}${before.slice(end - node.start)}`;
    const known = knownAt(site, node);
    const pairs = states.map((state) => {
      const bindings = known(state);
      const now = evaluateExpression(after, site.grammar, bindings);
      return [seenValueOf(site, node, before, bindings, state.branch), now] as const;
    });
    if (pairs.every(([old, now]) => old !== undefined && now !== undefined && isAlike(site, node, old, now)))
      return WITHOUT_EFFECT;
    if (pairs.some(([old, now]) => differences.some((one) => isMended(one, old, now)))) rating = GIVES_EXPECTED;
    else if (rating === 1 && mendsKinds(site, node, replacement, states)) rating = MENDS_KINDS;
  }
  return rating;
}

/** Nodes that hold the place, innermost first; undefined where names may mean something else. */
function nodesAround({ nodes }: Site, start: number, end: number): TreeNode[] | undefined {
  const around = nodes.filter((node) => node.start <= start && end <= node.end && node.end - node.start < 200);
  if (around.some(({ type }) => OWN_SCOPE.test(type))) return undefined;
  return around.reverse().slice(0, MAX_LEVELS);
}

/** Of a branch's whole condition it is known which way it went, whatever it is made of. */
function seenValueOf(
  { grammar }: Site,
  node: TreeNode,
  text: string,
  bindings: Bindings,
  branch: boolean | undefined,
): Value | undefined {
  const value = evaluateExpression(text, grammar, bindings);
  if (value !== undefined || branch === undefined || !isBranch(node)) return value;
  return { kind: 'truth', value: branch };
}

function isBranch({ field, parent }: TreeNode): boolean {
  return field === 'condition' && /^(if|elif|while|else_if)/.test(parent?.type ?? '');
}

/** The same value, of an object the same one; of a condition, the same way. */
function isAlike({ grammar }: Site, node: TreeNode, old: Value, now: Value): boolean {
  if (!isBranch(node) && !grammar.isCondition(node)) {
    const isOther = old.kind === 'object' && old.ref === undefined && old !== now;
    return !isOther && isSame(old, now);
  }
  const speech = grammar.phrases.language;
  const [before, after] = [holds(old, speech), holds(now, speech)];
  return before !== undefined && before === after;
}

function isMended({ expected, actual }: Difference, old: Value | undefined, now: Value | undefined): boolean {
  if (old === undefined || now === undefined || isSame(expected, actual)) return false;
  return isSame(old, actual) && isSame(now, expected) && expected.kind !== 'truth';
}

/** A check that is put in does something only where it holds. */
function rateCheck(site: Site, when: string, start: number, states: readonly SeenState[]): number {
  const { grammar } = site;
  const speech = grammar.phrases.language;
  const known = knownAt(site, { start, end: start });
  const held = states.map((state) => {
    const value = evaluateExpression(when, grammar, known(state));
    return value && holds(value, speech);
  });
  if (held.every((one) => one === false)) return WITHOUT_EFFECT;
  return held.includes(true) ? WOULD_HOLD : 1;
}

/** `list > 3` becomes `len(list) > 3`: wherever the sides are known, they were of different kinds and are of one. */
function mendsKinds(
  site: Site,
  node: TreeNode,
  { start, end, text: put }: Replacement,
  states: readonly SeenState[],
): boolean {
  const { grammar, source, text } = site;
  const operation = grammar.operation(node);
  const own = operation?.operands.find((operand) => operand.start <= start && end <= operand.end);
  const other = operation?.operands.find((operand) => operand !== own);
  if (!operation || !own || !other || operation.operators.length > 1) return false;
  const [token] = operation.operators;
  const family = token && operatorOf(grammar, token, source)?.family;
  if (family !== 'comparison' && family !== 'arithmetic') return false;
  const changed = `${source.slice(own.start, start)}${put}${source.slice(end, own.end)}`;
  const bindingsOf = knownAt(site, node);
  const kinds = states.map((state) => {
    const bindings = bindingsOf(state);
    return [text(own), changed, text(other)].map((one) => kindOf(evaluateExpression(one, grammar, bindings)));
  });
  const known = kinds.filter((three) => three.every((kind) => kind !== undefined));
  return known.length > 0 && known.every(([before, after, beside]) => before !== beside && after === beside);
}

function kindOf(value: Value | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.kind === 'truth') return 'number';
  return value.kind === 'object' ? value.type : value.kind;
}

type Rule = readonly [
  sign: 'nothing' | 'range' | 'zero' | 'arguments' | 'operands' | 'endless',
  kinds: RegExp,
  factor: number,
];

/** Chosen by hand: what each error is usually mended by. */
const RULES: readonly Rule[] = [
  ['nothing', /^guard\/.*(none|some|empty|truth)/, 3],
  ['nothing', /^(fallback\/|return\/added|return\/empty)/, 3],
  ['range', /^(off-by-one|loop-bound|guard\/bound|fallback\/get)/, 2],
  ['range', /^(comparison-operator\/boundary|constant\/(plus|minus)-one|constant\/to-0)/, 1.5],
  ['zero', /^guard\/(zero|.*nonzero)/, 5],
  ['arguments', /^(call-argument|argument-order)\//, 4],
  ['operands', /^(wrapped-call\/to-|literal\/|call-argument)/, 2],
  ['endless', /^(loop-bound|off-by-one|jump|comparison-operator|arithmetic-operator\/(assigned|plain|update))/, 1.5],
];

const RELATED: Readonly<Record<Relation, readonly [kinds: RegExp, factor: number] | undefined>> = {
  opposite: [
    /^(negated-condition|boolean-operator\/negation|comparison-operator\/opposite|constant\/boolean|return\/literal)/,
    1.5,
  ],
  'one-apart': [/^(off-by-one|constant\/(plus|minus)-one|comparison-operator\/boundary|loop-bound\/(range|slice))/, 2],
  sign: [/(sign|negative|operands)$|to[-+]$|\/additive$/, 3],
  number: [/^(arithmetic-operator|constant|argument-order\/operands|off-by-one)/, 1.3],
  'came-nothing': [/^(return\/added|return\/empty|return\/to-|jump\/return|literal\/none)/, 3],
  'wanted-nothing': [/^(guard\/|return\/.*literal|literal\/)/, 1.5],
  case: [/(lower|upper|case|LowerCase|UpperCase|counterpart-call\/name)$/i, 4],
  blanks: [/(strip|trim|spacing|constant\/(string|to-empty))/i, 3],
  text: [/^(constant\/(string|to-empty)|literal\/)/, 1.5],
  order: [/(reverse|sort|argument-order|swapped|unshift|counterpart-call)/i, 2],
  length: [/^(loop-bound|off-by-one|jump|comparison-operator\/boundary|negated-condition)/, 1.3],
  other: undefined,
};

/** The name or key that does not exist is what the change replaces. */
const REPLACES_UNKNOWN = 8;
const MAX_FACTOR = 10;

function rateBySigns(site: Site, replacement: Replacement, kind: string, signs: FailureSigns): number {
  let factor = 1;
  for (const [sign, kinds, by] of RULES) if (signs[sign] && kinds.test(kind)) factor = Math.max(factor, by);
  for (const { relation, expected, actual } of signs.differences) {
    const related = RELATED[relation];
    if (related?.[0].test(kind)) factor = Math.max(factor, related[1]);
    if (expected.kind === 'text' && actual.kind === 'text')
      factor = Math.max(factor, rateText(site, replacement, expected.value, actual.value));
  }
  if (signs.unknown.size === 0) return factor;
  const old = site.source.slice(replacement.start, replacement.end).replace(/^["']|["']$/g, '');
  return Math.min(MAX_FACTOR, signs.unknown.has(old) ? factor * REPLACES_UNKNOWN : factor);
}

/** A literal that came and was not expected, for one that was expected and did not come. */
function rateText({ source }: Site, { start, end, text }: Replacement, expected: string, actual: string): number {
  const [old, now] = [source.slice(start, end), text].map((one) => /^(["'])([^"'\\]+)\1$/.exec(one)?.[2]);
  if (old === undefined || now === undefined || old === now) return 1;
  const isWrong = actual.includes(old) && !expected.includes(old);
  const isRight = expected.includes(now) && !actual.includes(now);
  return isWrong && isRight ? 5 : isRight ? 2.5 : isWrong ? 1.5 : 1;
}
