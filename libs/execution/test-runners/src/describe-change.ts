import { sha256Hex } from '@h/contracts';

/** What lies between the bytes that two versions of a file begin and end with: first byte, byte after the last, new bytes in base64; and the hash of the new version. */
export type FileChange = readonly [start: number, end: number, middle: string, sha: string];

/** The difference of two versions of a file: a candidate travels as the few bytes that it changes. */
export function describeChange(before: Uint8Array, after: Uint8Array): FileChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const middle = after.subarray(start, after.length - tail);
  return [start, before.length - tail, toBase64(middle), sha256Hex(after)];
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
