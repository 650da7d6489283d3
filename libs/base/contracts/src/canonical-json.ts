import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import type { Sha } from './define-record.ts';
import { notJson } from './errors.ts';

/**
 * RFC 8785 canonical form of a JSON value; keys whose value is `undefined` are left out, as in `JSON.stringify`.
 *
 * Throws `not_json`, with the path, for what JSON cannot say: `undefined` elsewhere, a function, symbol, bigint, NaN, Infinity, a string
 * with a lone surrogate, a cycle, nesting of some thousand levels, or an object that is not
 * plain (`Date`, `Map`, `Uint8Array`).
 */
export function canonicalJson(value: unknown): string {
  try {
    requireJson(value, '', new Set());
    return canonicalize(value) as string;
  } catch (error) {
    throw error instanceof RangeError ? notJson('a value nested too deeply', error) : error;
  }
}

/** Lower-case hexadecimal SHA-256; a string is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): Sha {
  return bytesToHex(sha256(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes));
}

/** SHA-256 of the RFC 8785 form. Throws `not_json`. */
export function hashRecord(value: unknown): Sha {
  return sha256Hex(canonicalJson(value));
}

function requireJson(value: unknown, path: string, above: Set<object>): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    requireWellFormed(value, path);
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notJson(`${value}${at(path)}`);
    return;
  }
  if (typeof value !== 'object') throw notJson(`${typeof value}${at(path)}`);
  if (above.has(value)) throw notJson(`a cycle${at(path)}`);
  above.add(value);
  requireJsonInside(value, path, above);
  above.delete(value);
}

function requireJsonInside(value: object, path: string, above: Set<object>): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) requireJson(value[index], `${path}/${index}`, above);
    return;
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== 'Object') throw notJson(`a ${kind}${at(path)}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') throw notJson(`an object with toJSON${at(path)}`);
  for (const [key, item] of Object.entries(value)) {
    requireWellFormed(key, path);
    if (item !== undefined) requireJson(item, `${path}/${key}`, above);
  }
}

function requireWellFormed(text: string, path: string): void {
  if (/\p{Surrogate}/u.test(text)) throw notJson(`text with a lone surrogate${at(path)}`);
}

function at(path: string): string {
  return path === '' ? '' : ` at ${path}`;
}
