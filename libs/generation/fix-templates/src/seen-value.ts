// Values as probes render them, read back as far as their text tells. What it does not tell is `undefined`: nothing is guessed.
import type { ValueText } from '@h/contracts';

export type Speech = 'python' | 'javascript';

/** A value of the target. Numbers are finite and, where whole, safe. */
export type Value =
  | { readonly kind: 'number'; readonly value: number; readonly isFloat: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'truth'; readonly value: boolean }
  | { readonly kind: 'none'; readonly name: string }
  | { readonly kind: 'object'; readonly type: string; readonly text: string; readonly ref: number | undefined };

const NONE = new Set(['None', 'null', 'undefined']);
const CUT = '…';
/** What agents write in the place of a secret. */
const MASK = '‹masked';
const MAX_ITEMS = 20;
/** Their values are no objects: what is not read as one of theirs (NaN, big integers) is not read. */
const PRIMITIVES = /^(int|float|complex|bool|str|NoneType|number|bigint|string|boolean|undefined|null)$/;
/** As these are written inside others, with what only stands for a value. */
const NO_OBJECT = /^(-?(NaN|nan|Infinity|inf)|-?\d+n|\(?[-+.\deinfa]+j\)?|<(getter|unset|int|bigint)\b.*)$/;

/** Reads a value that was observed; `undefined` where its text was cut or masked. */
export function readSeen({ type, text, truncated, masked, ref }: ValueText): Value | undefined {
  if (masked) return undefined;
  const value = readRendered(text, type, ref);
  return truncated && (value?.kind !== 'object' || text.includes(CUT)) ? undefined : value;
}

