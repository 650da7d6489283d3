// Tiny generated programs with an exact interpreter: it records a run as the agents would, and replays it with every statement outside a
// slice doing something wrong. What the slice is asked for must come out the same.
import type { DefUseRow, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import * as fc from 'fast-check';
import { shaOf } from './build-run.ts';

export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'add' | 'multiply'; left: Expression; right: Expression }
  | { kind: 'length'; list: string }
  | { kind: 'item'; list: string; index: Expression }
  | { kind: 'slot'; object: string; slot: string };

export type Statement =
  | { kind: 'assign'; name: string; value: Expression }
  | { kind: 'append'; list: string; value: Expression }
  | { kind: 'set_item'; list: string; value: Expression }
  | { kind: 'set_slot'; object: string; slot: string; value: Expression }
  | { kind: 'new_list' | 'new_object'; name: string }
  | { kind: 'alias'; name: string; of: string }
  | { kind: 'store_list'; object: string; list: string }
  | { kind: 'load_list'; object: string; list: string }
  | { kind: 'if'; test: Expression; yes: Statement[]; otherwise: Statement[] }
  | { kind: 'while'; counter: string; limit: Expression; body: Statement[] }
  | {
      kind: 'call';
      name: string;
      number: Expression;
      list: string;
      object: string;
      plus?: { object: string; slot: string };
    }
  | { kind: 'return'; value: Expression };

/** Function f (n, p, o), called by the main program, which ends by returning `a` plus whatever `result` says. */
export interface TinyProgram {
  readonly main: readonly Statement[];
  readonly callee: readonly Statement[];
  readonly result: Expression;
}

const numbers = ['a', 'b', 'c'];
const lists = ['p', 'q'];
const objects = ['o', 'u'];
const numberName = fc.constantFrom(...numbers);
const listName = fc.constantFrom(...lists);
const objectName = fc.constantFrom(...objects);
const slotName = fc.constantFrom('x', 'y');
const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.record({ kind: fc.constant('number' as const), value: fc.integer({ min: -3, max: 9 }) }),
  fc.record({ kind: fc.constant('name' as const), name: numberName }),
  fc.record({ kind: fc.constant('length' as const), list: listName }),
  fc.record({ kind: fc.constant('slot' as const), object: objectName, slot: slotName }),
);
const expression: fc.Arbitrary<Expression> = fc.oneof(
  leaf,
  fc.record({ kind: fc.constantFrom('add' as const, 'multiply' as const), left: leaf, right: leaf }),
  fc.record({ kind: fc.constant('item' as const), list: listName, index: leaf }),
);
const simple: fc.Arbitrary<Statement> = fc.oneof(
  fc.record({ kind: fc.constant('assign' as const), name: numberName, value: expression }),
  fc.record({ kind: fc.constant('append' as const), list: listName, value: expression }),
  fc.record({ kind: fc.constant('set_item' as const), list: listName, value: expression }),
  fc.record({ kind: fc.constant('set_slot' as const), object: objectName, slot: slotName, value: expression }),
  fc.record({ kind: fc.constant('new_list' as const), name: listName }),
  fc.record({ kind: fc.constant('new_object' as const), name: objectName }),
  fc.oneof(
    fc.record({ kind: fc.constant('alias' as const), name: listName, of: listName }),
    fc.record({ kind: fc.constant('alias' as const), name: objectName, of: objectName }),
  ),
  fc.record({ kind: fc.constant('store_list' as const), object: objectName, list: listName }),
  fc.record({ kind: fc.constant('load_list' as const), object: objectName, list: listName }),
);
const nested = (depth: number, call: boolean): fc.Arbitrary<Statement> => {
  if (depth === 0) return simple;
  const inner = fc.array(nested(depth - 1, call), { maxLength: 4 });
  const compound: fc.Arbitrary<Statement>[] = [
    fc.record({ kind: fc.constant('if' as const), test: expression, yes: inner, otherwise: inner }),
    fc.record({
      kind: fc.constant('while' as const),
      counter: fc.constantFrom('i', 'j'),
      limit: leaf,
      body: inner,
    }),
  ];
  const calls = fc.record(
    {
      kind: fc.constant('call' as const),
      name: numberName,
      number: leaf,
      list: listName,
      object: objectName,
      plus: fc.record({ object: objectName, slot: slotName }),
    },
    { requiredKeys: ['kind', 'name', 'number', 'list', 'object'] },
  );
  return fc.oneof({ weight: 4, arbitrary: simple }, ...compound, ...(call ? [calls] : []));
};

