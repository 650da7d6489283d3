// Potential dependences (Gyimóthy, Beszédes and Forgács 1999): a decision that might have gone another way, and then written what is used.
import type { DefUseLog } from '@h/contracts/def-use-log';
import { control, resultOf, type Walk } from './dependence-graph.ts';
import { createPairTable } from './pair-table.ts';
import type { StatementPlan, Statements } from './read-statements.ts';

/**
 * Adds decisions that are in no dependence chain, because what they decided was *not* to run: a branch of a function that contributes to the slice,
 * before the last statement that does, whose other way writes a name that a sliced statement of that call reads, or leaves the function.
 *
 * What the other way writes is learnt from the run itself; a way it never took may write anything. Of a statement that a handler guards, also the
 * decisions of the functions it called: had one gone another way, the handler might have run. The same holds for `endured` rows, which were meant to
 * be cut short and were not. Linear in rows and names.
 */
export function followOmissions(
  walk: Walk,
  log: DefUseLog,
  statements: Statements,
  reached: Int32Array,
  endured: readonly number[] = [],
): void {
  const ways = learnWays(log, statements);
  const branches = listRows(log, statements, ({ role }) => role === 'branch');
  const guarded = listRows(log, statements, (plan) => plan.guarded === true);
  const calls = guarded.count + endured.length === 0 ? undefined : listCalls(log, statements);
  const uses = createNameUses();
  let added: number[] = [];
  /** Of each one added: how far away the row is that makes it count, and one more. Rows come nearest first. */
  let levels: number[] = [];
  const addCalled = (call: number): void => {
    for (const inner of calls?.within(call) ?? [])
      for (const branch of branches.of(inner)) if (ways.isOpen(ways.ofRow[branch] as number)) added.push(branch);
  };
  for (let fresh = reached; fresh.length > 0; fresh = walk.follow(added.map(resultOf), control, levels)) {
    added = [];
    levels = [];
    if (fresh === reached) for (const row of endured) addCalled(row);
    while (levels.length < added.length) levels.push(1);
    for (const row of fresh) {
      const plan = planAt(statements, row);
      if (plan.role === 'entry') continue;
      const frame = statements.frames[row] as number;
      for (let at = 0; at < plan.reads.length; at += 1) uses.read(frame, nameAt(statements, plan, at), added);
      for (let branch = branches.nextBefore(frame, row); branch >= 0; branch = branches.nextBefore(frame, row)) {
        const way = ways.ofRow[branch] as number;
        if (ways.isOpen(way) || uses.wants(frame, ways.otherNames(way), branch)) added.push(branch);
      }
      for (let call = guarded.nextBefore(frame, row); call >= 0; call = guarded.nextBefore(frame, row)) addCalled(call);
      while (levels.length < added.length) levels.push((walk.depths[row] as number) + 1);
    }
  }
}

function planAt({ plans, statement }: Statements, row: number): StatementPlan {
  return plans[statement[row] as number] as StatementPlan;
}

/** Number of the first name of a read, the same in every function of the file. */
function nameAt({ variables, firstVariable }: Statements, plan: StatementPlan, at: number): number {
  return variableName({ variables, firstVariable }, plan, plan.reads[at]?.local ?? 0);
}

function variableName(
  { variables, firstVariable }: Pick<Statements, 'variables' | 'firstVariable'>,
  plan: StatementPlan,
  local: number,
): number {
  return variables[(firstVariable[plan.function] as number) + local]?.name ?? 0;
}

interface Ways {
  /** Way taken, by row of a branch. */
  readonly ofRow: Int32Array;
  /** Whether some other way at that statement may write anything: it was never taken, leaves the function, or decides further. */
  isOpen(way: number): boolean;
  /** Names that the other ways at that statement write. */
  otherNames(way: number): readonly number[];
}

/** What ran under one decision at one statement. */
interface Way {
  readonly location: number;
  readonly names: Set<number>;
  /** It left the function, or decided further. */
  leaves: boolean;
  others?: { readonly isOpen: boolean; readonly names: readonly number[] };
}

