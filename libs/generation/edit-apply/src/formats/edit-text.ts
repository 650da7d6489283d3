// What every format is read to: the entries of one `EditPackage`, or why the text says none.
import type { EditPackage } from '@h/contracts';
import { isRepositoryPath } from '../plan-files.ts';

export type EditTextFormat = 'search_replace' | 'unified_diff' | 'begin_patch' | 'str_replace' | 'whole_file';

/** What is wrong with the text itself, whatever the files hold. */
export type EditTextProblem =
  | 'no_edit'
  | 'no_path'
  | 'bad_path'
  | 'unclosed'
  | 'misplaced_line'
  | 'unclear_fence'
  | 'bad_count'
  | 'no_context'
  | 'unsupported'
  | 'bad_json'
  | 'bad_field';

export interface UnreadableEdit {
  readonly status: 'unreadable';
  readonly format: EditTextFormat;
  readonly problem: EditTextProblem;
  /** 1-based line of the text. */
  readonly line: number;
  /** One sentence, with what to write instead. */
  readonly message: string;
}

export type ReadEdit = { readonly status: 'read'; readonly edit: EditPackage } | UnreadableEdit;

export type PackageEntry = EditPackage['files'][number];
export type PackageBlock = NonNullable<PackageEntry['blocks']>[number];

/** Why reading stops; the format is added where it is caught. */
export interface Fault {
  readonly problem: EditTextProblem;
  readonly line: number;
  readonly message: string;
}

export function fault(problem: EditTextProblem, line: number, message: string): Fault {
  return { problem, line, message };
}

export function isFault(value: object): value is Fault {
  return 'problem' in value;
}

/** The path a header names, or why it is none: a format never makes up which file is meant. */
export function readPath(header: string, line: number): string | Fault {
  const quoted = /^`([^`]+)`$/.exec(header)?.[1];
  const path = quoted ?? header;
  const isPlain = quoted !== undefined || !/\s|[`*<>"|]/.test(path);
  return isPlain && isRepositoryPath(path)
    ? path
    : fault('bad_path', line, `${shown(header)} is no path inside the repository; write the path alone on its line.`);
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** Lines as blocks hold them: each with its line end. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Adds a block to the entry of its file, which is made where there is none. */
export function addBlock(entries: PackageEntry[], path: string, block: PackageBlock): void {
  const at = entries.findIndex((entry) => entry.path === path && entry.op === 'edit');
  const known = entries[at];
  if (known === undefined) entries.push({ path, op: 'edit', blocks: [block] });
  else entries[at] = { ...known, blocks: [...(known.blocks ?? []), block] };
}
