// Where a failing run shows what is wrong: the row a slice starts from.
import type { DefUseRow, ObservedRun, RawEvent } from '@h/contracts';

/**
 * Rows that hold the failing value, the main one first; empty where nothing was observed.
 *
 * 1. The row at the innermost place of the failure that was observed, a cut-short one before others, the latest first.
 * 2. Else, where the run ended inside a statement, that statement.
 * 3. Else the failure lies outside the observed functions, in the test: the return (or last write) of the value the failed assertion compared; else
 *    every exit of a function the test called, the last first.
 */
export function locateFailure(run: ObservedRun): number[] {
  const { rows, failure, outcome } = run;
  if (rows.length === 0) return [];
  const places = failure === undefined ? [] : [failure.location, ...failure.frames];
  for (const place of places) {
    const row = latestAt(rows, place);
    if (row !== undefined) return [row];
  }
  if (rows.at(-1)?.completed === false || outcome === 'timeout') return [rows.length - 1];
  return locateAnswer(run);
}

/**
 * Where the failing statement of the test ran code of its own and failed after that had ended (`with raises(…)`, `assert.throws(() => …)`): the rows of
 * that code. What did not happen in there is what failed.
 */
export function listEndured({ rows, failure, truncated }: ObservedRun, root: number | undefined): number[] {
  const failing = root === undefined ? undefined : rows[root];
  if (failing === undefined || failure === undefined || truncated) return [];
  if (failing.completed)
    return rows
      .filter(({ sequence, frame, completed }) => sequence > failing.sequence && frame === failing.frame && completed)
      .map(({ sequence }) => sequence);
  const own = new Set<number>();
  return rows
    .filter(({ role, caller, frame, function: name, sequence, completed }) => {
      if (role === 'entry' && caller === failing.sequence && name.startsWith(`${failing.function}.`)) own.add(frame);
      return sequence > failing.sequence && own.has(frame) && role !== 'entry' && completed;
    })
    .map(({ sequence }) => sequence);
}

/** The last row that may have run before row `row` was over: what its calls ran belongs to it. */
export function endOfRow(rows: readonly DefUseRow[], row: number): number {
  const frame = rows[row]?.frame;
  const next = rows.findIndex(({ sequence, frame: other }) => sequence > row && other === frame);
  return next < 0 ? rows.length - 1 : next - 1;
}

function latestAt(rows: readonly DefUseRow[], place: string | undefined): number | undefined {
  const there = rows.filter(({ location, role }) => location === place && role !== 'entry');
  return (there.findLast(({ completed }) => !completed) ?? there.at(-1))?.sequence;
}

function locateAnswer({ rows, events, failure }: ObservedRun): number[] {
  const exits = listExits(rows);
  for (const compared of [failure?.actual, failure?.expected]) {
    if (compared === undefined) continue;
    const returned = exits.find((row) => shows(events[row]?.payload.return_value?.text, compared));
    const found = returned ?? rows.findLast((row) => writesText(row, events[row.sequence], compared))?.sequence;
    if (found !== undefined) return [found];
  }
  return exits;
}

/** Last rows of the frames that nothing observed called, the latest first; their return where they have one. */
function listExits(rows: readonly DefUseRow[]): number[] {
  const inner = new Set<number>();
  const exits = new Map<number, number>();
  for (const { frame, role, caller, sequence } of rows) {
    if (role === 'entry' && caller !== undefined) inner.add(frame);
    const exit = exits.get(frame);
    if (exit === undefined || role === 'return' || rows[exit]?.role !== 'return') exits.set(frame, sequence);
  }
  const outermost = [...exits].filter(([frame]) => !inner.has(frame)).map(([, row]) => row);
  return outermost.sort((a, b) => b - a);
}

function writesText({ defs, may_defs }: DefUseRow, event: RawEvent | undefined, text: string): boolean {
  const { variables = {}, state_delta } = event?.payload ?? {};
  const after = { ...variables, ...state_delta?.to };
  return [...defs, ...may_defs].some((name) => Object.hasOwn(after, name) && shows(after[name]?.text, text));
}

/** Whether a recorded text is what the runner printed, which may leave out the quotes. */
function shows(text: string | undefined, printed: string): boolean {
  return text !== undefined && (text === printed || text.replace(/^['"`]|['"`]$/g, '') === printed);
}