export const tinyPrograms: fc.Arbitrary<TinyProgram> = fc.record({
  main: fc.array(nested(2, true), { minLength: 4, maxLength: 14 }),
  callee: fc
    .tuple(fc.array(nested(1, false), { maxLength: 6 }), leaf)
    .map(([body, value]): Statement[] => [...body, { kind: 'return', value }]),
  result: expression,
});

interface List {
  readonly ref: number;
  readonly items: number[];
}
interface Thing {
  readonly ref: number;
  readonly slots: { x: number; y: number; list?: List };
}
type Value = number | List | Thing;
type Names = Map<string, Value>;

export interface RunOptions {
  /** Rows that run as written; all others write nonsense. Branches go the way they went. */
  readonly only?: { readonly slice: ReadonlySet<number>; readonly branches: readonly (string | undefined)[] };
  /** The row whose written number is one more than it should be; the rest runs as written. */
  readonly disturb?: number;
  readonly values?: boolean;
  readonly refs?: boolean;
}

export interface TinyRun {
  readonly run: ObservedRun;
  readonly result: number;
  readonly root: number;
  readonly branches: readonly (string | undefined)[];
  /** Sliced branches that would have gone another way. */
  readonly wrongBranches: number;
}

const nonsense = 777;
const fuel = 400;

export function runTiny(program: TinyProgram, options: RunOptions = {}): TinyRun {
  return new Interpreter(program, options).run();
}

interface Place {
  readonly frame: number;
  readonly fn: string;
  readonly names: Names;
  parent: number;
}

class Interpreter {
  readonly rows: DefUseRow[] = [];
  readonly events: RawEvent[] = [];
  readonly branches: (string | undefined)[] = [];
  readonly lines = new Map<unknown, number>();
  readonly program: TinyProgram;
  readonly options: RunOptions;
  frames = 0;
  refs = 0;
  wrongBranches = 0;

  constructor(program: TinyProgram, options: RunOptions) {
    this.program = program;
    this.options = options;
  }

  run(): TinyRun {
    const names: Names = new Map();
    const place: Place = { frame: this.frames++, fn: 'main', names, parent: 0 };
    const entry = this.begin(place, this.program, { role: 'entry' });
    place.parent = entry;
    for (const name of numbers) this.seed(place, name, 0);
    for (const name of lists) this.seed(place, name, this.newList());
    for (const name of objects) this.seed(place, name, this.newThing());
    this.block(place, this.program.main);
    const uses = usesOf(this.program.result);
    const root = this.begin(place, this.program.result, { role: 'return', uses });
    const result = this.number(place, this.program.result);
    this.end(place, root, { returned: result });
    const run: ObservedRun = {
      execution_id: shaOf('tiny'),
      test: 'tiny',
      outcome: 'failed',
      events: this.events,
      rows: this.rows,
      truncated: false,
      notes: [],
    };
    return { run, result, root, branches: this.branches, wrongBranches: this.wrongBranches };
  }

  seed(place: Place, name: string, value: Value): void {
    const row = this.begin(place, name, { defs: [name] });
    place.names.set(name, this.written(row, value));
    this.end(place, row, {});
  }

  newList(...items: number[]): List {
    return { ref: this.refs++, items };
  }

  newThing(x = 0, y = 0): Thing {
    return { ref: this.refs++, slots: { x, y } };
  }

