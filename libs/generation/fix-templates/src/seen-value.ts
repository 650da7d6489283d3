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
const MAX_ITEMS = 20;

/** Reads a value that was observed; `undefined` where its text was cut. */
export function readSeen({ type, text, truncated, ref }: ValueText): Value | undefined {
  const value = readRendered(text, type, ref);
  return truncated && (value?.kind !== 'object' || text.includes(CUT)) ? undefined : value;
}

/** Reads the text of a value, also one inside another. */
export function readRendered(text: string, type = '', ref?: number): Value | undefined {
  if (text.includes(CUT)) return undefined;
  if (NONE.has(text)) return { kind: 'none', name: text };
  if (/^(True|true)$/.test(text)) return truth(true);
  if (/^(False|false)$/.test(text)) return truth(false);
  if (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
    if (type !== '' && !/^(int|float|number)$/.test(type)) return undefined;
    return number(Number(text), /[.eE]/.test(text));
  }
  if (/^["']/.test(text)) return readText(text);
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
    const escaped = text[++at] ?? '';
    const hex = escaped === 'x' ? 2 : escaped === 'u' && text[at + 1] !== '{' ? 4 : 0;
    if (hex > 0) {
      value += String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 1 + hex), 16));
      at += hex;
    } else if (/["'\\]/.test(escaped)) value += escaped;
    else if (escaped in ESCAPES) value += ESCAPES[escaped];
    else return undefined;
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

/** Of a class of the program only its own code could tell. */
function holdsInPython({ type, text }: Extract<Value, { kind: 'object' }>): boolean | undefined {
  if (/^(function|builtin_function_or_method|method|type|module|Pattern|Match)$/.test(type)) return true;
  if (!BUILT_IN.test(type)) return undefined;
  return !/^(\[\]|\(\)|\{\}|b''|\w+\((\[\]|\{\}|)\))$/.test(text);
}

/** Texts of the items between the outermost brackets; `undefined` where some may be left out. */
export function itemsOf(text: string): string[] | undefined {
  const open = text.search(/[[({]/);
  if (open < 0 || !/[\])}]$/.test(text) || text.includes(CUT)) return undefined;
  const items: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = start; at < text.length - 1; at++) {
    const character = text[at] as string;
    if (character === '"' || character === "'") at = endOfText(text, at);
    else if (/[[({<]/.test(character)) depth += 1;
    else if (/[\])}>]/.test(character)) depth -= 1;
    else if (character === ',' && depth === 0) {
      items.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = text.slice(start, -1).trim();
  if (last !== '') items.push(last);
  return depth !== 0 || items.length >= MAX_ITEMS ? undefined : items;
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
  if (value.kind === 'text') return value.value.length;
  if (value.kind !== 'object') return undefined;
  const counted = speech === 'python' ? /^(list|tuple|dict|set|frozenset)$/ : /^Array$|^\[/;
  if (!counted.test(value.type) && !counted.test(value.text)) return undefined;
  if (/^(set|frozenset)\(\)$/.test(value.text)) return 0;
  return itemsOf(value.text)?.length;
}

/** `list[i]`, `tuple[i]`, `text[i]` of a whole number. */
export function elementOf(value: Value, index: number, speech: Speech): Value | undefined {
  const length = lengthOf(value, speech);
  if (length === undefined || !Number.isInteger(index)) return undefined;
  const at = index < 0 && speech === 'python' ? index + length : index;
  if (at < 0 || at >= length) return undefined;
  if (value.kind === 'text') return { kind: 'text', value: value.value[at] ?? '' };
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
      return left.value === (right as typeof left).value && left.isFloat === (right as typeof left).isFloat;
    default:
      return left.value === (right as { value: unknown }).value;
  }
}
