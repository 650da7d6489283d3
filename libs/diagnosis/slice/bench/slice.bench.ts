// Slices of 1, 3 and 10 million rows in columns: calls, an object that keeps a total, lists, decisions. Beside them the limit, one pass over the same
// columns, which reads each number once and does nothing else; and 60,000 rows as objects, which are put in columns first. One JSON line a row.
import type { DefUseRow, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import { sha256Hex, writeDefUseLog } from '@h/contracts';
import { createDefUseLog, type DefUseLog, namesOf } from '@h/contracts/def-use-log';
import { compareRuns, logRows, sliceLog, sliceRows, traceDiff } from '../src/index.ts';

const small = record('failing', 'failed', 1, 5_000);
for (const million of [1, 3, 10]) {
  const log = repeat(small, million * 1_000_000);
  const limit = best(() => passOver(log), 1);
  const ms = best(() => sliceLog(log, [log.size - 1]), million < 10 ? 2 : 1);
  print('slice in columns', log.size, ms, limit, {
    column_bytes_per_row: Number((bytesOf(log) / log.size).toFixed(1)),
    peak_rss_mib: Math.round(process.resourceUsage().maxRSS / 1024),
  });
  if (million > 1) continue;
  print(
    'slice in columns, omissions followed',
    log.size,
    best(() => sliceLog(log, [log.size - 1], { omissions: true })),
    limit,
  );
  const file = writeDefUseLog({ execution_id: small.execution_id, log, truncated: false });
  print(
    'write them to a file',
    log.size,
    best(() => writeDefUseLog({ execution_id: small.execution_id, log, truncated: false }), 1),
    limit,
    {
      file_bytes_per_row: Number((file.length / log.size).toFixed(1)),
    },
  );
}

const passing = record('passing', 'passed', 2, 5_000);
const [failingAgain, passingAgain] = [small, passing].map((each) => ({
  ...each,
  execution_id: sha256Hex(`${each.execution_id} again`),
}));
const columns = logRows(small.rows, small.events);
const limit = best(() => passOver(columns));
print(
  'rows to columns',
  columns.size,
  best(() => logRows(small.rows, small.events)),
  limit,
);
print(
  'slice of rows',
  columns.size,
  best(() => sliceRows(small.rows, [columns.size - 1], { events: small.events })),
  limit,
);
print(
  'align and compare two runs',
  columns.size,
  best(() => traceDiff(small, passing)),
  limit,
);
print(
  'compare two sides, each twice',
  columns.size,
  best(() => compareRuns({ failing: small, failingAgain, passing, passingAgain })),
  limit,
);

/** Processor time of this process in milliseconds: other work on the machine does not count, but shares caches. */
function best(work: () => unknown, times = 3): number {
  const taken = Array.from({ length: times }, () => {
    const begin = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(begin);
    return result === undefined ? 0 : (user + system) / 1000;
  });
  return Math.min(...taken);
}

function print(work: string, rows: number, ms: number, limitMs: number, more: Record<string, number> = {}): void {
  const line = {
    work,
    rows,
    ours_ms: Math.round(ms),
    rows_per_s: `${(rows / ms / 1000).toFixed(2)} M`,
    limit_ms: Number(limitMs.toFixed(1)),
    ratio: Number((ms / limitMs).toFixed(1)),
    ...more,
  };
  console.log(JSON.stringify(line));
}

function passOver({ statement, frame, control_parent, exception, heap, size }: DefUseLog): number {
  let sum = 0;
  for (let row = 0; row < size; row += 1)
    sum = (sum + (statement[row] ?? 0) + (frame[row] ?? 0) + (control_parent[row] ?? 0) + (exception[row] ?? 0)) | 0;
  for (let cell = 0; cell < heap.length; cell += 1) sum = (sum + (heap[cell] ?? 0)) | 0;
  return sum;
}

function bytesOf({ statement, frame, control_parent, exception, heap }: DefUseLog): number {
  return [statement, frame, control_parent, exception, heap].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The loop of the run as often as it takes; frames are numbered on. */
function repeat({ rows, events }: ObservedRun, size: number): DefUseLog {
  const body = rows.length - 2;
  const [first, last] = [0, rows.length - 1];
  const log = createDefUseLog({ rows: size + rows.length, cells: 5 * (size + rows.length) });
  const frames = Math.max(...rows.map(({ frame }) => frame));
  let added = 0;
  const add = (at: number, shift: number, frameShift: number) => {
    const row = rows[at] as DefUseRow;
    const { variables = {}, branch_taken, return_value } = (events[at] as RawEvent).payload;
    const { control_parent, completed, frame, caller } = row;
    const parent = control_parent === undefined || control_parent === 0 ? control_parent : control_parent + shift;
    log.row({
      statement: log.statement(row),
      frame: frame === 0 ? 0 : frame + frameShift,
      control_parent: parent,
      completed,
    });
    if (row.role === 'entry') log.cell(caller === undefined ? 0 : caller + shift + 1);
    else if (row.role === 'branch') log.cell(log.value({ type: 'branch', text: branch_taken ?? '', truncated: false }));
    else if (row.role === 'return') log.cell(log.value(return_value));
    for (const name of namesOf(row)) {
      log.cell(row.defs.includes(name) ? 0 : log.value(variables[name]));
      log.cell(log.value(variables[name]));
    }
    added += 1;
  };
  add(first, 0, 0);
  for (let turn = 0; added + body < size; turn += 1)
    for (let at = 1; at <= body; at += 1) add(at, turn * body, turn * frames);
  add(last, added - last, 0);
  return log.finish();
}

function record(name: string, outcome: 'failed' | 'passed', start: number, iterations: number): ObservedRun {
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