  /** The value, or nonsense of its kind where the row is not to run as written. */
  written(row: number, value: Value): Value {
    if (this.isSliced(row)) return typeof value === 'number' && this.options.disturb === row ? value + 1 : value;
    if (typeof value === 'number') return nonsense + row;
    return 'items' in value ? this.newList(nonsense) : this.newThing(nonsense, nonsense);
  }

  isSliced(row: number): boolean {
    return this.options.only?.slice.has(row) ?? true;
  }

  block(place: Place, statements: readonly Statement[]): number | undefined {
    for (const statement of statements) {
      if (this.rows.length > fuel) return undefined;
      const returned = this.step(place, statement);
      if (returned !== undefined) return returned;
    }
    return undefined;
  }

  step(place: Place, statement: Statement): number | undefined {
    switch (statement.kind) {
      case 'if': {
        const decided = this.decide(
          place,
          statement,
          usesOf(statement.test),
          () => this.number(place, statement.test) > 0,
        );
        const outer = place.parent;
        place.parent = decided.row;
        const returned = this.block(place, decided.way ? statement.yes : statement.otherwise);
        place.parent = outer;
        return returned;
      }
      case 'while':
        return this.loop(place, statement);
      case 'call':
        this.call(place, statement);
        return undefined;
      case 'return': {
        const row = this.begin(place, statement, { role: 'return', uses: usesOf(statement.value) });
        const value = this.written(row, this.number(place, statement.value)) as number;
        this.end(place, row, { returned: value });
        return value;
      }
      default:
        this.simple(place, statement);
        return undefined;
    }
  }

  loop(place: Place, { counter, limit, body, ...rest }: Extract<Statement, { kind: 'while' }>): number | undefined {
    const outer = place.parent;
    const name = `${counter}${place.parent}`;
    const start = this.begin(place, rest.kind + name, { defs: [name] });
    place.names.set(name, this.written(start, 0));
    this.end(place, start, {});
    for (;;) {
      const uses = [...usesOf(limit), name];
      const goes = () => this.numberOf(place, name) < Math.min(this.number(place, limit), 4);
      const decided = this.decide(place, body, uses, goes);
      if (!decided.way || this.rows.length > fuel) break;
      place.parent = decided.row;
      const returned = this.block(place, body);
      if (returned !== undefined) {
        place.parent = outer;
        return returned;
      }
      const row = this.begin(place, limit, { defs: [name], uses: [name] });
      place.names.set(name, this.written(row, this.numberOf(place, name) + 1));
      this.end(place, row, {});
    }
    place.parent = outer;
    return undefined;
  }

  decide(place: Place, of: unknown, uses: string[], test: () => boolean): { way: boolean; row: number } {
    const row = this.begin(place, of, { role: 'branch', uses });
    const own = test();
    const forced = this.options.only?.branches[row];
    const way = forced === undefined ? own : forced === 'true';
    if (forced !== undefined && this.isSliced(row) && way !== own) this.wrongBranches += 1;
    this.branches[row] = String(way);
    this.end(place, row, { branch: String(way) });
    return { way, row };
  }

  call(place: Place, statement: Extract<Statement, { kind: 'call' }>): void {
    const { name, list, object, plus } = statement;
    const uses = [
      ...usesOf(statement.number),
      list,
      object,
      ...(plus ? [plus.object, `${plus.object}.${plus.slot}`] : []),
    ];
    const row = this.begin(place, statement, { defs: [name], uses, may: [list, object] });
    const [number, items, thing] = [
      this.number(place, statement.number),
      this.list(place, list),
      this.thing(place, object),
    ];
    const inner: Place = { frame: this.frames++, fn: 'f', names: new Map(), parent: 0 };
    const entry = this.begin(inner, this.program.callee, { role: 'entry', defs: ['a', 'o', 'p'], caller: row });
    inner.parent = entry;
    inner.names.set('a', this.written(entry, number));
    inner.names.set('p', this.written(entry, items));
    inner.names.set('o', this.written(entry, thing));
    this.end(inner, entry, {});
    for (const seed of ['b', 'c']) this.seed(inner, seed, 0);
    this.seed(inner, 'q', this.newList());
    this.seed(inner, 'u', this.newThing());
    const returned = this.block(inner, this.program.callee) ?? 0;
    const extra = plus === undefined ? 0 : this.thing(place, plus.object).slots[plus.slot as 'x' | 'y'];
    place.names.set(name, this.written(row, returned + extra));
    this.end(place, row, {});
  }

