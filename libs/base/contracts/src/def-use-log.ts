// The dense stream in columns: what one row takes as an object of strings, ten million rows take as numbers. Imports no zod.
import type { Loc } from './define-record.ts';
import type { DefUseRow, ValueText } from './diagnosis.ts';

/** Everything of a row that is the same whenever the statement runs that way. */
export interface LoggedStatement {
  readonly location: Loc;
  readonly function: string;
  readonly role: DefUseRow['role'];
  readonly defs: readonly string[];
  readonly may_defs: readonly string[];
  readonly uses: readonly string[];
  readonly yields?: boolean | undefined;
  readonly guarded?: boolean | undefined;
}

/**
 * A stream of `DefUseRow` with the values of its events, by row number. Numbers of rows, statements and frames are from 0; where nothing may
 * stand, a column holds the number plus one, and 0 for nothing.
 */
export interface DefUseLog {
  /** Rows. */
  readonly size: number;
  readonly statements: readonly LoggedStatement[];
  /** Distinct values; value number n is `values[n - 1]`, 0 is no value. */
  readonly values: readonly ValueText[];
  readonly statement: Uint32Array;
  readonly frame: Uint32Array;
  /** Row that decided that this one ran, plus one. */
  readonly control_parent: Uint32Array;
  /** 1: it raised, or the run ended in it. */
  readonly exception: Uint8Array;
  /**
   * Per row, one after the other: of an entry the calling row plus one; of a branch or return the number of its outcome; then per name of
   * `namesOf(statement)` the number of its value as the statement began and of its value once it was over.
   */
  readonly heap: Uint32Array;
}

/** One row to append. */
export interface LoggedRow {
  readonly statement: number;
  readonly frame: number;
  readonly control_parent?: number | undefined;
  readonly completed: boolean;
}

/** Columns under way: interns statements and values, grows as it must. */
export interface DefUseLogWriter {
  /** Number of the statement; equal ones share it. */
  statement(statement: LoggedStatement): number;
  /** Number of the value; equal ones share it; 0 for undefined. */
  value(value: ValueText | undefined): number;
  row(row: LoggedRow): void;
  /** The next number of the row's part of `heap`. */
  cell(number: number): void;
  /** The log so far; its columns are views, written to no more. */
  finish(): DefUseLog;
}

/** `rows` and `cells`: how much to make room for at once; room that stays unused costs no memory. */
export function createDefUseLog(room: { readonly rows?: number; readonly cells?: number } = {}): DefUseLogWriter {
  const { rows = 1024, cells = 4 * rows } = room;
  let statement = new Uint32Array(rows);
  let frame = new Uint32Array(rows);
  let parent = new Uint32Array(rows);
  let exception = new Uint8Array(rows);
  let heap = new Uint32Array(cells);
  let [size, used] = [0, 0];
  const statements = intern<LoggedStatement>(keyOf);
  const values = internValues();
  const grow = () => {
    statement = doubled(statement);
    frame = doubled(frame);
    parent = doubled(parent);
    exception = doubled(exception);
  };
  return {
    statement: statements.number,
    value: values.number,
    row(row) {
      if (size === statement.length) grow();
      statement[size] = row.statement;
      frame[size] = row.frame;
      parent[size] = row.control_parent === undefined ? 0 : row.control_parent + 1;
      exception[size] = row.completed ? 0 : 1;
      size += 1;
    },
    cell(number) {
      if (used === heap.length) heap = doubled(heap);
      heap[used] = number;
      used += 1;
    },
    finish: () => ({
      size,
      statements: statements.all,
      values: values.all,
      statement: statement.subarray(0, size),
      frame: frame.subarray(0, size),
      control_parent: parent.subarray(0, size),
      exception: exception.subarray(0, size),
      heap: heap.subarray(0, used),
    }),
  };
}

/** First names of everything a statement writes and reads, in the order of its cells. */
export function namesOf({ uses, may_defs, defs }: LoggedStatement): string[] {
  return [...new Set([...uses, ...may_defs, ...defs].map(firstName))];
}

/** Cells that stand before those of the names. */
export function leadingCells({ role }: LoggedStatement): 0 | 1 {
  return role === 'statement' ? 0 : 1;
}

/** `self` of `self.rows[0]`. */
export function firstName(path: string): string {
  const end = path.search(/[.[?]/);
  return end < 0 ? path : path.slice(0, end);
}

function doubled<Column extends Uint32Array | Uint8Array>(column: Column): Column {
  const larger = new (column.constructor as new (size: number) => Column)(Math.max(16, 2 * column.length));
  larger.set(column);
  return larger;
}

function keyOf({ location, function: name, role, defs, may_defs, uses, yields, guarded }: LoggedStatement): string {
  return [location, name, role, defs.join(), may_defs.join(), uses.join(), yields ?? '', guarded ?? ''].join('\n');
}

function intern<Item>(key: (item: Item) => string) {
  const numbers = new Map<string, number>();
  const all: Item[] = [];
  const number = (item: Item): number => {
    const text = key(item);
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, all.length);
    return all.push(item) - 1;
  };
  return { all, number };
}

/** By text first, then along the values that share it: no key is put together. */
function internValues() {
  const byText = new Map<string, number>();
  const all: ValueText[] = [];
  const next: number[] = [];
  const number = (value: ValueText | undefined): number => {
    if (value === undefined) return 0;
    const first = byText.get(value.text) ?? 0;
    for (let at = first; at > 0; at = next[at - 1] ?? 0) if (isEqual(all[at - 1], value)) return at;
    next.push(first);
    const added = all.push(value);
    byText.set(value.text, added);
    return added;
  };
  return { all, number };
}

function isEqual(a: ValueText | undefined, b: ValueText): boolean {
  return a !== undefined && a.text === b.text && a.type === b.type && a.ref === b.ref && a.truncated === b.truncated;
}
