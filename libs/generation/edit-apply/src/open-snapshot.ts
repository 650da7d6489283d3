import { type Sha, sha256Hex } from '@h/contracts';
import { CR, LF, type LineTable, tableOfLines } from './write/line-table.ts';

/** Files by path: texts, or bytes where they are not UTF-8 or must be kept to the last one. */
export type SourceFiles = Readonly<Record<string, string | Uint8Array>>;

/** SHA-256 of bytes in lower-case hexadecimal, such as `(bytes) => createHash('sha256').update(bytes).digest('hex')` of Node. */
export type Sha256 = (bytes: Uint8Array) => Sha;

/** Files prepared once for many candidates; what is derived from a file is computed when first needed and kept. */
export interface Snapshot {
  readonly file: (path: string) => SnapshotFile | undefined;
}

export interface SnapshotFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** False with a NUL byte in it, or when it was given as a text with a lone surrogate, which no bytes can hold. */
  readonly isText: boolean;
  /** SHA-256 of the bytes, computed once: with `sha256` where one is given, else with `sha256Hex`. */
  readonly sha: (sha256?: Sha256) => Sha;
  /** Lines as editors count them. */
  readonly lines: () => LineTable;
  /** Lines as diff tools count them. */
  readonly lfLines: () => LineTable;
  /** The bytes with every line end as LF. */
  readonly unified: () => UnifiedText;
}

/** A file's bytes with CRLF and CR turned into LF; offsets into it translate back. */
export interface UnifiedText {
  readonly bytes: Uint8Array;
  /** Whether the file has a CR at all, and one that no LF follows. */
  readonly carriageReturns: 'none' | 'before_lf' | 'lone';
  readonly lines: () => LineTable;
  /** Offset in the file of what is at `offset` here. */
  readonly toFile: (offset: number) => number;
  /** Offset here of the byte at `offset` in the file. */
  readonly fromFile: (offset: number) => number;
}

/** Prepares files for any number of `applyEdits`. The byte arrays must not be changed afterwards. */
export function openSnapshot(files: SourceFiles): Snapshot {
  const opened = new Map<string, SnapshotFile>();
  return {
    file(path) {
      const known = opened.get(path);
      if (known !== undefined) return known;
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) return undefined;
      const file = openFile(path, content);
      opened.set(path, file);
      return file;
    },
  };
}

function openFile(path: string, content: string | Uint8Array): SnapshotFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const lines = tableOfLines(bytes, 'any');
  let sha: Sha | undefined;
  return {
    path,
    bytes,
    isText: !lines.hasNul && (typeof content !== 'string' || isWellFormed(content)),
    sha(sha256 = sha256Hex) {
      sha ??= sha256(bytes);
      return sha;
    },
    lines: () => lines,
    lfLines: once(() => (lines.hasCr ? tableOfLines(bytes, 'lf') : lines)),
    unified: once(() => unifyLineEnds(bytes, lines)),
  };
}

/** False for a text with half of a surrogate pair: UTF-8 cannot hold it, an encoder would write U+FFFD. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** CRLF and CR turned into LF. */
export function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** `lines` is the table of the bytes themselves, used where they have no CR. */
export function unifyLineEnds(bytes: Uint8Array, lines = tableOfLines(bytes, 'any')): UnifiedText {
  const same = (offset: number) => offset;
  if (!lines.hasCr) return { bytes, carriageReturns: 'none', lines: () => lines, toFile: same, fromFile: same };
  const unified = new Uint8Array(bytes.length);
  const dropped: number[] = [];
  let size = 0;
  let lone = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === CR && bytes[at + 1] === LF) {
      dropped.push(size);
      at++;
    } else if (byte === CR) lone = true;
    unified[size++] = byte === CR ? LF : byte;
  }
  const text = unified.subarray(0, size);
  return {
    bytes: text,
    carriageReturns: lone ? 'lone' : 'before_lf',
    lines: once(() => tableOfLines(text, 'lf')),
    toFile: (offset) => offset + countBelow(dropped, (position) => position < offset),
    fromFile: (offset) => offset - countBelow(dropped, (position, index) => position + index + 1 < offset),
  };
}

/** How many of the ascending `positions` satisfy a condition that holds up to some index and not from there on. */
function countBelow(positions: readonly number[], holds: (position: number, index: number) => boolean): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(positions[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the text begins: the byte order mark is not part of line 1. */
export function markEnd(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Computes a value when it is first asked for, and keeps it. */
export function once<T>(compute: () => T): () => T {
  let kept: { readonly value: T } | undefined;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}
