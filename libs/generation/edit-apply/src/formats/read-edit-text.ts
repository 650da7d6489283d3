import type { EditPackage } from '@h/contracts';
import { openSnapshot, type Snapshot, type SourceFiles, withLf } from '../open-snapshot.ts';
import { readBeginPatch } from './begin-patch.ts';
import { type EditTextFormat, type Fault, fault, isFault, type PackageEntry, type ReadEdit } from './edit-text.ts';
import { readSearchReplace } from './search-replace.ts';
import { readStrReplace } from './str-replace.ts';
import { readUnifiedDiff } from './unified-diff.ts';
import { readWholeFile } from './whole-file.ts';

export interface ReadEditOptions {
  readonly format: EditTextFormat;
  /** The file meant where the text names none; `search_replace`, `str_replace` and `whole_file` only. */
  readonly path?: string;
  /** `unified_diff`: the line numbers of hunks have to be right, and tell equal places apart. Default false: text alone says where. */
  readonly positions?: boolean;
  /** `whole_file`: a file that is not among these is created. Absent: every file is taken to be there. */
  readonly files?: SourceFiles | Snapshot;
}

/**
 * Reads the text of an edit, as a model or a tool wrote it, into a package for `applyEdits`; or says in which line it is none, and why.
 * Never throws for the text, and never guesses which file, line or text is meant.
 */
export function readEditText(text: string, options: ReadEditOptions): ReadEdit {
  const read = readEntries(text.replace(/^\ufeff/, ''), options);
  const { format } = options;
  if (isFault(read)) return { status: 'unreadable', format, ...read };
  if (read.length > 0) return { status: 'read', edit: { files: read } satisfies EditPackage };
  return {
    status: 'unreadable',
    format,
    ...fault('no_edit', 1, `There is no edit in this text: ${EXPECTED[format]}.`),
  };
}

const EXPECTED: Readonly<Record<EditTextFormat, string>> = {
  search_replace: 'a path, then "<<<<<<< SEARCH", "=======" and ">>>>>>> REPLACE"',
  unified_diff: '"--- a/path", "+++ b/path" and hunks from "@@" on',
  begin_patch: '"*** Begin Patch" to "*** End Patch"',
  str_replace: 'JSON with path, old_str and new_str',
  whole_file: 'a path, and below it the text in a fence',
};

function readEntries(
  text: string,
  { format, path, positions = false, files }: ReadEditOptions,
): PackageEntry[] | Fault {
  switch (format) {
    case 'search_replace':
      return readSearchReplace(linesOf(text), path);
    case 'unified_diff':
      return readUnifiedDiff(linesOfDiff(text), positions);
    case 'begin_patch':
      return readBeginPatch(linesOf(text));
    case 'str_replace':
      return readStrReplace(text, path);
    case 'whole_file':
      return readWholeFile(linesOf(text), path, existsIn(files));
  }
}

function linesOf(text: string): string[] {
  return withLf(text).split('\n');
}

/** A diff has LF lines: a CR before LF belongs to the line of the file. */
function linesOfDiff(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function existsIn(files: SourceFiles | Snapshot | undefined): (path: string) => boolean {
  if (files === undefined) return () => true;
  const snapshot = typeof files.file === 'function' ? (files as Snapshot) : openSnapshot(files as SourceFiles);
  return (path) => snapshot.file(path) !== undefined;
}
