// A run of 60,000 rows: calls that keep a total in an object, lists that grow, a loop of decisions. Ours beside the plain backwards loop over the
// rows that every slicer has to make at least once (the limit), and the walk alone. One JSON line per row.
import type { DefUseRow, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import { sha256Hex } from '@h/contracts';
import { compareRuns, sliceRows, traceDiff } from '../src/index.ts';

const iterations = 5_000;
const run = record('failing', 'failed', 1);
const passing = record('passing', 'passed', 2);
const [failingAgain, passingAgain] = [run, passing].map((each) => ({
  ...each,
  execution_id: sha256Hex(`${each.execution_id} again`),
}));
const size = run.rows.length;

const limit = best(() => plainLoop(run.rows));
row('slice, values and serials', () => sliceRows(run.rows, [size - 1], { events: run.events }));
row('slice, no values', () => sliceRows(run.rows, [size - 1]));
row('align and compare two runs', () => traceDiff(run, passing));
row('compare two sides, each twice', () => compareRuns({ failing: run, failingAgain, passing, passingAgain }));

/** Processor time of this process in milliseconds: other work on the machine does not count. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function best(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const begin = cpuNow();
    const result = work();
    return result === undefined ? 0 : cpuNow() - begin;
  });
  return Math.min(...times);
}

function row(work: string, action: () => unknown): void {
  const ms = best(action);
  const line = {
    work,
    rows: size,
    ours_ms: Math.round(ms),
    rows_per_s: `${(size / ms / 1000).toFixed(2)} M`,
    limit_ms: Number(limit.toFixed(1)),
    ratio: Number((ms / limit).toFixed(1)),
  };
  console.log(JSON.stringify(line));
}

/** What is left of a slicer without calls, objects and control: names wanted so far, in a set. */
function plainLoop(rows: readonly DefUseRow[]): number {
  const wanted = new Set(rows.at(-1)?.uses);
  let kept = 0;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const current = rows[at];
    if (current === undefined || !current.defs.some((name) => wanted.has(name))) continue;
    kept += 1;
    for (const name of current.defs) wanted.delete(name);
    for (const name of current.uses) wanted.add(name);
  }
  return kept;
}

function record(name: string, outcome: 'failed' | 'passed', start: number): ObservedRun {
  const execution_id = sha256Hex(name);
  const rows: DefUseRow[] = [];
  const events: RawEvent[] = [];
  const add = (line: number, given: Partial<DefUseRow>, variables: Record<string, ValueText> = {}): number => {
    const sequence = rows.length;
    const location = `a.py:${line}`;
    const { role = 'statement', frame = 0, defs = [], may_defs = [], uses = [], control_parent, caller } = given;
    rows.push({
      sequence,
      location,
      function: given.function ?? 'run',
      frame,
      role,
      defs,
      may_defs,
      uses,
      ...(control_parent === undefined ? {} : { control_parent }),
      ...(caller === undefined ? {} : { caller }),
      completed: true,
    });
    const branch = given.role === 'branch' ? { branch_taken: 'true' } : {};
    events.push({
      execution_id,
      sequence,
      kind: 'value',
      probe_id: 'trace',
      location,
      payload: { variables, ...branch },
    });
    return sequence;
  };
  const int = (value: number): ValueText => ({ type: 'int', text: String(value), truncated: false });
  const sum = (value: number): ValueText => ({ type: 'Sum', text: `Sum{total: ${value}}`, truncated: false, ref: 0 });
  const list = (value: number): ValueText => ({ type: 'list', text: `[${value}]`, truncated: false, ref: 1 });
  let parent = add(1, { role: 'entry', defs: ['n', 'out', 's'] }, { n: int(start), s: sum(0), out: list(0) });
  let total = 0;
  for (let index = 0; index < iterations; index += 1) {
    parent = add(2, { role: 'branch', uses: ['i', 'n'], control_parent: parent }, { i: int(index), n: int(start) });
    add(3, { defs: ['x'], uses: ['i'], control_parent: parent }, { i: int(index), x: int(index + start) });
    add(4, { defs: ['unused'], uses: ['x'], control_parent: parent }, { x: int(index + start), unused: int(0) });
    const call = add(
      5,
      { may_defs: ['s'], uses: ['s', 'x'], control_parent: parent },
      { s: sum(total), x: int(index) },
    );
    const inner = { function: 'Sum.add', frame: index + 1 };
    const entry = add(
      20,
      { ...inner, role: 'entry', defs: ['self', 'v'], caller: call },
      { self: sum(total), v: int(index) },
    );
    add(21, { ...inner, defs: ['w'], uses: ['v'], control_parent: entry }, { v: int(index), w: int(index) });
    add(22, { ...inner, role: 'branch', uses: ['w'], control_parent: entry }, { w: int(index) });
    total = (total + index) % 1000;
    const written = { defs: ['self.total'], uses: ['self', 'self.total', 'w'] };
    add(23, { ...inner, ...written, control_parent: entry }, { self: sum(total), w: int(index) });
    add(24, { ...inner, role: 'return', uses: ['self'], control_parent: entry }, { self: sum(total) });
    add(6, { may_defs: ['out'], uses: ['out', 'x'], control_parent: parent }, { out: list(index), x: int(index) });
    add(7, { defs: ['last'], uses: ['out'], control_parent: parent }, { out: list(index), last: int(index) });
    add(8, { defs: ['i'], uses: ['i'], control_parent: parent }, { i: int(index + 1) });
  }
  add(9, { role: 'return', uses: ['s', 's.total'] }, { s: sum(total) });
  return { execution_id, test: name, outcome, events, rows, truncated: false, notes: [] };
}
