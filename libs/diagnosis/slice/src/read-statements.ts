// The statements of a log as numbers, once per log: functions, variables, slots, and the paths each statement writes and reads.
import type { DefUseRow } from '@h/contracts';
import { type DefUseLog, type LoggedStatement, leadingCells, namesOf } from '@h/contracts/def-use-log';
import { parseLoc } from '@h/contracts/parse-loc';
import { isPath, splitPath } from './read-values.ts';

/** A name or access path of a statement. */
export interface NamePath {
  /** Place of its first name among the names of the statement. */
  readonly name: number;
  /** The variable behind its first name: place in the frames of the function. */
  readonly local: number;
  readonly isName: boolean;
  /** Some slot of it is computed. */
  readonly isComputed: boolean;
  /** Number of its slots; 0: the whole, for a name and where one is computed. */
  readonly slot: number;
  /** Numbers of the slots on the way to it. */
  readonly outer: readonly number[];
}

export interface StatementPlan {
  readonly role: DefUseRow['role'];
  readonly function: number;
  /** Statements of one place share it. */
  readonly location: number;
  readonly yields: boolean | undefined;
  readonly guarded: boolean | undefined;
  /** What it reads as it begins: what it uses, then what it may change. */
  readonly reads: readonly NamePath[];
  readonly uses: number;
  readonly mays: readonly NamePath[];
  readonly defs: readonly NamePath[];
  /** Those of them that are no names. */
  readonly slotsSet: readonly NamePath[];
  /** Names it binds: places among its names. */
  readonly bound: readonly number[];
  /** Per read: the name may stand here only because one of its slots is read. */
  readonly mayOnlyHold: readonly boolean[];
  /** Cells before those of its names, and all. */
  readonly leading: number;
  readonly cells: number;
}

/** A variable of a function. */
export interface Variable {
  readonly function: number;
  /** The name in that file: functions of a file share the number. */
  readonly name: number;
  /** Variables of that name of functions inside this one that bind it. */
  readonly inner: readonly number[];
  /** And of functions around this one. */
  readonly outer: readonly number[];
  /** Variables of that name in the file that some statement binds, this one too. */
  readonly bound: readonly number[];
}

export interface Statements {
  readonly plans: readonly StatementPlan[];
  /** Statement of each row: a row in a frame of another function than its own is a statement of that function. */
  readonly statement: Uint32Array;
  /** Per statement: 1 for an entry. */
  readonly isEntry: Uint8Array;
  /** Per function: its first variable and the one after the last. */
  readonly firstVariable: Int32Array;
  readonly variables: readonly Variable[];
  readonly names: number;
  readonly slots: readonly (readonly string[])[];
  /** Frames in the order they open, and the frame of each row. */
  readonly frames: Uint32Array;
  readonly functionOfFrame: readonly number[];
  /** Per function those around it in the same file, its module not among them. */
  readonly around: readonly (readonly number[])[];
  /** Per function whether it has no name and stands in another function. */
  readonly isCallback: readonly boolean[];
}

export function readStatements(log: DefUseLog): Statements {
  const functions = internFunctions();
  const owners = log.statements.map((statement) =>
    functions.number(parseLoc(statement.location).file, statement.function),
  );
  const { frames, functionOfFrame } = openFrames(log, owners);
  const { statements, owner, statement } = placeStatements(log, owners, frames, functionOfFrame);
  const names = internNames();
  const slots = internSlots();
  const locals = functions.all.map(() => new Map<string, number>());
  const locations = new Map<string, number>();
  const plans = statements.map((each, at) => {
    const local = (name: string) => numberIn(locals[owner[at] ?? 0] ?? new Map(), name);
    const place = { function: owner[at] ?? 0, location: numberIn(locations, each.location) };
    return planOf(each, place, local, slots.number);
  });
  const firstVariable = new Int32Array(locals.length + 1);
  for (const [at, { size }] of locals.entries()) firstVariable[at + 1] = (firstVariable[at] ?? 0) + size;
  const variables = describeVariables({ locals, plans, firstVariable, names, functions: functions.all });
  return {
    plans,
    statement,
    isEntry: Uint8Array.from(plans, ({ role }) => Number(role === 'entry')),
    firstVariable,
    variables,
    names: names.size(),
    slots: slots.all,
    frames,
    functionOfFrame,
    around: listAround(functions.all),
    isCallback: functions.all.map(({ name }) => /\.<\w+>$/.test(name)),
  };
}

function listAround(functions: readonly FunctionName[]): number[][] {
  const numbers = new Map(functions.map(({ file, name }, number) => [`${file}\n${name}`, number]));
  return functions.map(({ file, name }) => {
    const found: number[] = [];
    for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
      const outer = numbers.get(`${file}\n${name.slice(0, end)}`);
      if (outer !== undefined) found.push(outer);
    }
    return found;
  });
}

interface FunctionName {
  readonly file: string;
  readonly name: string;
}

function internFunctions() {
  const numbers = new Map<string, number>();
  const all: FunctionName[] = [];
  const number = (file: string, name: string): number => {
    const found = numberIn(numbers, `${file}\n${name}`);
    if (found === all.length) all.push({ file, name });
    return found;
  };
  return { all, number };
}

function internNames() {
  const numbers = new Map<string, number>();
  return { number: (file: string, name: string) => numberIn(numbers, `${file}\n${name}`), size: () => numbers.size };
}

