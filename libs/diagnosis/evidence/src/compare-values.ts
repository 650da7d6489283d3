// Whether two texts say the same value. Only spelling is forgiven: quotes, number formats, blanks outside strings, names of types.
import type { ValueText } from '@h/contracts';

export type Likeness = 'equal' | 'different' | 'unknown';

const typeNames = new Map([
  ['string', 'str'],
  ['integer', 'int'],
  ['boolean', 'bool'],
  ['double', 'float'],
  ['none', 'nonetype'],
  ['array', 'list'],
  ['object', 'dict'],
]);

/** One name for the names a type goes by: "string" and "str". The last part of a dotted name counts. */
export function nameType(type: string): string {
  const last = (type.split('.').at(-1) ?? '').toLowerCase();
  return typeNames.get(last) ?? last;
}

export function isSameType(claimed: string, observed: string): boolean {
  const [a, b] = [nameType(claimed), nameType(observed)];
  if (a === '' || b === '' || a === b) return true;
  return (a === 'number' && isNumber(b)) || (b === 'number' && isNumber(a));
}

function isNumber(name: string): boolean {
  return name === 'int' || name === 'float';
}

/** The type a literal shows by itself; "" where it shows none. */
export function typeOfText(text: string): string {
  if (/^b?['"`]/.test(text)) return text.startsWith('b') ? 'bytes' : 'str';
  if (/^(?:true|false)$/i.test(text)) return 'bool';
  if (/^[+-]?\d+$/.test(text)) return 'int';
  return numberOf(text) === undefined ? (literalTypes.get(text.charAt(0)) ?? literalTypes.get(text) ?? '') : 'float';
}

const literalTypes = new Map([
  ['[', 'list'],
  ['None', 'NoneType'],
  ['null', 'null'],
  ['undefined', 'undefined'],
]);

/**
 * Compares a claimed with an observed value. Floats are equal by value; an int is no float, but either is a number; a type "" is any type.
 * Unknown: the observed text was cut, and the claim is about more than what was recorded; or a secret in it is masked.
 */
export function compareValues(claimed: ValueText, observed: ValueText): Likeness {
  if (claimed.masked || observed.masked) return 'unknown';
  if (!isSameType(claimed.type, observed.type)) return 'different';
  if (claimed.ref !== undefined && observed.ref !== undefined && claimed.ref !== observed.ref) return 'different';
  if (observed.truncated && !claimed.truncated) return 'unknown';
  if (claimed.truncated !== observed.truncated) return 'different';
  return isSameText(claimed.text, observed.text, nameType(observed.type)) ? 'equal' : 'different';
}

/** Whether two texts of one type (by `nameType`) say the same. */
export function isSameText(claimed: string, observed: string, type: string): boolean {
  if (claimed === observed) return true;
  const [a, b] = [claimed.trim(), observed.trim()];
  if (type === 'str') return unquote(a) === unquote(b) || claimed === unquote(b);
  if (type === 'bool') return a.toLowerCase() === b.toLowerCase();
  if (type === 'float' || type === 'number') return isSameNumber(a, b);
  return normalize(a) === normalize(b);
}

function isSameNumber(a: string, b: string): boolean {
  const [x, y] = [numberOf(a), numberOf(b)];
  return x === undefined || y === undefined ? a === b : Object.is(x, y) || x === y;
}

const numeric = /^[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?$/;
const named = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
  ['nan', Number.NaN],
]);

/** The number a literal of Python or JavaScript says, "inf" and "NaN" too; undefined: it says none. */
export function numberOf(text: string): number | undefined {
  const known = named.get(text.toLowerCase());
  if (known !== undefined) return known;
  return numeric.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}

const literal = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/y;
const word = /[\w$.+-]+/y;

/** One spelling of a text: strings in double quotes, numbers in one form, no blanks outside strings. */
export function normalize(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const string = match(literal, text, at);
    const name = string === undefined ? match(word, text, at) : undefined;
    if (string !== undefined) out += JSON.stringify(unquote(string));
    else if (name !== undefined) out += normalizeWord(name);
    else if (!/\s/.test(text.charAt(at))) out += text.charAt(at);
    at += (string ?? name ?? ' ').length;
  }
  return out;
}

/** Integers keep all their digits; whatever is written as a float becomes one. */
function normalizeWord(name: string): string {
  if (/^[+-]?\d[\d_]*n?$/.test(name)) return BigInt(name.replace(/^\+|_|n$/g, '')).toString();
  const number = numeric.test(name) ? numberOf(name) : undefined;
  return number === undefined ? name : `${number}f`;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  const sticky = new RegExp(pattern.source, 'y');
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', b: '\b', f: '\f', v: '\v' };

/** The characters of a string literal; a text that is none is its own content. */
export function unquote(text: string): string {
  if (match(literal, text, 0) !== text) return text;
  return text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g, (_, code: string) => {
    if (code.length === 1) return escapes[code] ?? code;
    const point = Number.parseInt(code.slice(1), 16);
    return point > 0x10ffff ? code : String.fromCodePoint(point);
  });
}
