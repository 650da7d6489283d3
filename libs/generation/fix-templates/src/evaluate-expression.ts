// What an expression gives where the values of its names were seen: the part of Python and JavaScript that needs no code of the program.

import { combine } from './combine-values.ts';
import type { Grammar } from './languages/grammar.ts';
import type { Operator } from './languages/operators.ts';
import { elementOf, holds, lengthOf, number, readText, type Speech, slotOf, truth, type Value } from './seen-value.ts';

/** Values by name; a name that is not in it was not seen. */
export type Bindings = ReadonlyMap<string, Value>;

const TOKEN =
  /\s*(?:(\d+\.\d+|0|[1-9]\d*)(?![\w.])|([\p{L}_$][\p{L}\p{N}_$]*)|("(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')|(\*\*=?|\/\/=?|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|<<|>>>?|=>|:=|\+\+|--|[-+*/%<>!&|^~?:.,()[\]{}=@]))/uy;
const MAX_TOKENS = 60;
const MAX_DEPTH = 20;

interface Token {
  readonly kind: 'number' | 'name' | 'text' | 'symbol' | 'end';
  readonly text: string;
}

/** Nothing is known of an operand, or the text is beyond what is read here. */
class Unreadable extends Error {}

/** The value of an expression; `undefined` where it cannot be told without running the program. */
export function evaluateExpression(text: string, grammar: Grammar, bindings: Bindings): Value | undefined {
  try {
    const reading: Reading = { tokens: tokenize(text), at: 0, depth: 0, grammar, bindings };
    const value = readExpression(reading, 0);
    return reading.at >= reading.tokens.length ? value : undefined;
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** Where reading stands: operator precedence parsing (Pratt 1973) that evaluates as it goes. */
interface Reading {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  readonly grammar: Grammar;
  readonly bindings: Bindings;
}

const END: Token = { kind: 'end', text: '' };

function peek({ tokens, at }: Reading): Token {
  return tokens[at] ?? END;
}

function take(reading: Reading, text?: string): Token {
  const token = peek(reading);
  if (token.kind === 'end' || (text !== undefined && token.text !== text)) throw new Unreadable();
  reading.at += 1;
  return token;
}

/** What binds at least so tightly; at 0 also conditional expressions. */
function readExpression(reading: Reading, tightness: number): Value | undefined {
  reading.depth += 1;
  if (reading.depth > MAX_DEPTH) throw new Unreadable();
  const isPython = reading.grammar.phrases.language === 'python';
  let left = readOperand(reading);
  for (;;) {
    const operator = nextOperator(reading);
    if (operator === undefined || operator.tightness < tightness) break;
    left =
      operator.family === 'comparison' && isPython ? readChain(reading, left) : readBinary(reading, left, operator);
  }
  const value = tightness === 0 ? readConditional(reading, left) : left;
  reading.depth -= 1;
  return value;
}

function readOperand(reading: Reading): Value | undefined {
  const { grammar } = reading;
  const { kind, text } = take(reading);
  if (kind === 'number') return readTrailing(reading, number(Number(text), text.includes('.')));
  if (kind === 'text') return readTrailing(reading, readText(text));
  if (text === grammar.negation.prefix.trim()) {
    const operand = readExpression(reading, grammar.negation.operand);
    const held = operand && holds(operand, grammar.phrases.language);
    return held === undefined ? undefined : truth(!held);
  }
  if (text === '-' || text === '+') {
    const operand = readExpression(reading, grammar.signTightness);
    if (operand?.kind !== 'number') return undefined;
    const isWhole = grammar.phrases.language === 'python' && !operand.isFloat;
    return text === '-' ? number(isWhole ? 0 - operand.value : -operand.value, operand.isFloat) : operand;
  }
  if (text === '(') return readTrailing(reading, readUpTo(reading, ')'));
  if (text === '[' || text === '{') {
    reading.at -= 1;
    skipBrackets(reading);
    return readTrailing(reading, undefined);
  }
  if (kind !== 'name' || KEYWORDS.has(text) || CLOSED.has(text)) throw new Unreadable();
  return readTrailing(reading, readName(reading, text));
}

function readUpTo(reading: Reading, close: string): Value | undefined {
  const value = readExpression(reading, 0);
  take(reading, close);
  return value;
}

function readName(reading: Reading, text: string): Value | undefined {
  const { booleans, phrases } = reading.grammar;
  if (booleans.includes(text)) return truth(text === booleans[0]);
  if (phrases.none.includes(text)) return { kind: 'none', name: text };
  if (text !== 'len' || phrases.language !== 'python' || peek(reading).text !== '(') return reading.bindings.get(text);
  take(reading, '(');
  const value = readUpTo(reading, ')');
  const length = value && lengthOf(value, 'python');
  return length === undefined ? undefined : number(length);
}

/** Members, elements and calls of a value. */
function readTrailing(reading: Reading, start: Value | undefined): Value | undefined {
  const speech = reading.grammar.phrases.language;
  let value = start;
  for (;;) {
    const { text } = peek(reading);
    if (text === '.' || text === '?.') {
      take(reading);
      if (text === '?.' && /^[[(]$/.test(peek(reading).text)) continue;
      value = memberOf(value, take(reading), text === '?.', speech);
    } else if (text === '[') {
      take(reading);
      const index = readUpTo(reading, ']');
      value = value && index?.kind === 'number' ? elementOf(value, index.value, speech) : undefined;
    } else if (text === '(') {
      skipBrackets(reading);
      value = undefined;
    } else return value;
  }
}

function memberOf(value: Value | undefined, name: Token, isOptional: boolean, speech: Speech): Value | undefined {
  if (name.kind !== 'name') throw new Unreadable();
  if (value === undefined) return undefined;
  if (isOptional && value.kind === 'none') return { kind: 'none', name: 'undefined' };
  const length = speech === 'javascript' && name.text === 'length' ? lengthOf(value, speech) : undefined;
  return length === undefined ? slotOf(value, name.text) : number(length);
}

function skipBrackets(reading: Reading): void {
  let depth = 0;
  do {
    const { text } = take(reading);
    if (text === 'lambda' || text === '=>' || text === 'for') throw new Unreadable();
    depth += /^[([{]$/.test(text) ? 1 : /^[)\]}]$/.test(text) ? -1 : 0;
  } while (depth > 0);
}

function nextOperator(reading: Reading): Operator | undefined {
  const { operators } = reading.grammar;
  const { text, kind } = peek(reading);
  if (kind === 'end') return undefined;
  const double = `${text} ${reading.tokens[reading.at + 1]?.text ?? ''}`;
  return (double === 'is not' || double === 'not in' ? operators.get(double) : undefined) ?? operators.get(text);
}

function readRight(reading: Reading, { text, tightness }: Operator): Value | undefined {
  for (const word of text.split(' ')) take(reading, word);
  return readExpression(reading, tightness + (text === '**' ? 0 : 0.25));
}

function readBinary(reading: Reading, left: Value | undefined, operator: Operator): Value | undefined {
  return combine(operator, left, readRight(reading, operator), reading.grammar.phrases.language);
}

/** `a < b < c` holds where each link does. */
function readChain(reading: Reading, first: Value | undefined): Value | undefined {
  let left = first;
  let result: boolean | undefined = true;
  for (let link = nextOperator(reading); link?.family === 'comparison'; link = nextOperator(reading)) {
    const right = readRight(reading, link);
    const one = combine(link, left, right, 'python');
    if (one?.kind === 'truth' && !one.value) result = false;
    else if (one === undefined && result === true) result = undefined;
    left = right;
  }
  return result === undefined ? undefined : truth(result);
}

/** `a if c else b`, `c ? a : b`. */
function readConditional(reading: Reading, first: Value | undefined): Value | undefined {
  const speech = reading.grammar.phrases.language;
  const isPython = speech === 'python';
  if (peek(reading).text !== (isPython ? 'if' : '?')) return first;
  take(reading);
  const second = readExpression(reading, isPython ? 1 : 0);
  take(reading, isPython ? 'else' : ':');
  const third = readExpression(reading, 0);
  const [condition, yes] = isPython ? [second, first] : [first, second];
  const held = condition && holds(condition, speech);
  return held === undefined ? undefined : held ? yes : third;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (match === null || tokens.length >= MAX_TOKENS) throw new Unreadable();
    const [, digits, name, quoted, symbol] = match;
    if (digits !== undefined) tokens.push({ kind: 'number', text: digits });
    else if (name !== undefined) {
      // A prefixed text: f'…', r'…', b'…'.
      if (/["'`]/.test(text[TOKEN.lastIndex] ?? '') && !KEYWORDS.has(name)) throw new Unreadable();
      tokens.push({ kind: 'name', text: name });
    } else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted });
    else tokens.push({ kind: 'symbol', text: symbol ?? '' });
  }
  return tokens;
}

const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);
const CLOSED = new Set([
  'lambda',
  'yield',
  'await',
  'function',
  'async',
  'new',
  'typeof',
  'delete',
  'void',
  'for',
  'class',
]);
