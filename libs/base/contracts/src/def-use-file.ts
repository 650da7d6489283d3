// A `DefUseLog` as bytes: one line of JSON that says what follows, then the columns, numbers in as few bytes as they need.
import { type DefUseLog, leadingCells, namesOf } from './def-use-log.ts';
import type { Sha } from './define-record.ts';
import { DefUseLogHeader, ValueText } from './diagnosis.ts';
import { invalidRecord } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { parseRecord } from './parse-record.ts';

export interface DefUseFile {
  readonly execution_id: Sha;
  readonly log: DefUseLog;
  /** The declared bound was reached: later rows are missing. */
  readonly truncated: boolean;
}

const encoder = new TextEncoder();

/** The file: same log, same bytes. */
export function writeDefUseLog({ execution_id, log, truncated }: DefUseFile): Uint8Array {
  const { size, statements, statement, frame, control_parent, exception, heap, values } = log;
  const columns = {
    statement: encodeNumbers(statement.length, (at) => statement[at] as number),
    frame: encodeNumbers(frame.length, (at) => frame[at] as number),
    control_parent: encodeNumbers(size, (row) => encodeParent(row, control_parent[row] as number)),
    exception: encodeNumbers(size, (row) => exception[row] as number),
    heap: encodeNumbers(heap.length, (at) => heap[at] as number),
    values: encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join('')),
  };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const header: DefUseLogHeader = {
    version: 1,
    execution_id,
    rows: size,
    columns: names.map((name) => ({
      name,
      encoding: name === 'values' ? 'json_lines' : 'varint',
      bytes: columns[name].length,
    })),
    statements: statements.map(({ location }) => location),
    effects: statements.map(({ location: _, defs, may_defs, uses, ...rest }) => ({
      ...(JSON.parse(JSON.stringify(rest)) as Pick<typeof rest, 'function' | 'role'>),
      defs: [...defs],
      may_defs: [...may_defs],
      uses: [...uses],
    })),
    truncated,
  };
  return join([encoder.encode(`${JSON.stringify(header)}\n`), ...names.map((name) => columns[name])]);
}

/** Reads what `writeDefUseLog` wrote. Throws `not_json` or `invalid_record` where the bytes are no such file. */
export function readDefUseLog(bytes: Uint8Array): DefUseFile {
  const end = bytes.indexOf(10);
  const header = parseRecord(DefUseLogHeader, parseJson(decode(bytes.subarray(0, Math.max(end, 0)))));
  const columns = new Map<string, Uint8Array>();
  let at = end + 1;
  for (const column of header.columns) {
    columns.set(column.name, bytes.subarray(at, at + column.bytes));
    at += column.bytes;
  }
  if (at !== bytes.length) throw damaged(`the columns take ${at - end - 1} bytes, ${bytes.length - end - 1} are there`);
  const { execution_id, rows: size, effects = [], truncated } = header;
  if (effects.length !== header.statements.length) throw damaged('not every statement has its effects');
  const statements = header.statements.map((location, index) => ({
    location,
    ...(effects[index] as (typeof effects)[0]),
  }));
  const numbers = (name: string, count?: number) => decodeNumbers(name, columns.get(name) ?? new Uint8Array(), count);
  const parents = numbers('control_parent', size);
  const log: DefUseLog = {
    size,
    statements,
    values: decode(columns.get('values') ?? new Uint8Array())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseRecord(ValueText, parseJson(line))),
    statement: numbers('statement', size),
    frame: numbers('frame', size),
    control_parent: parents.map((code, row) => decodeParent(row, code)),
    exception: Uint8Array.from(numbers('exception', size)),
    heap: numbers('heap'),
  };
  requireWhole(log);
  return { execution_id, log, truncated };
}

/** Whether every number names something that is there. */
function requireWhole({ size, statements, statement, heap, values }: DefUseLog): void {
  const cells = statements.map((each) => leadingCells(each) + 2 * namesOf(each).length);
  let used = 0;
  for (let row = 0; row < size; row += 1) {
    const number = statement[row] as number;
    const count = cells[number];
    if (count === undefined) throw damaged(`row ${row} is of statement ${number} of ${statements.length}`);
    const first = statements[number]?.role === 'entry' ? 1 : 0;
    for (let cell = first; cell < count; cell += 1)
      if ((heap[used + cell] ?? 0) > values.length)
        throw damaged(`row ${row} holds value ${heap[used + cell]} of ${values.length}`);
    used += count;
  }
  if (used !== heap.length) throw damaged(`the rows need ${used} cells, ${heap.length} are there`);
}

/** Mostly a row shortly before: the distance, in the way of signed numbers, plus one; 0 for none. */
function encodeParent(row: number, parent: number): number {
  if (parent === 0) return 0;
  const back = row - (parent - 1);
  return 1 + (back >= 0 ? 2 * back : -2 * back - 1);
}

function decodeParent(row: number, code: number): number {
  if (code === 0) return 0;
  const back = code % 2 === 1 ? (code - 1) / 2 : -code / 2;
  return row - back + 1;
}

/** Seven bits a byte, low ones first, the eighth where more follow. */
function encodeNumbers(count: number, numberAt: (at: number) => number): Uint8Array {
  let out = new Uint8Array(count + 16);
  let used = 0;
  for (let at = 0; at < count; at += 1) {
    if (used + 8 > out.length) out = join([out, new Uint8Array(out.length)]);
    let left = numberAt(at);
    for (; left >= 128; left = Math.floor(left / 128)) {
      out[used] = (left % 128) + 128;
      used += 1;
    }
    out[used] = left;
    used += 1;
  }
  return out.slice(0, used);
}

function decodeNumbers(name: string, bytes: Uint8Array, count?: number): Uint32Array {
  const numbers = new Uint32Array(bytes.length);
  let [size, value, unit] = [0, 0, 1];
  for (const byte of bytes) {
    value += (byte % 128) * unit;
    unit *= 128;
    if (byte >= 128) continue;
    if (value > 0xffff_ffff) throw damaged(`column ${name} holds a number of more than 32 bits`);
    numbers[size] = value;
    size += 1;
    [value, unit] = [0, 1];
  }
  if (unit !== 1) throw damaged(`column ${name} ends within a number`);
  if (count !== undefined && size !== count) throw damaged(`column ${name} holds ${size} numbers, not ${count}`);
  return numbers.slice(0, size);
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function damaged(problem: string) {
  return invalidRecord('DefUseLog', [problem]);
}