  simple(place: Place, statement: Exclude<Statement, { kind: 'if' | 'while' | 'call' | 'return' }>): void {
    const { defs, may, uses } = effectsOf(statement);
    const row = this.begin(place, statement, { defs, may, uses });
    this.effect(place, statement, row);
    this.end(place, row, {});
  }

  effect(place: Place, statement: Exclude<Statement, { kind: 'if' | 'while' | 'call' | 'return' }>, row: number): void {
    const names = place.names;
    switch (statement.kind) {
      case 'assign':
        names.set(statement.name, this.written(row, this.number(place, statement.value)));
        return;
      case 'append':
        this.list(place, statement.list).items.push(this.written(row, this.number(place, statement.value)) as number);
        return;
      case 'set_item': {
        const { items } = this.list(place, statement.list);
        if (items.length > 0) items[0] = this.written(row, this.number(place, statement.value)) as number;
        return;
      }
      case 'set_slot': {
        const written = this.written(row, this.number(place, statement.value)) as number;
        this.thing(place, statement.object).slots[statement.slot as 'x' | 'y'] = written;
        return;
      }
      case 'new_list':
        names.set(statement.name, this.written(row, this.newList()));
        return;
      case 'new_object':
        names.set(statement.name, this.written(row, this.newThing()));
        return;
      case 'alias':
        names.set(statement.name, this.written(row, names.get(statement.of) ?? 0));
        return;
      case 'store_list':
        this.thing(place, statement.object).slots.list = this.written(row, this.list(place, statement.list)) as List;
        return;
      case 'load_list':
        names.set(statement.list, this.written(row, this.thing(place, statement.object).slots.list ?? this.newList()));
    }
  }

  number(place: Place, expression: Expression): number {
    switch (expression.kind) {
      case 'number':
        return expression.value;
      case 'name':
        return this.numberOf(place, expression.name);
      case 'add':
        return this.number(place, expression.left) + this.number(place, expression.right);
      case 'multiply':
        return (this.number(place, expression.left) * this.number(place, expression.right)) % 1009;
      case 'length':
        return this.list(place, expression.list).items.length;
      case 'item': {
        const { items } = this.list(place, expression.list);
        return items[Math.abs(this.number(place, expression.index)) % Math.max(items.length, 1)] ?? 0;
      }
      case 'slot':
        return this.thing(place, expression.object).slots[expression.slot as 'x' | 'y'];
    }
  }

  numberOf(place: Place, name: string): number {
    const value = place.names.get(name);
    return typeof value === 'number' ? value : 0;
  }

  list(place: Place, name: string): List {
    const value = place.names.get(name);
    return typeof value === 'object' && 'items' in value ? value : this.newList();
  }

  thing(place: Place, name: string): Thing {
    const value = place.names.get(name);
    return typeof value === 'object' && 'slots' in value ? value : this.newThing();
  }

