// The wire form of a value: bounded text, taken now, so that what changes later does not show (how: node-render.mjs).

import { cut, state } from './node-atoms.mjs';
import { typeName } from './node-classes.mjs';
import { charCodeAt, ownMap } from './node-intrinsics.mjs';
import { isObject, render } from './node-render.mjs';
import { formOf } from './node-secrets.mjs';

/** Bytes of the text in UTF-8. */
const TEXT_BYTES = 4096;
/** Own keys looked at in one value. */
const KEYS = 5000;
/** Strings whose wire form is kept, and how long they may be. */
const KEPT = 4096;
const KEPT_UNITS = 64;

const { is } = Object;
const { stringify } = JSON;

let refs = 0;
const serials = ownMap(WeakMap);
const strings = ownMap(Map);
let kept = 0;

/** Whether secrets are shown as they are. */
export function showSecrets(isShown) {
  state.masks = !isShown;
}

/**
 * The wire form of a value, `[type,text,truncated,ref]` as JSON text; truncated 2: some of it is masked. `why`: the reason its name
 * gives for it to be a secret, of `reasonOf`.
 */
export function valueText(value, why) {
  if (why !== undefined && state.masks) return secretText(value, why);
  switch (typeof value) {
    case 'number':
      return `["number","${is(value, -0) ? '-0' : `${value}`}"]`;
    case 'boolean':
      return value ? '["boolean","true"]' : '["boolean","false"]';
    case 'undefined':
      return '["undefined","undefined"]';
    case 'string':
      return stringValue(value);
    case 'bigint':
    case 'symbol':
      return finish(typeof value, value, undefined);
    default:
      return value === null ? '["null","null"]' : finish(undefined, value, refOf(value));
  }
}

function secretText(value, why) {
  state.secret = why;
  const isOne = isObject(value);
  const text = finish(
    isOne ? undefined : value === null ? 'null' : typeof value,
    value,
    isOne ? refOf(value) : undefined,
  );
  state.secret = undefined;
  return text;
}

function stringValue(value) {
  if (value.length > KEPT_UNITS) return finish('string', value, undefined);
  let text = strings.get(value);
  if (text === undefined) {
    const isSecret = state.masks && formOf(value) !== undefined;
    text = isSecret ? finish('string', value, undefined) : `["string",${stringify(stringify(value))}]`;
    if (kept >= KEPT) {
      strings.clear();
      kept = 0;
    }
    strings.set(value, text);
    kept += 1;
  }
  return text;
}

function refOf(value) {
  let ref = serials.get(value);
  if (ref === undefined) {
    ref = refs;
    refs += 1;
    serials.set(value, ref);
  }
  return ref;
}

function finish(type, value, ref) {
  state.truncated = false;
  state.masked = false;
  state.room = TEXT_BYTES;
  state.keysLeft = KEYS;
  state.path = [];
  const { secret } = state;
  let name = type ?? 'object';
  let text = '';
  try {
    name = type ?? typeName(value);
    text = bounded(render(value, 1));
  } catch {
    // stack exhausted, or a slot nobody may read
    text = '<unreadable>';
    state.truncated = true;
    state.secret = secret;
  }
  const flag = state.masked ? 2 : state.truncated ? 1 : 0;
  const head = `[${stringify(name)},${stringify(text)}`;
  if (ref !== undefined) return `${head},${flag},${ref}]`;
  return flag === 0 ? `${head}]` : `${head},${flag}]`;
}

/** The head of a text that is longer than may be in UTF-8. */
function bounded(text) {
  if (text.length * 3 <= TEXT_BYTES) return text;
  let bytes = 0;
  let fits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = charCodeAt(text, index);
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
    if (bytes <= TEXT_BYTES - 3) fits = index + 1;
    if (bytes <= TEXT_BYTES) continue;
    state.truncated = true;
    return cut(text, fits);
  }
  return text;
}
