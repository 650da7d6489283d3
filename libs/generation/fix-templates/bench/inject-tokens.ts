// Faults in single tokens: operators, numbers, texts, names of methods, one more or less, things in the other order.
import type { Language, Token } from '@h/syntax';
import type { Change, Program } from './inject-faults.ts';
import { pick } from './pick-item.ts';

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

/** Every change of a token. */
export function tokenChanges(
  program: Program,
  tokens: readonly Token[],
  index: number,
  random: () => number,
): Change[] {
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