  begin(place: Place, of: unknown, given: Partial<DefUseRow> & { may?: string[] }): number {
    const { may = [], ...fields } = given;
    const sequence = this.rows.length;
    if (!this.lines.has(of)) this.lines.set(of, this.lines.size + 1);
    const row: DefUseRow = {
      sequence,
      location: `tiny.py:${this.lines.get(of)}`,
      function: place.fn,
      frame: place.frame,
      role: 'statement',
      defs: [],
      completed: true,
      ...(given.role === 'entry' ? {} : { control_parent: place.parent }),
      ...fields,
      may_defs: [...new Set(may)].sort(),
      uses: [...new Set(given.uses ?? [])].sort(),
    };
    this.rows.push(row);
    const variables = this.options.values === false ? {} : this.snapshot(place, row, [...row.uses, ...row.may_defs]);
    const { location } = row;
    const execution_id = shaOf('tiny');
    this.events.push({ execution_id, sequence, kind: 'value', probe_id: 'trace', location, payload: { variables } });
    return sequence;
  }

  end(place: Place, sequence: number, { returned, branch }: { returned?: number; branch?: string }): void {
    const row = this.rows[sequence];
    const event = this.events[sequence];
    if (row === undefined || event === undefined) return;
    if (branch !== undefined) event.payload.branch_taken = branch;
    if (returned !== undefined) event.payload.return_value = { type: 'int', text: String(returned), truncated: false };
    if (this.options.values === false) return;
    const before = event.payload.variables ?? {};
    const after = this.snapshot(place, row, [...row.defs, ...row.may_defs]);
    const changed = Object.keys(after).filter((name) => before[name] && before[name]?.text !== after[name]?.text);
    event.payload.variables = { ...before, ...after };
    if (changed.length === 0) return;
    const pick = (from: Record<string, ValueText>) =>
      Object.fromEntries(changed.map((name) => [name, from[name] as ValueText]));
    event.payload.state_delta = { from: pick(before), to: pick(after) };
  }

  snapshot(place: Place, _row: DefUseRow, paths: readonly string[]): Record<string, ValueText> {
    const shown: Record<string, ValueText> = {};
    for (const path of paths) {
      const name = path.replace(/[.[].*/, '');
      const value = place.names.get(name);
      if (value !== undefined) shown[name] = this.render(value);
    }
    return shown;
  }

  render(value: Value): ValueText {
    if (typeof value === 'number') return { type: 'int', text: String(value), truncated: false };
    const ref = this.options.refs === false ? {} : { ref: value.ref };
    if ('items' in value) return { type: 'list', text: `[${value.items.join(', ')}]`, truncated: false, ...ref };
    const { x, y, list } = value.slots;
    const tail = list === undefined ? '' : `, list: [${list.items.join(', ')}]`;
    return { type: 'Thing', text: `Thing{x: ${x}, y: ${y}${tail}}`, truncated: false, ...ref };
  }
}

function usesOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'name':
      return [expression.name];
    case 'add':
    case 'multiply':
      return [...usesOf(expression.left), ...usesOf(expression.right)];
    case 'length':
      return [expression.list];
    case 'item':
      return [expression.list, ...usesOf(expression.index)];
    case 'slot':
      return [expression.object, `${expression.object}.${expression.slot}`];
  }
}

function effectsOf(statement: Exclude<Statement, { kind: 'if' | 'while' | 'call' | 'return' }>) {
  switch (statement.kind) {
    case 'assign':
      return { defs: [statement.name], may: [], uses: usesOf(statement.value) };
    case 'append':
      return { defs: [], may: [statement.list], uses: [statement.list, ...usesOf(statement.value)] };
    case 'set_item':
      return { defs: [`${statement.list}[0]`], may: [], uses: [statement.list, ...usesOf(statement.value)] };
    case 'set_slot':
      return {
        defs: [`${statement.object}.${statement.slot}`],
        may: [],
        uses: [statement.object, ...usesOf(statement.value)],
      };
    case 'new_list':
    case 'new_object':
      return { defs: [statement.name], may: [], uses: [] };
    case 'alias':
      return { defs: [statement.name], may: [], uses: [statement.of] };
    case 'store_list':
      return { defs: [`${statement.object}.list`], may: [], uses: [statement.list, statement.object] };
    case 'load_list':
      return { defs: [statement.list], may: [], uses: [statement.object, `${statement.object}.list`] };
  }
}
