import type { Range } from '../locate/block-query.ts';
import type { SnapshotFile } from '../open-snapshot.ts';
import { alignLines } from './edited-lines.ts';
import { CR, isLineStart, nextLine } from './line-table.ts';

/** Text that takes the place of a range of a file's unified text. */
export interface Replacement extends Range {
  /** What stands there now and what goes there, both with LF line ends. */
  readonly found: string;
  readonly replace: string;
}

/** Bytes that take the place of the bytes [start, end) of a file. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly bytes: Uint8Array;
}

/**
 * The bytes to write for each replacement: new lines end as the lines they replace, else as the line they stand on, else as the line
 * above; lines that were kept keep theirs. Replacements are ascending and disjoint.
 */
export function changesOf(file: SnapshotFile, replacements: readonly Replacement[]): Change[] {
  const { toFile } = file.unified();
  return replacements.map((replacement) => {
    const start = toFile(replacement.start);
    const end = toFile(replacement.end);
    return { start, end, bytes: new TextEncoder().encode(withFileLineEnds(file, start, end, replacement)) };
  });
}

/** The bytes with the changes made; every byte outside them is copied. */
export function splice(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  const grown = changes.reduce((sum, change) => sum + change.bytes.length - (change.end - change.start), 0);
  const result = new Uint8Array(bytes.length + grown);
  let read = 0;
  let write = 0;
  const put = (part: Uint8Array) => {
    result.set(part, write);
    write += part.length;
  };
  for (const change of changes) {
    put(bytes.subarray(read, change.start));
    put(change.bytes);
    read = change.end;
  }
  put(bytes.subarray(read));
  return result;
}

/** True when a change puts other bytes where it goes. */
export function differs(bytes: Uint8Array, { start, end, bytes: next }: Change): boolean {
  return !sameBytes(bytes.subarray(start, end), next);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function withFileLineEnds(file: SnapshotFile, start: number, end: number, { found, replace }: Replacement): string {
  if (file.unified().carriageReturns === 'none' || !replace.includes('\n')) return replace;
  const ends = lineEndsIn(file.bytes, start, end);
  const styles = new Set(ends);
  const [only = lineEndNear(file.bytes, start, end)] = ends;
  if (styles.size <= 1) return replace.replaceAll('\n', only);
  const lines = replace.split('\n');
  const alignedEnds = alignEnds(found.split('\n'), lines, ends, only);
  return lines.map((line, i) => line + (i < lines.length - 1 ? alignedEnds[i] : '')).join('');
}

function lineEndsIn(bytes: Uint8Array, start: number, end: number): string[] {
  const ends: string[] = [];
  for (
    let at = nextLine(bytes, start, 'any');
    at <= end && isLineStart(bytes, at, 'any');
    at = nextLine(bytes, at, 'any')
  ) {
    ends.push(lineEndBefore(bytes, at));
    if (at === bytes.length) break;
  }
  return ends;
}

function lineEndBefore(bytes: Uint8Array, next: number): string {
  if (bytes[next - 1] === CR) return '\r';
  return bytes[next - 2] === CR ? '\r\n' : '\n';
}

/** How the line at `end` ends, else how the line above `start` does. */
function lineEndNear(bytes: Uint8Array, start: number, end: number): string {
  const next = nextLine(bytes, end, 'any');
  if (next > end && isLineStart(bytes, next, 'any')) return lineEndBefore(bytes, next);
  for (let at = start; at > 0; at--) if (isLineStart(bytes, at, 'any')) return lineEndBefore(bytes, at);
  return '\n';
}

/** One line end for each new line: of the same line in the old text, else of the old line it takes the place of, else of the line above. */
function alignEnds(old: readonly string[], lines: readonly string[], ends: readonly string[], first: string): string[] {
  const aligned: string[] = [];
  let at = 0;
  for (const run of alignLines(old, lines)) {
    for (const i of run.next.keys())
      aligned.push((i < run.old.length ? ends[at + i] : undefined) ?? aligned.at(-1) ?? first);
    at += run.old.length;
  }
  return aligned;
}
