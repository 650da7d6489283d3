// Texts of what holds no other values: primitives, keys, functions, regular expressions; and the mask of those that are secrets.
import { charCodeAt, dataOf, getOwnPropertyDescriptor, getter, method, slice } from './node-intrinsics.mjs';
import { fits, formOf } from './node-secrets.mjs';

export const STRING_UNITS = 200;
const NAME_UNITS = 80;
const BIGGEST = 10n ** 200n;
/** The least length of a key that may be a secret by its form. */
const SECRET_KEY = 16;
/** Bytes looked at for a secret: what is shown of them is less. */
const SECRET_BYTES = 64;

const { is } = Object;
const { stringify } = JSON;
const { fromCharCode } = String;
const symbolText = method(Symbol.prototype, 'toString');
const regExpSource = getter(RegExp.prototype, 'source');
const bigText = method(BigInt.prototype, 'toString');
const FLAGS = [
  ['hasIndices', 'd'],
  ['global', 'g'],
  ['ignoreCase', 'i'],
  ['multiline', 'm'],
  ['dotAll', 's'],
  ['unicode', 'u'],
  ['unicodeSets', 'v'],
  ['sticky', 'y'],
]
  .filter(([name]) => getOwnPropertyDescriptor(RegExp.prototype, name)?.get !== undefined)
  .map(([name, letter]) => ({ read: getter(RegExp.prototype, name), letter }));

/**
 * Of the value under way: there is only one, since no code of the target runs meanwhile. `secret` is why all texts and numbers
 * are secrets around the place; `masks`: secrets are masked.
 */
export const state = {
  truncated: false,
  masked: false,
  room: 0,
  keysLeft: 0,
  path: [],
  secret: undefined,
  masks: true,
};

/** At most `units` of a text and an ellipsis; no surrogate pair is cut in two. */
export function cut(text, units) {
  const last = charCodeAt(text, units - 1);
  return `${slice(text, 0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)}…`;
}

/** What stands for a text or number that is a secret; undefined: it is none. `text`: its characters, of a number undefined. */
export function mask(text) {
  const { secret } = state;
  let why;
  if (secret?.isSure) {
    if (text === '') return undefined;
    why = secret.text;
  } else if (text !== undefined && state.masks) {
    why = formOf(text);
    if (why === undefined && secret !== undefined && fits(secret, text)) why = secret.text;
  }
  if (why === undefined) return undefined;
  state.truncated = true;
  state.masked = true;
  return `‹masked: ${why}›`;
}

/** As `mask`, of bytes that may be those of a text. */
export function maskBytes(bytes, length) {
  if (!state.masks) return undefined;
  let text = '';
  for (let index = 0; index < length && index < SECRET_BYTES; index += 1) text += fromCharCode(bytes[index]);
  return mask(text);
}

export function quoted(text) {
  const hidden = mask(text);
  if (hidden !== undefined) return hidden;
  if (text.length <= STRING_UNITS) return stringify(text);
  state.truncated = true;
  const head = cut(text, STRING_UNITS);
  return `${stringify(slice(head, 0, head.length - 1))}…`;
}

export function primitive(value) {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'symbol':
      return long(symbolText(value));
    case 'bigint':
      return mask(undefined) ?? bigint(value);
    case 'number':
      return mask(undefined) ?? (is(value, -0) ? '-0' : `${value}`);
    default:
      return `${value}`;
  }
}

function bigint(value) {
  if (value < BIGGEST && value > -BIGGEST) return `${bigText(value)}n`;
  state.truncated = true;
  return value < 0n ? '<bigint below -10^200>' : '<bigint above 10^200>';
}

function long(text) {
  if (text.length <= STRING_UNITS) return text;
  state.truncated = true;
  return cut(text, STRING_UNITS);
}

export function functionText(value) {
  const name = dataOf(value, 'name');
  const made = getOwnPropertyDescriptor(value, 'prototype');
  const kind = made !== undefined && made.writable === false ? 'class' : 'function';
  return typeof name === 'string' && name !== '' ? `<${kind} ${long(name)}>` : `<${kind}>`;
}

export function regExp(value) {
  let flags = '';
  for (let index = 0; index < FLAGS.length; index += 1) if (FLAGS[index].read(value)) flags += FLAGS[index].letter;
  const last = dataOf(value, 'lastIndex');
  const isObject = (typeof last === 'object' && last !== null) || typeof last === 'function';
  return `/${long(regExpSource(value))}/${flags}${last === 0 ? '' : `{lastIndex: ${isObject ? '…' : primitive(last)}}`}`;
}

/** A key is masked for its form alone: `{password: {x: 1}}` shows both of them. */
export function keyText(key) {
  if (typeof key === 'symbol') return `[${long(symbolText(key))}]`;
  if (isPlainName(key) && (key.length < SECRET_KEY || formOf(key) === undefined)) return key;
  const { secret } = state;
  state.secret = undefined;
  const text = quoted(key);
  state.secret = secret;
  return text;
}

/** Without a regular expression: the target may read what the last one matched. */
export function isPlainName(key) {
  if (key.length === 0 || key.length > NAME_UNITS) return false;
  for (let index = 0; index < key.length; index += 1) {
    const code = charCodeAt(key, index);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36;
    if (!isLetter && !(index > 0 && code >= 48 && code <= 57)) return false;
  }
  return true;
}
