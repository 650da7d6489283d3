import type { Text } from '@h/contracts';
import { asText, toByteString } from './byte-strings.ts';
import type { EditedLines } from './edited-lines.ts';
import { type LineTable, startOfLine } from './line-table.ts';

/** One file of a diff. `path` is where it is before, `to` where it is after. */
export interface FileDiff {
  readonly op: 'edit' | 'create' | 'delete' | 'move';
  readonly path: string;
  readonly to: string;
  readonly before: Uint8Array;
  /** Lines of `before` by LF, and the edits counted in them, refined. */
  readonly lines: LineTable;
  readonly edits: readonly EditedLines[];
}

const CONTEXT = 3;
const NO_FILE = '0000000';
const EMPTY_FILE = 'e69de29';
const NO_LINE_END = '\\ No newline at end of file\n';

/** A diff in git's form, with three lines of context, that `git apply` and `patch` accept; and the one that takes it back. */
export function writeDiffs(files: readonly FileDiff[]): { unified_diff: Text; inverse_diff: Text } {
  return {
    unified_diff: asText(files.map((file) => writeFile(file, false)).join('')),
    inverse_diff: asText(files.map((file) => writeFile(file, true)).join('')),
  };
}

function writeFile(file: FileDiff, inverse: boolean): string {
  const hunks = groupEdits(file.edits).map((group) => writeHunk(file, group, inverse));
  return writeHeader(file, hunks.length > 0, inverse) + hunks.join('');
}

function writeHeader({ op, path, to }: FileDiff, hasHunks: boolean, inverse: boolean): string {
  const [from, into] = inverse ? [to, path] : [path, to];
  const created = op === (inverse ? 'delete' : 'create');
  const deleted = op === (inverse ? 'create' : 'delete');
  const lines = [`diff --git ${quotePath(`a/${from}`)} ${quotePath(`b/${into}`)}`];
  if (created) lines.push('new file mode 100644');
  if (deleted) lines.push('deleted file mode 100644');
  // An empty file has no hunk to say what it holds; `patch` reads it off git's hash of nothing.
  if (created && !hasHunks) lines.push(`index ${NO_FILE}..${EMPTY_FILE}`);
  if (deleted && !hasHunks) lines.push(`index ${EMPTY_FILE}..${NO_FILE}`);
  if (op === 'move') lines.push(`rename from ${quotePath(from)}`, `rename to ${quotePath(into)}`);
  if (hasHunks) {
    lines.push(
      `--- ${created ? '/dev/null' : headerPath(`a/${from}`)}`,
      `+++ ${deleted ? '/dev/null' : headerPath(`b/${into}`)}`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** As git does: a path with control characters or a quote is written as a C string; one that ends with a blank too, which `patch` would cut off. */
function quotePath(path: string): string {
  const units = [...toByteString(new TextEncoder().encode(path))];
  if (!units.some((unit) => unit < ' ' || unit === '"' || unit === '\x7f') && !path.endsWith(' '))
    return units.join('');
  return `"${units.map(escapeUnit).join('')}"`;
}

function escapeUnit(unit: string): string {
  if (unit === '"') return '\\"';
  return unit < ' ' || unit > '~' ? `\\${unit.charCodeAt(0).toString(8).padStart(3, '0')}` : unit;
}

/** A path with a blank ends with a tab, so that `patch` does not stop at the blank. */
function headerPath(path: string): string {
  const quoted = quotePath(path);
  return quoted.includes(' ') && !quoted.startsWith('"') ? `${quoted}\t` : quoted;
}

interface HunkEdits {
  readonly edits: EditedLines[];
  /** Lines that the hunks above have added. */
  readonly shift: number;
}

/** Edits whose contexts touch share a hunk. */
function groupEdits(edits: readonly EditedLines[]): HunkEdits[] {
  const groups: HunkEdits[] = [];
  let end = Number.NEGATIVE_INFINITY;
  let shift = 0;
  for (const edit of edits) {
    if (edit.first - end <= 2 * CONTEXT) groups.at(-1)?.edits.push(edit);
    else groups.push({ edits: [edit], shift });
    end = edit.first + edit.removed.length;
    shift += edit.added.length - edit.removed.length;
  }
  return groups;
}

function writeHunk(file: FileDiff, { edits, shift }: HunkEdits, inverse: boolean): string {
  const first = Math.max(0, (edits[0]?.first ?? 0) - CONTEXT);
  let at = first;
  let growth = 0;
  const body: string[] = [];
  const context = (to: number) => {
    for (; at < to; at++) body.push(writeLine(' ', lineOf(file, at)));
  };
  for (const { first: line, removed, added } of edits) {
    context(line);
    const [old, next] = inverse ? [added, removed] : [removed, added];
    body.push(...old.map((text) => writeLine('-', text)), ...next.map((text) => writeLine('+', text)));
    at += removed.length;
    growth += added.length - removed.length;
  }
  context(Math.min(at + CONTEXT, file.lines.starts.length));
  const before = range(first, at - first);
  const after = range(first + shift, at - first + growth);
  return `@@ -${inverse ? after : before} +${inverse ? before : after} @@\n${body.join('')}`;
}

/** An empty range names the line it comes after. */
function range(first: number, count: number): string {
  return `${count === 0 ? first : first + 1},${count}`;
}

function lineOf({ before, lines }: FileDiff, index: number): string {
  return toByteString(before.subarray(startOfLine(lines, index), startOfLine(lines, index + 1)));
}

function writeLine(sign: ' ' | '-' | '+', line: string): string {
  return line.endsWith('\n') ? sign + line : `${sign}${line}\n${NO_LINE_END}`;
}
