import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import type { Sha } from './define-record.ts';
import { notJson } from './errors.ts';

/** RFC 8785 canonical form of a JSON value. Throws `not_json` for what JSON cannot say. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw notJson(typeof value);
  return text;
}

/** Lower-case hexadecimal SHA-256; a string is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): Sha {
  return bytesToHex(sha256(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes));
}

/** SHA-256 of the RFC 8785 form. */
export function hashRecord(value: unknown): Sha {
  return sha256Hex(canonicalJson(value));
}