/** Reads the text of a value, also one inside another. */
export function readRendered(text: string, type = '', ref?: number): Value | undefined {
  if (text.includes(CUT) || text.includes(MASK)) return undefined;
  if (NONE.has(text)) return { kind: 'none', name: text };
  if (/^(True|true)$/.test(text)) return truth(true);
  if (/^(False|false)$/.test(text)) return truth(false);
  if (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
    if (type !== '' && !/^(int|float|number)$/.test(type)) return undefined;
    return number(Number(text), /[.eE]/.test(text));
  }
  if (/^["']/.test(text)) return readText(text);
  if (type === '' ? NO_OBJECT.test(text) : PRIMITIVES.test(type)) return undefined;
  return { kind: 'object', type: type === '' ? typeOf(text) : type, text, ref };
}

/** `undefined` for what a double cannot hold exactly. */
export function number(value: number, isFloat = false): Value | undefined {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return { kind: 'number', value, isFloat };
}

export function truth(value: boolean): Value {
  return { kind: 'truth', value };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };
/** What may follow a backslash: no octal digits, and no half of a pair, which Python does not join to one. */
const ESCAPE = /^(?:x([\da-fA-F]{2})|u((?![dD][89a-fA-F])[\da-fA-F]{4})|(["'\\ntrbf]|0(?!\d)))/;

/** A text in quotes as both languages render it and as people write it; `undefined` where it ends early or holds what is not read here. */
export function readText(text: string): Value | undefined {
  const [quote] = text;
  if (text.length < 2 || text.at(-1) !== quote) return undefined;
  let value = '';
  for (let at = 1; at < text.length - 1; at++) {
    const character = text[at] as string;
    if (character === quote || /[\r\n]/.test(character)) return undefined;
    if (character !== '\\') {
      value += character;
      continue;
    }
    const [whole, hex2, hex4, plain = ''] = ESCAPE.exec(text.slice(at + 1, at + 6)) ?? [];
    if (whole === undefined) return undefined;
    const code = hex2 ?? hex4;
    value += code === undefined ? (ESCAPES[plain] ?? plain) : String.fromCharCode(Number.parseInt(code, 16));
    at += whole.length;
  }
  return { kind: 'text', value };
}

function typeOf(text: string): string {
  if (text.startsWith('[')) return 'list';
  if (text.startsWith('(')) return 'tuple';
  if (text.startsWith('{')) return 'dict';
  return /^[\w$.]+/.exec(text)?.[0] ?? '';
}

/** Whether a condition holds for the value. */
export function holds(value: Value, speech: Speech): boolean | undefined {
  switch (value.kind) {
    case 'number':
      return value.value !== 0;
    case 'text':
      return value.value !== '';
    case 'truth':
      return value.value;
    case 'none':
      return false;
    default:
      return speech === 'javascript' ? true : holdsInPython(value);
  }
}

const BUILT_IN = /^(list|tuple|dict|set|frozenset|bytes|bytearray|OrderedDict|defaultdict|deque|range)$/;
/** As agents write one of these without anything in it, and with something. */
const EMPTY =
  /^(\[\]|\(\)|\{\}|(bytearray\()?b(''|"")\)?|(set|frozenset)\(\)|(OrderedDict|defaultdict|deque)\((\[\]|\{\})\))$/;
const FILLED = /^([[({]|(bytearray\()?b['"]|(frozenset|OrderedDict|defaultdict|deque)\([[{](?![\]}]))/;

/** Of a class of the program only its own code could tell. */
function holdsInPython({ type, text }: Extract<Value, { kind: 'object' }>): boolean | undefined {
  if (/^(function|builtin_function_or_method|method|type|module)$/.test(type)) return text.startsWith('<') || undefined;
  if (!BUILT_IN.test(type)) return undefined;
  const [, start, stop, step = '1'] = /^range\((-?\d+), (-?\d+)(?:, (-?\d+))?\)$/.exec(text) ?? [];
  if (start !== undefined)
    return step.startsWith('-') ? BigInt(start) > BigInt(stop ?? 0) : BigInt(start) < BigInt(stop ?? 0);
  return EMPTY.test(text) ? false : FILLED.test(text) || undefined;
}

/** Texts of the items between the outermost brackets; `undefined` where some may be left out, or where one ends cannot be told. */
export function itemsOf(text: string): string[] | undefined {
  const open = text.search(/[[({]/);
  if (open < 0 || !/[\])}]$/.test(text) || text.includes(CUT)) return undefined;
  const items: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = start; at < text.length - 1; at++) {
    const character = text[at] as string;
    if (character === '"' || character === "'") at = endOfText(text, at);
    else if (/[[({]/.test(character)) depth += 1;
    else if (/[\])}]/.test(character)) depth -= 1;
    else if (character === ',' && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    } else if (/[</S]/.test(character) && !isClear(text, at)) return undefined;
    if (depth < 0) return undefined;
  }
  const last = text.slice(start, -1).trim();
  if (last !== '') items.push(last);
  return depth !== 0 || items.length >= MAX_ITEMS ? undefined : items;
}

/** No holes, and nothing that could hold a bracket or a comma of its own: patterns, symbols, functions with strange names. */
function isClear(text: string, at: number): boolean {
  if (text[at] === '<') return /^<(?!\d)[\w$. ]*(<(locals|lambda|module)>[\w$. ]*)*>/.test(text.slice(at, at + 300));
  return text[at] !== '/' && !text.startsWith('Symbol(', at);
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === text[start]) return at;
  }
  return text.length;
}

/** `Reading{kind: 'A'}` and `{kind: "A"}` have a slot `kind`; what a class computes has none. */
export function slotOf(value: Value, name: string): Value | undefined {
  if (value.kind !== 'object' || !/^[\w$.]*\{/.test(value.text) || /^(dict|set|Map|Set)/.test(value.type))
    return undefined;
  const slot = itemsOf(value.text)?.find((item) => item.startsWith(`${name}: `));
  return slot === undefined ? undefined : readRendered(slot.slice(name.length + 2));
}

/** How many items a text, a list or a tuple has, or a dictionary or set of Python. */
export function lengthOf(value: Value, speech: Speech): number | undefined {
  if (value.kind === 'text') return charactersOf(value.value, speech).length;
  if (value.kind !== 'object') return undefined;
  const { type, text } = value;
  if (speech === 'javascript') return text.startsWith('[') ? itemsOf(text)?.length : undefined;
  if (/^(set|frozenset)\(\)$/.test(text)) return 0;
  if (type === 'frozenset')
    return /^frozenset\(\{/.test(text) ? itemsOf(text.slice('frozenset('.length, -1))?.length : undefined;
  return /^(list|tuple|dict|set)$/.test(type) && /^[[({]/.test(text) ? itemsOf(text)?.length : undefined;
}

/** Python counts code points, JavaScript UTF-16 units. */
function charactersOf(text: string, speech: Speech): readonly string[] | string {
  return speech === 'python' ? [...text] : text;
}

/** `list[i]`, `tuple[i]`, `text[i]` of a whole number. */
export function elementOf(value: Value, index: number, speech: Speech): Value | undefined {
  const length = lengthOf(value, speech);
  if (length === undefined || !Number.isInteger(index)) return undefined;
  const at = index < 0 && speech === 'python' ? index + length : index;
  if (at < 0 || at >= length) return undefined;
  if (value.kind === 'text') return { kind: 'text', value: charactersOf(value.value, speech)[at] ?? '' };
  if (value.kind !== 'object' || !/^(list|tuple|Array)$/.test(value.type)) return undefined;
  const item = itemsOf(value.text)?.[at];
  return item === undefined ? undefined : readRendered(item);
}

/** The same value, as far as their texts tell: same kind, and for objects the same type and whole text. */
export function isSame(left: Value, right: Value): boolean {
  if (left.kind !== right.kind) return false;
  switch (left.kind) {
    case 'none':
      return left.name === (right as typeof left).name;
    case 'object': {
      const other = right as typeof left;
      if (left.ref !== undefined && other.ref !== undefined) return left.ref === other.ref;
      return left.ref === other.ref && left.type === other.type && left.text === other.text && BUILT_IN.test(left.type);
    }
    case 'number':
      return Object.is(left.value, (right as typeof left).value) && left.isFloat === (right as typeof left).isFloat;
    default:
      return left.value === (right as { value: unknown }).value;
  }
}
