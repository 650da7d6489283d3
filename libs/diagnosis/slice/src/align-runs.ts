// Structural execution index (Xin, Sumner and Zhang 2008): a row is named by the row that decided it ran, its statement, and how often that
// statement ran before under the same decision. Rows of two runs with one name are the same point of the execution.
import type { DefUseRow } from '@h/contracts';

export interface AlignedRow {
  readonly sequence: number;
  readonly otherSequence: number;
  /** Entry of a function that the test itself called. */
  readonly isInput: boolean;
}

/** Rows of `rows` that the other run executes too, in order. Linear. */
export function alignRuns(rows: readonly DefUseRow[], others: readonly DefUseRow[]): AlignedRow[] {
  const names = new Map<string, number>();
  const mine = nameRows(rows, functionsOf(others), names);
  const theirs = new Map<number, number>();
  for (const [sequence, name] of nameRows(others, functionsOf(rows), names).names.entries()) theirs.set(name, sequence);
  const aligned: AlignedRow[] = [];
  for (const [sequence, name] of mine.names.entries()) {
    const otherSequence = theirs.get(name);
    if (otherSequence !== undefined) aligned.push({ sequence, otherSequence, isInput: mine.inputs.has(sequence) });
  }
  return aligned;
}

interface NamedRows {
  readonly names: number[];
  readonly inputs: ReadonlySet<number>;
}

/** The name of what called the functions that no observed row called. */
const root = -1;

function nameRows(rows: readonly DefUseRow[], shared: ReadonlySet<string>, interned: Map<string, number>): NamedRows {
  const names: number[] = [];
  const inputs = new Set<number>();
  const counts = new Map<string, number>();
  const entries = new Map<number, number>();
  /** Frames of test code: functions that only this run executes, called by nothing but such. */
  const outside = new Set<number>();
  for (const row of rows) {
    const { sequence, frame, location, role, caller } = row;
    const opens = !entries.has(frame);
    if (opens) {
      entries.set(frame, sequence);
      const called = caller === undefined ? undefined : rows[caller];
      const fromOutside = called === undefined || outside.has(called.frame);
      if (fromOutside && !shared.has(functionOf(row))) outside.add(frame);
      else if (fromOutside && role === 'entry') inputs.add(sequence);
    }
    const parent = opens ? parentOfEntry(rows, row, outside) : (row.control_parent ?? entries.get(frame) ?? root);
    const under = `${parent === root ? root : (names[parent] ?? root)} ${role} ${row.function} ${location}`;
    const count = counts.get(under) ?? 0;
    counts.set(under, count + 1);
    names.push(intern(interned, `${under} ${count}`));
  }
  return { names, inputs };
}

function parentOfEntry(rows: readonly DefUseRow[], { caller }: DefUseRow, outside: ReadonlySet<number>): number {
  const called = caller === undefined ? undefined : rows[caller];
  return called === undefined || outside.has(called.frame) ? root : called.sequence;
}

function intern(interned: Map<string, number>, text: string): number {
  const known = interned.get(text) ?? interned.size;
  interned.set(text, known);
  return known;
}

function functionsOf(rows: readonly DefUseRow[]): Set<string> {
  return new Set(rows.map(functionOf));
}

function functionOf({ location, function: name }: DefUseRow): string {
  return `${location.slice(0, location.lastIndexOf(':'))}::${name}`;
}
