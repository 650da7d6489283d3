import { readDiffHeader } from './diff-header.ts';
import type { Fault } from './edit-text.ts';
import { fault, isFault, joinLines, type PackageBlock, type PackageEntry, shown } from './edit-text.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const NO_LINE_END = /^\\ /;

/**
 * A diff as `git diff` and `diff -u` write it. A hunk is whole lines, found by its text; with `positions` its line numbers have to be right
 * too, and tell equal places apart. Counts have to be right in any case, and a hunk without numbers is `@@` alone or `@@ … @@`.
 */
export function readUnifiedDiff(lines: readonly string[], positions: boolean): PackageEntry[] | Fault {
  const entries: PackageEntry[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (!/^(?:diff --git |--- )/.test(line)) {
      if (HUNK.test(line)) return fault('misplaced_line', at + 1, 'This hunk stands under no file header.');
      at++;
      continue;
    }
    const header = readDiffHeader(lines, at);
    if (isFault(header)) return header;
    const body = readHunks(lines, header.next, positions);
    if (isFault(body)) return body;
    const entry = entryOf(header, body.hunks, at + 1);
    if (isFault(entry)) return entry;
    if (entries.some(({ path }) => path === entry.path))
      return fault('misplaced_line', at + 1, `${shown(entry.path)} stands in this diff twice.`);
    entries.push(entry);
    at = body.next;
  }
  return entries;
}

function entryOf(
  { op, path, to }: { op: PackageEntry['op']; path: string; to?: string },
  hunks: readonly Hunk[],
  line: number,
): PackageEntry | Fault {
  if (op === 'delete') return { path, op };
  if (op === 'create') {
    const [hunk, more] = hunks;
    if (more !== undefined || (hunk !== undefined && hunk.search !== ''))
      return fault('misplaced_line', hunk?.line ?? line, 'A created file has one hunk, of added lines alone.');
    return { path, op, content: hunk?.replace ?? '' };
  }
  const bare = hunks.find(({ search }) => !/[^\n]/.test(search));
  if (bare !== undefined && !(hunks.length === 1 && bare.isWholeFile))
    return fault('no_context', bare.line, 'A hunk without a line that has text could go anywhere; give it context.');
  if (bare !== undefined) return { path, op: 'edit', content: bare.replace };
  if (op === 'edit' && hunks.length === 0) return fault('no_edit', line, `This diff of ${shown(path)} has no hunk.`);
  const blocks = hunks.map(({ search, replace, span }): PackageBlock => {
    return { search, replace, whole_lines: true, ...(span === undefined ? {} : { span }) };
  });
  return { path, op, ...(to === undefined ? {} : { to }), ...(blocks.length === 0 ? {} : { blocks }) };
}

interface Hunk {
  readonly line: number;
  readonly search: string;
  readonly replace: string;
  readonly span?: [number, number];
  /** It says that the file was empty before. */
  readonly isWholeFile: boolean;
}

function readHunks(
  lines: readonly string[],
  start: number,
  positions: boolean,
): { hunks: Hunk[]; next: number } | Fault {
  const hunks: Hunk[] = [];
  let at = start;
  while (at < lines.length && /^@@/.test(lines[at] ?? '')) {
    const hunk = readHunk(lines, at, positions);
    if (isFault(hunk)) return hunk;
    hunks.push(hunk);
    at = hunk.next;
    while (at < lines.length && (lines[at] ?? '').trim() === '') at++;
  }
  const line = lines[at];
  const isBody = line !== undefined && /^[-+ ]/.test(line) && !isFileHeader(lines, at) && hunks.length > 0;
  if (isBody) return fault('bad_count', at + 1, `${shown(line)} is beyond the lines its hunk counts.`);
  return { hunks, next: at };
}

function readHunk(lines: readonly string[], start: number, positions: boolean): (Hunk & { next: number }) | Fault {
  const header = HUNK.exec(lines[start] ?? '');
  const isBare = /^@@(?:\s*|\s.*@@.*)$/.test(lines[start] ?? '') && !/^@@ -\d/.test(lines[start] ?? '');
  if (header === null && !isBare)
    return fault(
      'misplaced_line',
      start + 1,
      `${shown(lines[start] ?? '')} is no hunk header; write "@@ -1,3 +1,3 @@" or "@@".`,
    );
  if (header === null && positions)
    return fault('misplaced_line', start + 1, 'This hunk has no line numbers, and they are to be trusted.');
  const [first, old, , added] = (header?.slice(1) ?? []).map((digits) => Number(digits ?? '1'));
  const body = readBody(lines, start + 1, old ?? Number.POSITIVE_INFINITY, added ?? Number.POSITIVE_INFINITY);
  if (isFault(body)) return body;
  const { search, replace, next } = body;
  const span: [number, number] | undefined =
    positions && first !== undefined && old !== undefined && old > 0 ? [first, first + old - 1] : undefined;
  const isWholeFile = first === 0 && old === 0;
  return { line: start + 1, search, replace, next, isWholeFile, ...(span === undefined ? {} : { span }) };
}

/** The lines of a hunk, as many as it counts; without counts up to the next header. */
function readBody(
  lines: readonly string[],
  start: number,
  oldCount: number,
  newCount: number,
): { search: string; replace: string; next: number } | Fault {
  const counted = Number.isFinite(oldCount);
  const old: string[] = [];
  const next: string[] = [];
  const open = { old: false, next: false };
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (NO_LINE_END.test(line)) {
      const sign = lines[at - 1]?.[0] ?? '';
      if (at === start) return fault('misplaced_line', at + 1, 'No line stands above this mark.');
      if (sign !== '+') open.old = true;
      if (sign !== '-') open.next = true;
      continue;
    }
    if (counted ? old.length >= oldCount && next.length >= newCount : endsBare(lines, at)) break;
    const sign = line === '\r' ? ' ' : (line[0] ?? ' ');
    if (sign !== ' ' && sign !== '-' && sign !== '+')
      return fault('misplaced_line', at + 1, `${shown(line)} starts with none of " ", "-", "+".`);
    if (sign !== '+') old.push(line.slice(1));
    if (sign !== '-') next.push(line.slice(1));
  }
  const isShort = counted && (old.length < oldCount || next.length < newCount);
  if (isShort || (counted && (old.length > oldCount || next.length > newCount)))
    return fault(
      'bad_count',
      start,
      `This hunk counts ${oldCount} and ${newCount} lines and has ${old.length} and ${next.length}.`,
    );
  return { search: textOf(old, open.old), replace: textOf(next, open.next), next: at };
}

/** Where a hunk without counts ends: at the next header, and before blank lines after which no line of it comes. */
function endsBare(lines: readonly string[], at: number): boolean {
  let next = at;
  while (next < lines.length && (lines[next] ?? '').trim() === '') next++;
  return next === lines.length || /^(?:@@|diff --git )/.test(lines[next] ?? '') || isFileHeader(lines, next);
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? '').startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ');
}

/** The text of one side; without the last line end where the mark says that there is none. */
function textOf(side: readonly string[], isOpen: boolean): string {
  const text = joinLines(side);
  return isOpen ? text.slice(0, -1) : text;
}
