import { diffArrays } from 'diff';
import { toByteString } from './byte-strings.ts';
import { isLineStart, type LineTable, lineAt, nextLine, startOfLine } from './line-table.ts';
import type { Change } from './splice-edits.ts';

/** Whole lines replaced by whole lines. */
export interface EditedLines<C extends Change = Change> {
  /** 0-based index of the first replaced line; where the new ones go when none is replaced. */
  readonly first: number;
  /** Byte strings, each with its line end. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The changes these lines hold. */
  readonly changes: readonly C[];
}

/** The lines that ascending, disjoint changes touch, ascending and disjoint; changes that share a line become one. */
export function editedLines<C extends Change>(
  bytes: Uint8Array,
  table: LineTable,
  changes: readonly C[],
): EditedLines<C>[] {
  const edits: EditedLines<C>[] = [];
  let open = 0;
  while (open < changes.length) {
    const edit = editFrom(bytes, table, changes.slice(open));
    edits.push(edit);
    open += edit.changes.length;
  }
  return edits;
}

/** The lines of the first change, and of those after it that share a line with what is there already. */
function editFrom<C extends Change>(bytes: Uint8Array, table: LineTable, changes: readonly C[]): EditedLines<C> {
  const at = changes[0]?.start ?? 0;
  const first =
    at > 0 && isLineStart(bytes, at, table.ends) && at === table.size
      ? table.starts.length
      : Math.max(0, lineAt(table, at));
  const start = startOfLine(table, first);
  let text = '';
  let read = start;
  let end = start;
  let count = 0;
  for (const change of changes) {
    if (count > 0 && change.start >= end) break;
    text += toByteString(bytes.subarray(read, change.start)) + toByteString(change.bytes);
    read = change.end;
    end = endsLine(text, table) && isLineStart(bytes, read, table.ends) ? read : nextLine(bytes, read, table.ends);
    count++;
  }
  text += toByteString(bytes.subarray(read, end));
  return {
    first,
    removed: splitLines(toByteString(bytes.subarray(start, end)), table),
    added: splitLines(text, table),
    changes: changes.slice(0, count),
  };
}

/** True for text after which a line may start, nothing included. */
function endsLine(text: string, { ends }: LineTable): boolean {
  return text === '' || text.endsWith('\n') || (ends === 'any' && text.endsWith('\r'));
}

function splitLines(text: string, { ends }: LineTable): string[] {
  return text.match(ends === 'lf' ? /[^\n]*\n|[^\n]+$/g : /[^\r\n]*(?:\r\n?|\n)|[^\r\n]+$/g) ?? [];
}

/** The same edits without the lines that both sides share. */
export function refineLines<C extends Change>(edits: readonly EditedLines<C>[]): EditedLines<C>[] {
  return edits.flatMap(({ first, removed, added, changes }) => {
    let at = first;
    return alignLines(removed, added).flatMap((run) => {
      const edit = { first: at, removed: run.old, added: run.next, changes };
      at += run.old.length;
      return run.kept ? [] : [edit];
    });
  });
}

/** A run of lines: kept by both sides, or `old` replaced by `next` (either may be empty). */
export interface LineRun {
  readonly kept: boolean;
  readonly old: readonly string[];
  readonly next: readonly string[];
}

/** Edits beyond which two texts are taken as different altogether: the search for the fewest costs their square. */
const MAX_EDITS = 400;

/** The runs that turn `old` into `next`, in order, with few lines changed (Myers); kept and replaced runs alternate. */
export function alignLines(old: readonly string[], next: readonly string[]): LineRun[] {
  const parts = diffArrays([...old], [...next], { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [{ kept: false, old, next }];
  const runs: { kept: boolean; old: readonly string[]; next: readonly string[] }[] = [];
  for (const { added, removed, value } of parts) {
    const last = runs.at(-1);
    if (!added && !removed) runs.push({ kept: true, old: value, next: value });
    else if (last === undefined || last.kept)
      runs.push({ kept: false, old: added ? [] : value, next: added ? value : [] });
    else if (added) last.next = [...last.next, ...value];
    else last.old = [...last.old, ...value];
  }
  return runs;
}