/** Number 0 is the whole. */
function internSlots() {
  const numbers = new Map([['', 0]]);
  const all: (readonly string[])[] = [[]];
  const number = (path: readonly string[]): number => {
    const found = numberIn(numbers, path.join('.'));
    if (found === all.length) all.push([...path]);
    return found;
  };
  return { all, number };
}

function numberIn(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key) ?? numbers.size;
  if (known === numbers.size) numbers.set(key, known);
  return known;
}

function isWithin(inner: FunctionName | undefined, outer: FunctionName | undefined): boolean {
  if (inner === undefined || outer === undefined || inner.file !== outer.file || inner.name === outer.name)
    return false;
  return outer.name === '' || inner.name.startsWith(`${outer.name}.`);
}

/** Frames as numbers in the order they open, which they mostly are already; a frame is of the function of its first row. */
function openFrames({ size, frame, statement }: DefUseLog, owners: readonly number[]) {
  const functionOfFrame: number[] = [];
  let row = 0;
  for (; row < size && (frame[row] as number) <= functionOfFrame.length; row += 1)
    if (frame[row] === functionOfFrame.length) functionOfFrame.push(owners[statement[row] as number] as number);
  if (row === size) return { frames: frame, functionOfFrame };
  const numbers = new Map(functionOfFrame.map((_, number) => [number, number]));
  const frames = frame.slice();
  for (; row < size; row += 1) {
    const name = frame[row] as number;
    const known = numbers.get(name);
    frames[row] = known ?? functionOfFrame.push(owners[statement[row] as number] as number) - 1;
    if (known === undefined) numbers.set(name, frames[row] as number);
  }
  return { frames, functionOfFrame };
}

/** A row that stands in a frame of another function than its own counts as one more statement, of that function. */
function placeStatements(
  log: DefUseLog,
  owners: readonly number[],
  frames: Uint32Array,
  functionOfFrame: readonly number[],
) {
  const statements: LoggedStatement[] = [...log.statements];
  const owner = [...owners];
  let statement = log.statement;
  const moved = new Map<string, number>();
  for (let row = 0; row < log.size; row += 1) {
    const own = log.statement[row] as number;
    const actual = functionOfFrame[frames[row] as number] as number;
    if (owners[own] === actual) continue;
    if (statement === log.statement) statement = log.statement.slice();
    const place = moved.get(`${own} ${actual}`) ?? statements.length;
    if (place === statements.length) {
      moved.set(`${own} ${actual}`, place);
      statements.push(log.statements[own] as LoggedStatement);
      owner.push(actual);
    }
    statement[row] = place;
  }
  return { statements, owner, statement };
}

function planOf(
  statement: LoggedStatement,
  place: { readonly function: number; readonly location: number },
  local: (name: string) => number,
  slot: (path: readonly string[]) => number,
): StatementPlan {
  const names = namesOf(statement);
  const pathOf = (path: string): NamePath => {
    const { base, slots } = splitPath(path);
    return {
      name: names.indexOf(base),
      local: local(base),
      isName: slots?.length === 0,
      isComputed: slots === undefined,
      slot: slot(slots ?? []),
      outer: (slots ?? []).slice(1).map((_, depth) => slot((slots ?? []).slice(0, depth + 1))),
    };
  };
  const { uses, may_defs, defs } = statement;
  const read = [...uses, ...may_defs.filter((path) => !uses.includes(path))];
  const leading = leadingCells(statement);
  return {
    role: statement.role,
    ...place,
    yields: statement.yields,
    guarded: statement.guarded,
    reads: read.map(pathOf),
    uses: uses.length,
    mays: may_defs.map(pathOf),
    defs: defs.map(pathOf),
    slotsSet: defs.map(pathOf).filter(({ isName }) => !isName),
    bound: defs.filter((path) => !isPath(path)).map((name) => names.indexOf(name)),
    mayOnlyHold: read.map((path) => mayOnlyHold(statement, path)),
    leading,
    cells: leading + 2 * names.length,
  };
}

/** `self` in `x = self.total`, which the row says to read, too. */
function mayOnlyHold({ uses, may_defs }: LoggedStatement, path: string): boolean {
  if (isPath(path) || may_defs.includes(path)) return false;
  return uses.some((other) => isPath(other) && splitPath(other).base === path);
}

interface Described {
  readonly locals: readonly ReadonlyMap<string, number>[];
  readonly plans: readonly StatementPlan[];
  readonly firstVariable: Int32Array;
  readonly names: ReturnType<typeof internNames>;
  readonly functions: readonly FunctionName[];
}

function describeVariables({ locals, plans, firstVariable, names, functions }: Described): Variable[] {
  const binds = new Set<number>();
  for (const plan of plans)
    for (const { isName, local } of plan.defs) if (isName) binds.add((firstVariable[plan.function] ?? 0) + local);
  const sharing = new Map<number, number[]>();
  const described = locals.flatMap((ofFunction, owner) =>
    [...ofFunction].map(([text, local]) => {
      const name = names.number(functions[owner]?.file ?? '', text);
      const bound = sharing.get(name) ?? [];
      sharing.set(name, bound);
      const variable = (firstVariable[owner] ?? 0) + local;
      if (binds.has(variable)) bound.push(variable);
      return { function: owner, name, bound };
    }),
  );
  const ownerOf = (variable: number) => functions[described[variable]?.function ?? 0];
  return described.map((variable) => {
    const here = functions[variable.function];
    return {
      ...variable,
      inner: variable.bound.filter((other) => isWithin(ownerOf(other), here)),
      outer: variable.bound.filter((other) => isWithin(here, ownerOf(other))),
    };
  });
}
