// Structural execution index (Xin, Sumner and Zhang 2008): a row is named by the row that decided it ran, its statement, and how often that
// statement ran before under the same decision. Rows of two runs with one name are the same point of the execution.
import type { DefUseRow, ObservedRun, TestId } from '@h/contracts';
import { parseLoc } from '@h/contracts/parse-loc';
import { classOfTest, fileOfTest } from './test-code.ts';

export interface AlignedRow {
  readonly sequence: number;
  readonly otherSequence: number;
  /** Entry of a function that the test itself called. */
  readonly isInput: boolean;
  /** Of the code of the test itself. */
  readonly isTest: boolean;
}

/** Rows of `run` that the other run executes too, in order. Linear. */
export function alignRuns(run: ObservedRun, other: ObservedRun): AlignedRow[] {
  const index: Index = {
    statements: new Map(),
    points: new Map(),
    names: new Map(),
    tests: [run.test, other.test],
  };
  const mine = nameRows(run.rows, functionsOf(other.rows), index);
  const theirs = nameRows(other.rows, functionsOf(run.rows), index);
  const sequences = new Int32Array(index.names.size + 1).fill(-1);
  for (let sequence = 0; sequence < other.rows.length; sequence += 1) sequences[theirs.names[sequence] ?? 0] = sequence;
  const aligned: AlignedRow[] = [];
  for (const { sequence, frame } of run.rows) {
    const otherSequence = sequences[mine.names[sequence] ?? 0] ?? -1;
    if (otherSequence < 0) continue;
    const isTest = mine.outside.has(frame) || theirs.outside.has(other.rows[otherSequence]?.frame ?? -1);
    aligned.push({ sequence, otherSequence, isInput: mine.inputs.has(sequence), isTest });
  }
  return aligned;
}

/** Numbers for what both runs share; a name is from 1, 0 is what called the functions that no observed row called. */
interface Index {
  readonly statements: Map<string, number>;
  /** A statement under a name. */
  readonly points: Map<number, number>;
  /** A point for the nth time. */
  readonly names: Map<number, number>;
  readonly tests: readonly TestId[];
}

interface NamedRows {
  readonly names: Int32Array;
  readonly inputs: ReadonlySet<number>;
  /** Frames of test code: of the test's file, or of functions that this run alone executes, called by nothing but such. */
  readonly outside: ReadonlySet<number>;
}

const root = 0;
const roles = ['entry', 'statement', 'branch', 'return'];
/** Two numbers below 2^26 make one that is exact. */
const pair = (high: number, low: number) => high * 2 ** 26 + low;

function nameRows(rows: readonly DefUseRow[], shared: ReadonlySet<string>, index: Index): NamedRows {
  const names = new Int32Array(rows.length);
  const inputs = new Set<number>();
  const counts: number[] = [];
  const entries = new Map<number, number>();
  const outside = new Set<number>();
  const scopes = new Set(index.tests.map(classOfTest));
  for (const row of rows) {
    const { sequence, frame, caller } = row;
    const entry = entries.get(frame);
    let parent = row.control_parent ?? entry ?? -1;
    if (entry === undefined) {
      entries.set(frame, sequence);
      const called = caller === undefined ? undefined : rows[caller];
      parent = called === undefined || outside.has(called.frame) ? -1 : called.sequence;
      const isUncalled = called === undefined;
      if (isTestCode(row, index.tests, { isUncalled, scopes }) || (parent < 0 && !shared.has(functionOf(row))))
        outside.add(frame);
      else if (parent < 0 && row.role === 'entry') inputs.add(sequence);
    }
    const statement = roles.length * intern(index.statements, row.location) + roles.indexOf(row.role);
    const point = intern(index.points, pair(parent < 0 ? root : (names[parent] ?? root), statement));
    const count = counts[point] ?? 0;
    counts[point] = count + 1;
    names[sequence] = 1 + intern(index.names, pair(point, count));
  }
  return { names, inputs, outside };
}

interface TestScopes {
  readonly isUncalled: boolean;
  /** Qualified names, in the tests' files: the tests' classes and what nothing observed called. */
  readonly scopes: Set<string | undefined>;
}

/** Whether the frame that `row` opens is of the test's file, and nothing observed called it, or it belongs to such a function or to the test's class. */
function isTestCode(row: DefUseRow, tests: readonly TestId[], { isUncalled, scopes }: TestScopes): boolean {
  if (!tests.some((test) => `/${parseLoc(row.location).file}`.endsWith(`/${fileOfTest(test)}`))) return false;
  const isWithin = row.function.split('.').some((_, at, parts) => scopes.has(parts.slice(0, at + 1).join('.')));
  if (isUncalled) scopes.add(row.function);
  return isUncalled || isWithin;
}

function intern<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

/** Functions of the frames, by the row that opens each. */
function functionsOf(rows: readonly DefUseRow[]): Set<string> {
  const frames = new Set<number>();
  const functions = new Set<string>();
  for (const row of rows) {
    if (frames.has(row.frame)) continue;
    frames.add(row.frame);
    functions.add(functionOf(row));
  }
  return functions;
}

function functionOf(row: DefUseRow): string {
  return `${parseLoc(row.location).file}::${row.function}`;
}