/** Per statement and decision what ran under it. */
function learnWays(log: DefUseLog, statements: Statements): Ways {
  const ofRow = new Int32Array(log.size);
  const pairs = createPairTable();
  const ways: Way[] = [];
  const known = createPairTable();
  let seen = 0;
  let cells = 0;
  for (let row = 0; row < log.size; row += 1) {
    const plan = planAt(statements, row);
    if (plan.role === 'branch') {
      const way = pairs.add(plan.location, log.heap[cells] as number);
      if (way === ways.length) ways.push({ location: plan.location, names: new Set(), leaves: false });
      ofRow[row] = way;
    }
    cells += plan.cells;
    const parent = (log.control_parent[row] as number) - 1;
    if (parent < 0 || parent >= row || planAt(statements, parent).role !== 'branch') continue;
    const decided = ofRow[parent] as number;
    const way = ways[decided] as Way;
    if (plan.role !== 'statement' || log.exception[row] === 1) way.leaves = true;
    if (known.add(decided, statements.statement[row] as number) < seen) continue;
    seen += 1;
    for (const { local } of [...plan.defs, ...plan.mays]) way.names.add(variableName(statements, plan, local));
  }
  const byLocation = new Map<number, Way[]>();
  for (const way of ways) byLocation.set(way.location, [...(byLocation.get(way.location) ?? []), way]);
  const othersOf = (at: number) => {
    const way = ways[at] as Way;
    way.others ??= describeOthers((byLocation.get(way.location) ?? []).filter((other) => other !== way));
    return way.others;
  };
  return { ofRow, isOpen: (way) => othersOf(way).isOpen, otherNames: (way) => othersOf(way).names };
}

function describeOthers(others: readonly Way[]) {
  return {
    isOpen: others.length === 0 || others.some(({ leaves }) => leaves),
    names: [...new Set(others.flatMap(({ names }) => [...names]))],
  };
}

/** Rows of a kind by frame, oldest first, each looked at once. */
function listRows({ size }: DefUseLog, statements: Statements, isWanted: (plan: StatementPlan) => boolean) {
  const { frames, functionOfFrame, plans, statement } = statements;
  const wanted = Uint8Array.from(plans, (plan) => Number(isWanted(plan)));
  const starts = new Int32Array(functionOfFrame.length + 1);
  for (let row = 0; row < size; row += 1) {
    const after = (frames[row] as number) + 1;
    if (wanted[statement[row] as number] === 1) starts[after] = 1 + (starts[after] as number);
  }
  for (let frame = 0; frame < functionOfFrame.length; frame += 1)
    starts[frame + 1] = (starts[frame + 1] as number) + (starts[frame] as number);
  const rows = new Int32Array(starts[functionOfFrame.length] as number);
  const passed = starts.slice();
  for (let row = 0; row < size; row += 1) {
    if (wanted[statement[row] as number] !== 1) continue;
    const frame = frames[row] as number;
    rows[passed[frame] as number] = row;
    passed[frame] = 1 + (passed[frame] as number);
  }
  passed.set(starts);
  return {
    count: rows.length,
    of: (frame: number) => rows.subarray(starts[frame], starts[frame + 1]),
    /** The next one of the frame before that row; -1: none is left. */
    nextBefore(frame: number, row: number): number {
      const at = passed[frame] as number;
      if (at >= (starts[frame + 1] as number) || (rows[at] as number) >= row) return -1;
      passed[frame] = at + 1;
      return rows[at] as number;
    },
  };
}

/** Frames that a row called, and those that they called in turn, each once. */
function listCalls(log: DefUseLog, statements: Statements) {
  const byRow = new Map<number, number[]>();
  const byFrame = new Map<number, number[]>();
  let cells = 0;
  for (let row = 0; row < log.size; row += 1) {
    const plan = planAt(statements, row);
    const caller = plan.role === 'entry' ? (log.heap[cells] as number) - 1 : -1;
    cells += plan.cells;
    if (caller < 0 || caller >= row) continue;
    const [frame, calling] = [statements.frames[row] as number, statements.frames[caller] as number];
    append(byRow, caller, frame);
    append(byFrame, calling, frame);
  }
  const seen = new Set<number>();
  return {
    within(row: number): number[] {
      const found = (byRow.get(row) ?? []).filter((frame) => !seen.has(frame));
      for (let at = 0; at < found.length; at += 1) {
        seen.add(found[at] as number);
        for (const inner of byFrame.get(found[at] as number) ?? []) if (!seen.has(inner)) found.push(inner);
      }
      return found;
    },
  };
}

function append(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Names that sliced statements of a frame read, and branches that wait for one to be read. */
function createNameUses() {
  const pairs = createPairTable();
  const isRead: boolean[] = [];
  const waiting: (number[] | undefined)[] = [];
  return {
    /** Appends the branches that waited for the name. */
    read(frame: number, name: number, added: number[]): void {
      const pair = pairs.add(frame, name);
      if (isRead[pair] === true) return;
      isRead[pair] = true;
      added.push(...(waiting[pair] ?? []));
      waiting[pair] = undefined;
    },
    /** Whether one of the names is read; else the branch waits for each. */
    wants(frame: number, names: readonly number[], branch: number): boolean {
      if (names.some((name) => isRead[pairs.add(frame, name)] === true)) return true;
      for (const name of names) {
        const pair = pairs.add(frame, name);
        const others = waiting[pair] ?? [];
        others.push(branch);
        waiting[pair] = others;
      }
      return false;
    },
  };
}
