// Single faults put into programs, independently of the templates: on tokens and names, not on the tree.
import { type Language, type Parser, type Token, visibleNames } from '@h/syntax';
import { statementChanges } from './inject-statements.ts';

export interface Program {
  path: string;
  text: string;
  language: Language;
  /** What it was taken from, left out as a whole when its own faults are measured. */
  group: string;
}

export interface Fault {
  program: string;
  group: string;
  kind: string;
  /** Text with the fault in it. */
  faulty: string;
  /** UTF-16 offset in the faulty text of the statement that is to be changed. */
  at: number;
}

/** `[start, end)` of the original and what stands there in the faulty text. */
export interface Change {
  kind: string;
  start: number;
  end: number;
  text: string;
  /** Offset in the faulty text of what is to be changed; absent: `start`. */
  at?: number;
}

/**
 * Shares of kinds among faults: a guess at what people get wrong, not counted anywhere. The first 24 were fixed before any measurement;
 * the others were lowered once, by a fifth, after a first look at how far they push the first ones back.
 */
export const KIND_WEIGHTS: Readonly<Record<string, number>> = {
  'wrong-variable': 18,
  'wrong-target': 2,
  'wrong-attribute': 6,
  'wrong-method': 3,
  'method-confused': 3,
  'comparison-boundary': 9,
  'comparison-opposite': 4,
  'comparison-direction': 3,
  'comparison-other': 3,
  'one-added': 7,
  'one-removed': 7,
  'number-changed': 8,
  'text-changed': 3,
  'truth-flipped': 3,
  'arithmetic-operator': 7,
  'assignment-operator': 3,
  'boolean-operator': 4,
  'condition-added': 2,
  'negation-removed': 4,
  'negation-added': 3,
  'arguments-swapped': 4,
  'operands-swapped': 2,
  'elements-swapped': 1,
  'sign-changed': 1,
  'none-guard-removed': 6,
  'guard-removed': 4,
  'guard-unwrapped': 2,
  'none-part-dropped': 4,
  'condition-part-dropped': 4,
  'optional-dropped': 2,
  'default-dropped': 3,
  'call-unwrapped': 5,
  'call-wrapped': 1.5,
  'await-dropped': 1,
  'statement-inserted': 1.5,
  'statement-duplicated': 0.5,
  'statements-swapped': 1.5,
  'moved-out-of-loop': 0.75,
  'moved-out-of-branch': 0.75,
  'moved-into-loop': 0.75,
  'moved-into-branch': 0.75,
  'jump-swapped': 1.5,
  'jump-removed': 1.5,
  'jump-added': 1,
  'return-word-dropped': 1.5,
  'return-removed': 2,
  'returned-changed': 2,
  'literal-kind': 2.5,
  'text-spelling': 1.5,
  'bounds-changed': 2,
};

/** The kinds that the templates before guards, calls, statements, returns, literals and bounds were made for. */
export const FIRST_KINDS: ReadonlySet<string> = new Set(Object.keys(KIND_WEIGHTS).slice(0, 24));

/** Random numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Kinds with few places in any program: as many as there are, up to this. */
const PER_RARE_KIND = 3;
const RARE = /^(none-|moved-|jump-|return|optional|await|default|bounds)/;

