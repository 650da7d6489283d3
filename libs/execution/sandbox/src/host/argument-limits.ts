import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** Bytes that a new program takes: one argument or variable with its NUL, and all of them with their pointers. */
export interface ArgumentLimits {
  readonly word: number;
  readonly total: number;
}

/** Linux: a word has 32 pages; all have a quarter of the stack, at most 6 MiB. */
/** What every host takes. */
export const LEAST_BYTES = 131_072;
const WORD_PAGES = 32;
const MOST_BYTES = 6 * 1024 ** 2;
const PAGE_SIZE_TAG = 6n;

/** Those of this host; without limit where it is not Linux. */
export function readArgumentLimits(): ArgumentLimits {
  return process.platform === 'linux'
    ? { word: WORD_PAGES * pageSize(), total: quarterOfStack() }
    : { word: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY };
}

function pageSize(): number {
  try {
    const vector = readFileSync('/proc/self/auxv');
    const read = (at: number) => (endianness() === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at));
    for (let at = 0; at + 16 <= vector.length; at += 16) if (read(at) === PAGE_SIZE_TAG) return Number(read(at + 8));
  } catch {
    // Not told: the smallest there is.
  }
  return 4096;
}

function quarterOfStack(): number {
  try {
    const [, soft] = /^Max stack size\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? MOST_BYTES : Math.max(LEAST_BYTES, Math.min(MOST_BYTES, Number(soft) / 4));
  } catch {
    return MOST_BYTES;
  }
}
