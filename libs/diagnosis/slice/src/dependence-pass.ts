// What one pass over the rows knows as it goes: frames, rows under way, and who touched what. Numbers in columns; -1 is none.
import type { DefUseLog } from '@h/contracts/def-use-log';
import { createBinder, type NameBinder } from './bind-names.ts';
import { createGraph, type DependenceGraph } from './dependence-graph.ts';
import { enlarge } from './pair-table.ts';
import { readStatements, type StatementPlan, type Statements } from './read-statements.ts';
import { createTracker, type ObjectTracker } from './track-objects.ts';
import { createValueTable, type ValueTable } from './value-table.ts';

export interface Pass {
  readonly log: DefUseLog;
  readonly statements: Statements;
  readonly values: ValueTable;
  readonly graph: DependenceGraph;
  readonly tracker: ObjectTracker;
  readonly binder: NameBinder;
  readonly frames: Frames;
  readonly stack: RowStack;
  /** Where a frame was entered or resumed by an unknown row, oldest first. */
  readonly visits: Visit[];
  /** Objects behind names that no row bound, by the name in its file. */
  readonly unbound: Int32Array;
}

/** Columns by frame. */
export interface Frames {
  readonly entry: Int32Array;
  /** Slot of its first variable. */
  readonly base: Int32Array;
  /** Row under way in the calling frame. */
  readonly caller: Int32Array;
  readonly last: Int32Array;
  readonly lastIncomplete: Int32Array;
  readonly lastBranch: Int32Array;
  /** Node of what it gives to the statement that runs it now; what that is shows later. */
  readonly gift: Int32Array;
  /** Node of the rows that may have yielded since that statement runs it. */
  readonly yielded: Int32Array;
  /** The row that runs it now, as far as known. */
  readonly runner: Int32Array;
  /** Sum of the marks below. */
  readonly marks: Uint8Array;
  /** By function: 1 where a frame of it was entered. */
  readonly opened: Uint8Array;
}

/** A `return` of it ran; it returned something else than nothing: no generator, unless it was resumed or a row says that it yields. */
export const [hasReturned, hasResult, wasResumed, hasYielded] = [1, 2, 4, 8];

export interface Visit {
  readonly row: number;
  readonly frame: number;
  /** The innermost row under way then; -1: none. */
  readonly under: number;
  readonly gift: number;
}

/** Rows that have begun and are not known to have ended, innermost last: columns by height. */
export interface RowStack {
  height: number;
  row: Int32Array;
  frame: Int32Array;
  /** Place of its cells in the heap. */
  cells: Int32Array;
  /** Its first read. */
  reads: Int32Array;
  /** Node of what the functions it called have returned so far. */
  results: Int32Array;
  /** 1: it called; 2: its writes are applied. */
  marks: Int32Array;
  /** Objects that the functions it called handed back, eight at most; of more the last stands for the rest, which it is joined with. */
  received: Int32Array;
  receivedCount: Int32Array;
  /** What the rows under way read, by place: the variable in its frame, the object, and node of what had changed that as the row began. */
  readCount: number;
  readLocal: Int32Array;
  readObject: Int32Array;
  readBefore: Int32Array;
}

export const [hasCalled, isApplied] = [1, 2];
export const mostReceived = 8;

export function createPass(log: DefUseLog): Pass {
  const statements = readStatements(log);
  const values = createValueTable(log.values, statements.slots);
  const graph = createGraph(log.size);
  const binder = createBinder(graph, statements, values);
  return {
    log,
    statements,
    values,
    graph,
    tracker: createTracker(graph),
    binder,
    frames: createFrames(statements.functionOfFrame.length, statements.around.length),
    stack: createStack(),
    visits: [],
    unbound: new Int32Array(statements.names).fill(-1),
  };
}

function createFrames(count: number, functions: number): Frames {
  const column = () => new Int32Array(count).fill(-1);
  return {
    entry: column(),
    base: column(),
    caller: column(),
    last: column(),
    lastIncomplete: column(),
    lastBranch: column(),
    gift: column(),
    yielded: column(),
    runner: column(),
    marks: new Uint8Array(count),
    opened: new Uint8Array(functions),
  };
}

function createStack(): RowStack {
  const column = () => new Int32Array(64);
  return {
    height: 0,
    row: column(),
    frame: column(),
    cells: column(),
    reads: column(),
    results: column(),
    marks: column(),
    received: new Int32Array(64 * mostReceived),
    receivedCount: column(),
    readCount: 0,
    readLocal: column(),
    readObject: column(),
    readBefore: column(),
  };
}

/** Puts a row on top; gives back its height. */
export function pushRow(stack: RowStack, row: number, frame: number, cells: number): number {
  const at = stack.height;
  if (at === stack.row.length) {
    for (const name of ['row', 'frame', 'cells', 'reads', 'results', 'marks', 'received', 'receivedCount'] as const)
      stack[name] = enlarge(stack[name]);
  }
  stack.row[at] = row;
  stack.frame[at] = frame;
  stack.cells[at] = cells;
  stack.reads[at] = stack.readCount;
  stack.results[at] = -1;
  stack.marks[at] = 0;
  stack.receivedCount[at] = 0;
  stack.height = at + 1;
  return at;
}

/** Height at which a row is under way; -1: it is not. Rows lie in the order they began. */
export function heightOf({ row, height }: RowStack, wanted: number): number {
  let [low, high] = [0, height - 1];
  if (wanted < 0 || high < 0 || wanted > (row[high] as number)) return -1;
  if (row[high] === wanted) return high;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = row[middle] as number;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

export function addRead(stack: RowStack, local: number, object: number, before: number): void {
  const at = stack.readCount;
  if (at === stack.readLocal.length) {
    for (const name of ['readLocal', 'readObject', 'readBefore'] as const) stack[name] = enlarge(stack[name]);
  }
  stack.readLocal[at] = local;
  stack.readObject[at] = object;
  stack.readBefore[at] = before;
  stack.readCount = at + 1;
}

/** One past the last read of the row at that height. */
export function endOfReads({ height, reads, readCount }: RowStack, at: number): number {
  return at + 1 < height ? (reads[at + 1] as number) : readCount;
}

/** The object a row under way reached through the variable; -1: none. */
export function objectRead(stack: RowStack, at: number, local: number): number {
  const end = endOfReads(stack, at);
  for (let read = stack.reads[at] as number; read < end; read += 1)
    if (stack.readLocal[read] === local) return stack.readObject[read] as number;
  return -1;
}

export function planOf({ statements }: Pass, row: number): StatementPlan {
  return statements.plans[statements.statement[row] as number] as StatementPlan;
}

/** Value number of a name of the row at that height once it was over. */
export function afterOf({ log, stack }: Pass, at: number, plan: StatementPlan, name: number): number {
  return log.heap[(stack.cells[at] as number) + plan.leading + 2 * name + 1] as number;
}