/** Up to `perKind` distinct faults of each kind in a program; a fault that does not parse is not one. */
export function injectFaults(program: Program, parser: Parser, random: () => number, perKind: number): Fault[] {
  const places = changesOf(program, parser, random);
  const faults: Fault[] = [];
  for (const kind of Object.keys(KIND_WEIGHTS)) {
    const own = shuffled(
      places.filter((change) => change.kind === kind),
      random,
    );
    const texts = new Set<string>();
    for (const { start, end, text, at = start } of own) {
      if (texts.size >= (RARE.test(kind) ? PER_RARE_KIND : perKind)) break;
      const faulty = program.text.slice(0, start) + text + program.text.slice(end);
      if (faulty === program.text || texts.has(faulty)) continue;
      if (parser.outline(faulty, program.language).partial) continue;
      texts.add(faulty);
      faults.push({ program: program.path, group: program.group, kind, faulty, at });
    }
  }
  return faults;
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

function changesOf(program: Program, parser: Parser, random: () => number): Change[] {
  const outline = parser.outline(program.text, program.language);
  const tokens = parser.tokens(program.text, program.language).filter(({ kind }) => kind !== 'comment');
  const statements = outline.statements.filter(({ kind }) => kind === 'statement');
  const isInStatement = (offset: number) => statements.some(({ start, end }) => start <= offset && offset <= end);
  const changes = [
    ...nameChanges(program, parser, random),
    ...targetChanges(program, parser, random),
    ...tokens.flatMap((_, index) => tokenChanges(program, tokens, index, random)),
    ...statementChanges(program, parser, random),
  ];
  return changes.filter(({ start }) => isInStatement(start));
}

function pick<T>(items: readonly T[], random: () => number): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/** A use reads another value that is visible there; the intended one is the original. */
function nameChanges({ text, language }: Program, parser: Parser, random: () => number): Change[] {
  const names = parser.names(text, language);
  return names.uses.flatMap((use) => {
    if (use.type_only || use.definition === undefined) return [];
    const isValue = (kind: string | undefined) => kind === 'variable' || kind === 'parameter';
    if (!isValue(names.definitions[use.definition]?.kind) || ['self', 'this'].includes(use.name)) return [];
    const local = visibleNames(names, use.start).filter(
      ({ name, kind, scope, assigned_before }) =>
        isValue(kind) && scope !== 0 && assigned_before && name !== use.name && name !== 'self' && name !== '_',
    );
    const other = pick(local, random);
    return other ? [{ kind: 'wrong-variable', start: use.start, end: use.end, text: other.name }] : [];
  });
}

/** An assignment goes to another local name. */
function targetChanges({ text, language }: Program, parser: Parser, random: () => number): Change[] {
  const names = parser.names(text, language);
  return names.definitions.flatMap(({ kind, scope, start, end, name }) => {
    if (
      (kind !== 'variable' && kind !== 'assignment') ||
      scope === 0 ||
      !/^\s*[-+*]?=[^=]/.test(text.slice(end, end + 6))
    )
      return [];
    if (/(const|let|var)\s+$/.test(text.slice(Math.max(0, start - 8), start))) return [];
    const others = names.definitions.filter(
      (other) => other.scope === scope && other.name !== name && other.name !== 'self',
    );
    const other = pick(others, random);
    return other ? [{ kind: 'wrong-target', start, end, text: other.name }] : [];
  });
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  in: 'not in',
};
const DIRECTIONS: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];
const ARITHMETIC = ['+', '-', '*', '/', '//', '%', '**'];
const BOOLEANS: Readonly<Record<string, string>> = { and: 'or', or: 'and', '&&': '||', '||': '&&' };
const TRUTHS: Readonly<Record<string, string>> = { True: 'False', False: 'True', true: 'false', false: 'true' };
const METHODS: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startswith: 'endswith',
  endswith: 'startswith',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  lstrip: 'rstrip',
  rstrip: 'lstrip',
  push: 'unshift',
  some: 'every',
  any: 'all',
  values: 'keys',
  keys: 'values',
  bisect_left: 'bisect_right',
  bisect_right: 'bisect_left',
  padStart: 'padEnd',
};

function tokenChanges(program: Program, tokens: readonly Token[], index: number, random: () => number): Change[] {
  const token = tokens[index] as Token;
  const { start, end, text } = token;
  const changes: Change[] = [];
  const add = (kind: string, replacement: string | undefined, from = start, to = end) => {
    if (replacement !== undefined) changes.push({ kind, start: from, end: to, text: replacement });
  };
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const isBinary = endsOperand(before) && startsOperand(after);
  if (isBinary || text === 'in') comparisonChanges(program, tokens, index, random, add);
  if (ARITHMETIC.includes(text) && isBinary) add('arithmetic-operator', pick(arithmeticOf(program.language), random));
  if (text === '+=') add('assignment-operator', pick(['-=', '='], random));
  if (text === '-=') add('assignment-operator', pick(['+=', '='], random));
  if (text === '=' && isReassignment(tokens, index)) add('assignment-operator', '+=');
  if (isBinary) add('boolean-operator', BOOLEANS[text]);
  add('truth-flipped', TRUTHS[text]);
  if (token.kind === 'number') add('number-changed', otherNumber(text, tokens, random));
  if (token.kind === 'string') add('text-changed', otherText(token, tokens, random));
  add('method-confused', after?.text === '(' ? METHODS[text] : undefined);
  negationChanges(program, tokens, index, add);
  oneChanges(tokens, index, add);
  swapChanges(program, tokens, index, add);
  memberChanges(tokens, index, random, add);
  return changes;
}

