// Small hand-written runs: one line of code per row.
import type { DefUseRow, ObservedRun, RawEvent, TestFailure, ValueText } from '@h/contracts';
import { sha256Hex } from '@h/contracts';

export interface RowText {
  /** "file.py:3" or a line of a.py. */
  readonly at: number | string;
  readonly fn?: string;
  readonly frame?: number;
  readonly role?: DefUseRow['role'];
  readonly defs?: string[];
  readonly may?: string[];
  readonly uses?: string[];
  readonly parent?: number;
  readonly caller?: number;
  readonly raised?: string;
  /** Values by name: a number, a text, or a full value; `before` only where it differs from after. */
  readonly values?: Record<string, Given>;
  readonly before?: Record<string, Given>;
  readonly branch?: string;
  readonly returned?: Given;
  readonly probe?: string;
}

type Given = number | string | ValueText;

export const shaOf = (name: string) => sha256Hex(name);

export function textOf(given: Given): ValueText {
  if (typeof given === 'object') return given;
  return typeof given === 'number'
    ? { type: 'int', text: String(given), truncated: false }
    : { type: 'str', text: `'${given}'`, truncated: false };
}

export function objectOf(ref: number, text: string, type = text.split('{')[0] ?? ''): ValueText {
  return { type, text, truncated: false, ref };
}

export function listOf(ref: number, ...items: number[]): ValueText {
  return { type: 'list', text: `[${items.join(', ')}]`, truncated: false, ref };
}

const valuesOf = (given: Record<string, Given> | undefined) =>
  Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, textOf(value)]));

export interface RunText {
  readonly name?: string;
  readonly outcome?: ObservedRun['outcome'];
  readonly failure?: Partial<TestFailure>;
  readonly rows: readonly RowText[];
  readonly test?: string;
}

export function buildRun(text: RunText): ObservedRun {
  const { name = 'failing', outcome = 'failed', failure, rows, test = `test_a.py::test_${name}` } = text;
  const execution_id = shaOf(name);
  return {
    execution_id,
    test,
    outcome,
    ...(failure === undefined ? {} : { failure: { class: 'AssertionError', message: '', frames: [], ...failure } }),
    events: rows.map((row, sequence) => eventOf(execution_id, row, sequence)),
    rows: rows.map(rowOf),
    truncated: false,
    notes: [],
  };
}

/** The same seen in a second execution. */
export function again(run: ObservedRun): ObservedRun {
  const execution_id = shaOf(`${run.execution_id} again`);
  return { ...run, execution_id, events: run.events.map((event) => ({ ...event, execution_id })) };
}

export function rowOf(row: RowText, sequence: number): DefUseRow {
  return {
    sequence,
    location: locationOf(row),
    function: row.fn ?? 'f',
    frame: row.frame ?? 0,
    role: row.role ?? 'statement',
    defs: [...(row.defs ?? [])].sort(),
    may_defs: [...(row.may ?? [])].sort(),
    uses: [...(row.uses ?? [])].sort(),
    ...(row.parent === undefined ? {} : { control_parent: row.parent }),
    ...(row.caller === undefined ? {} : { caller: row.caller }),
    completed: row.raised === undefined,
  };
}

const locationOf = ({ at }: RowText) => (typeof at === 'number' ? `a.py:${at}` : at);

function eventOf(execution_id: string, row: RowText, sequence: number): RawEvent {
  const [from, variables] = [valuesOf(row.before), valuesOf(row.values)];
  const to = Object.fromEntries(Object.entries(variables).filter(([name]) => name in from));
  return {
    execution_id,
    sequence,
    kind: Object.keys(from).length > 0 ? 'state_delta' : Object.keys(variables).length > 0 ? 'value' : 'path',
    probe_id: row.probe ?? 'trace',
    location: locationOf(row),
    payload: {
      ...(row.values === undefined ? {} : { variables }),
      ...(row.branch === undefined ? {} : { branch_taken: row.branch }),
      ...(row.returned === undefined ? {} : { return_value: textOf(row.returned) }),
      ...(row.raised === undefined ? {} : { exception: { type: row.raised, text: row.raised, truncated: false } }),
      ...(row.before === undefined ? {} : { state_delta: { from, to } }),
    },
  };
}
