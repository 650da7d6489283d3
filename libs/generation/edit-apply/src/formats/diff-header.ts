// The lines of a diff that say which file, and what becomes of it.
import { isRepositoryPath } from '../plan-files.ts';
import { type Fault, fault, type PackageEntry, shown } from './edit-text.ts';

export interface DiffHeader {
  readonly op: PackageEntry['op'];
  readonly path: string;
  readonly to?: string;
  /** Index of the first line after the header. */
  readonly next: number;
}

interface Seen {
  created?: true;
  deleted?: true;
  from?: string;
  to?: string;
  old?: string;
  next?: string;
  /** Index of the next line. */
  at: number;
}

const SILENT = /^(?:index [0-9a-f]+\.\.[0-9a-f]+|similarity index |dissimilarity index )/;
const UNSUPPORTED = /^(?:old mode |new mode |copy from |copy to |GIT binary patch|Binary files )/;

/** Reads from a `diff --git` or `---` line to the first line that is not of the header. */
export function readDiffHeader(lines: readonly string[], start: number): DiffHeader | Fault {
  const git = /^diff --git (.*)$/.exec(lines[start] ?? '')?.[1];
  const seen: Seen = { at: git === undefined ? start : start + 1 };
  for (; seen.at < lines.length; seen.at++) {
    const line = lines[seen.at] ?? '';
    if (UNSUPPORTED.test(line))
      return fault(
        'unsupported',
        seen.at + 1,
        `${shown(line)}: only texts are changed, not modes, copies or binary files.`,
      );
    if (!takeLine(seen, line)) break;
    if (seen.next !== undefined) {
      seen.at++;
      break;
    }
  }
  if ((seen.old === undefined) !== (seen.next === undefined))
    return fault('misplaced_line', seen.at + 1, 'A "---" line is followed by its "+++" line.');
  return nameFile(seen, git, start);
}

/** True for a line of the header, whose say is noted. */
function takeLine(seen: Seen, line: string): boolean {
  if (SILENT.test(line)) return true;
  if (line.startsWith('new file mode ')) seen.created = true;
  else if (line.startsWith('deleted file mode ')) seen.deleted = true;
  else if (line.startsWith('rename from ')) seen.from = unquote(line.slice(12));
  else if (line.startsWith('rename to ')) seen.to = unquote(line.slice(10));
  else if (line.startsWith('--- ') && seen.old === undefined) seen.old = headerPath(line);
  else if (line.startsWith('+++ ') && seen.old !== undefined) seen.next = headerPath(line);
  else return false;
  return true;
}

function nameFile(seen: Seen, git: string | undefined, start: number): DiffHeader | Fault {
  const { old, next, from, to } = seen;
  const line = start + 1;
  const isCreated = seen.created === true || old === '/dev/null';
  const isDeleted = seen.deleted === true || next === '/dev/null';
  if (isCreated && isDeleted) return fault('misplaced_line', line, 'A file is created or deleted, not both.');
  const named = git === undefined ? undefined : gitPath(git);
  const [one, other] = [plain(old, 'a/', next), plain(next, 'b/', old)];
  const path = from ?? (isCreated ? other : one) ?? named;
  if (path === undefined) return fault('no_path', line, 'This header does not say which file it is.');
  const target = to ?? (isCreated || isDeleted ? path : (other ?? path));
  const bad = [path, target].find((name) => !isRepositoryPath(name));
  if (bad !== undefined) return fault('bad_path', line, `${shown(bad)} is no path inside the repository.`);
  if ((from === undefined) !== (to === undefined) || (to === undefined && target !== path))
    return fault(
      'bad_path',
      line,
      `${shown(path)} and ${shown(target)} are two files; a move says "rename from" and "rename to".`,
    );
  if (
    to !== undefined &&
    [
      [one, path],
      [other, target],
    ].some(([name, wanted]) => name !== undefined && name !== wanted)
  )
    return fault('bad_path', line, 'The paths of this move do not agree.');
  const op = isCreated ? 'create' : isDeleted ? 'delete' : to === undefined || to === path ? 'edit' : 'move';
  return { op, path, ...(op === 'move' ? { to: target } : {}), next: seen.at };
}

/** What stands after `---` or `+++`, without a time after a tab. */
function headerPath(line: string): string {
  const text = line.slice(4);
  return unquote(text.startsWith('"') ? text : (text.split('\t')[0] ?? ''));
}

/** Without git's `a/` or `b/`, which both sides have or neither. */
function plain(path: string | undefined, prefix: 'a/' | 'b/', beside: string | undefined): string | undefined {
  if (path === undefined || path === '/dev/null') return undefined;
  const other = prefix === 'a/' ? 'b/' : 'a/';
  const both = path.startsWith(prefix) && (beside === undefined || beside === '/dev/null' || beside.startsWith(other));
  return both ? path.slice(2) : path;
}

/** `a/x b/x` names x; where the two differ, other lines have to name the files. */
function gitPath(names: string): string | undefined {
  if (names.startsWith('"')) {
    const [, one = '', other = ''] = /^("(?:[^"\\]|\\.)*") (".*")$/.exec(names) ?? [];
    const [from, to] = [unquote(one).slice(2), unquote(other).slice(2)];
    return from !== '' && from === to ? from : undefined;
  }
  const half = (names.length - 1) / 2;
  const [from, to] = [names.slice(2, half), names.slice(half + 3)];
  return names.startsWith('a/') && names.slice(half, half + 3) === ' b/' && from === to ? from : undefined;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The path of a C string, as git writes names with control characters and quotes; every other text as it stands. */
function unquote(text: string): string {
  const inner = /^"((?:[^"\\]|\\.)*)"\s*$/.exec(text)?.[1];
  if (inner === undefined) return text.replace(/\r$/, '');
  const bytes: number[] = [];
  for (const [unit, octal, letter] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(unit));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