type Add = (kind: string, replacement: string | undefined, from?: number, to?: number) => void;

function isLoopIn(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0 && index - at < 12; at--) {
    if (tokens[at]?.text === 'for') return true;
    if (tokens[at]?.kind === 'newline') return false;
  }
  return false;
}

function arithmeticOf(language: Language): string[] {
  return language === 'python' ? ARITHMETIC : ARITHMETIC.filter((operator) => operator !== '//');
}

function endsOperand(token: Token | undefined): boolean {
  return token !== undefined && token.kind !== 'keyword' && /[\w$\])"']/.test(token.text.slice(-1));
}

function startsOperand(token: Token | undefined): boolean {
  return (
    token !== undefined &&
    (token.kind !== 'keyword' || token.text === 'not') &&
    /[\w$([{"'!-]/.test(token.text.slice(0, 1))
  );
}

function comparisonChanges(
  program: Program,
  tokens: readonly Token[],
  index: number,
  random: () => number,
  add: Add,
): void {
  const { text } = tokens[index] as Token;
  add('comparison-boundary', BOUNDARIES[text]);
  add('comparison-direction', DIRECTIONS[text]);
  if (COMPARISONS.includes(text)) add('comparison-other', pick(COMPARISONS, random));
  if (text === 'in' && (program.language !== 'python' || isLoopIn(tokens, index))) return;
  if (tokens[index - 1]?.text !== 'not') add('comparison-opposite', OPPOSITES[text]);
}

/** The name before the sign is assigned further up, too. */
function isReassignment(tokens: readonly Token[], index: number): boolean {
  const name = tokens[index - 1];
  const isPlain =
    ['newline', 'indent', 'dedent'].includes(tokens[index - 2]?.kind ?? '') ||
    [';', '{', '}'].includes(tokens[index - 2]?.text ?? '');
  if (name?.kind !== 'name' || !isPlain) return false;
  return tokens.slice(0, index - 1).some(({ text }, at) => text === name.text && tokens[at + 1]?.text === '=');
}

function negationChanges({ language }: Program, tokens: readonly Token[], index: number, add: Add): void {
  const { start, text } = tokens[index] as Token;
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  if (text === 'not' && after && after.text !== 'in') add('negation-removed', '', start, after.start);
  if (text === '!' && !endsOperand(before)) add('negation-removed', '');
  const isCondition = ['if', 'elif', 'while', 'and', 'or', '&&', '||'].includes(before?.text ?? '');
  const isInParentheses = before?.text === '(' && ['if', 'while'].includes(tokens[index - 2]?.text ?? '');
  if (!isCondition && !isInParentheses) return;
  if (text === '(' || text === 'not' || text === '!') return;
  add('negation-added', language === 'python' ? 'not ' : '!', start, start);
  const operator = language === 'python' ? [' and ', ' or '] : [' && ', ' || '];
  const other = tokens
    .slice(Math.max(0, index - 60), index)
    .find(({ kind }, at, near) => kind === 'name' && near[at + 1]?.text !== '(');
  if (other && isCondition) add('condition-added', `${other.text}${operator[index % 2]}`, start, start);
}

function otherNumber(text: string, tokens: readonly Token[], random: () => number): string | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  const seen = tokens.filter(({ kind }) => kind === 'number').map((token) => token.text);
  const near = [value + 1, value - 1, 0, 1].filter((other) => other >= 0).map(String);
  return random() < 0.7 ? pick(near, random) : pick(seen, random);
}

function otherText(token: Token, tokens: readonly Token[], random: () => number): string | undefined {
  if (!/^["'][^"'\\]*["']$/.test(token.text)) return undefined;
  return pick(
    tokens
      .filter(({ kind, text }) => kind === 'string' && /^["'][^"'\\]{1,20}["']$/.test(text))
      .map(({ text }) => text),
    random,
  );
}

/** `x + 1` loses its `+ 1`; an index, a bound, a returned value or an argument of range gains one. */
function oneChanges(tokens: readonly Token[], index: number, add: Add): void {
  const token = tokens[index] as Token;
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const isSign = token.text === '+' || token.text === '-';
  if (isSign && after?.text === '1' && endsOperand(before)) add('one-removed', '', before?.end, after.end);
  if ((token.kind !== 'name' && token.text !== ')') || ['(', '[', '.', '?.'].includes(after?.text ?? '')) return;
  const isBound = ['<', '<=', '>', '>='].includes(before?.text ?? '') || [']', ':'].includes(after?.text ?? '');
  const isRange =
    after?.text === ')' && tokens.slice(Math.max(0, index - 6), index).some(({ text }) => text === 'range');
  const isReturned =
    tokens.slice(Math.max(0, index - 8), index).some(({ text }) => text === 'return') && endsLine(after);
  if (!isBound && !isRange && !isReturned) return;
  add('one-added', ' + 1', token.end, token.end);
  add('one-added', ' - 1', token.end, token.end);
}

function endsLine(token: Token | undefined): boolean {
  return token === undefined || token.kind === 'newline' || token.text === ';';
}

/** Two plain arguments, operands or elements change places; a sign appears or goes. */
function swapChanges(_program: Program, tokens: readonly Token[], index: number, add: Add): void {
  const [open, left, middle, right, close] = tokens.slice(index, index + 5);
  if (!open || !left || !middle || !right || !close) return;
  const isUnary = !endsOperand(open) || open.kind === 'keyword';
  if (isUnary && left.text === '-' && middle.kind === 'name') add('sign-changed', '', left.start, middle.start);
  if (open.text === 'return' && left.kind === 'name') add('sign-changed', '-', left.start, left.start);
  const arePlain = [left, right].every(({ kind }) => kind === 'name' || kind === 'number');
  if (!arePlain || left.text === right.text) return;
  const swapped = `${right.text}${middle.text === ',' ? ', ' : ` ${middle.text} `}${left.text}`;
  const isCall = (open.text === '(' || open.text === ',') && middle.text === ',';
  if (isCall && (close.text === ')' || close.text === ',') && isCallee(tokens, index)) {
    add('arguments-swapped', swapped, left.start, right.end);
  }
  if (
    ['return', '[', '('].includes(open.text) &&
    middle.text === ',' &&
    !isCallee(tokens, index) &&
    /^[\])]?$/.test(close.text.trim())
  ) {
    add('elements-swapped', swapped, left.start, right.end);
  }
  const isAlone = !['.', '(', '[', '*', '/', '%', '-', '+'].includes(close.text) && !/^[.*/%+-]$/.test(open.text);
  if (['-', '/', '//', '%'].includes(middle.text) && isAlone) {
    add('operands-swapped', swapped, left.start, right.end);
  }
}

function isCallee(tokens: readonly Token[], open: number): boolean {
  let at = open;
  while (at > 0 && tokens[at]?.text !== '(') at--;
  return tokens[at - 1]?.kind === 'name' && !['def', 'function'].includes(tokens[at - 2]?.text ?? '');
}

/** `self.a` reads another attribute, or calls another method, that the file names on the same object. */
function memberChanges(tokens: readonly Token[], index: number, random: () => number, add: Add): void {
  const [object, dot, property] = tokens.slice(index, index + 3);
  if (object?.kind !== 'name' && object?.text !== 'this') return;
  if (dot?.text !== '.' || property?.kind !== 'name') return;
  const isCalled = tokens[index + 3]?.text === '(';
  const others = tokens.flatMap((token, at) => {
    const name = tokens[at + 2];
    const isOther =
      token.text === object.text && tokens[at + 1]?.text === '.' && (tokens[at + 3]?.text === '(') === isCalled;
    return isOther && name && name.kind === 'name' && name.text !== property.text ? [name.text] : [];
  });
  add(isCalled ? 'wrong-method' : 'wrong-attribute', pick(others, random), property.start, property.end);
}
