// What the names of a statement were each time it began in an observed run.
import type { ObservedRun, ValueText } from '@h/contracts';
import { readSeen, type Value } from './seen-value.ts';

/** One execution of a statement. */
export interface SeenState {
  /** Values as it began, by name. A name that is not in it was not seen, or its text does not tell its value. */
  readonly bindings: ReadonlyMap<string, Value>;
  /** Of these, what is so to its end: plain values of names that it neither binds nor may have changed. */
  readonly lasting: ReadonlyMap<string, Value>;
  /** Whether its condition held, of a loop: whether it went on; absent for what has none. */
  readonly branch?: boolean;
}

/** Different states of a statement that are kept; of one with more nothing is said of all. */
const MAX_STATES = 24;

const HELD: Readonly<Record<string, boolean>> = { true: true, iteration: true, false: false, done: false };

/** States by `file:line`, each different one once. Of a run of which events are missing nothing is known of all executions: none. */
export function readStates(run: ObservedRun): Map<string, readonly SeenState[]> {
  const { events, rows, truncated, gaps = [], thinned = [] } = run;
  const states = new Map<string, Map<string, SeenState> | undefined>();
  const frames = new Map<number, Map<string, ValueText>>();
  if (truncated || gaps.length > 0 || thinned.length > 0) return new Map();
  for (const [index, { location, payload }] of events.entries()) {
    const row = rows[index];
    if (row === undefined) break;
    const frame = frames.get(row.frame) ?? new Map<string, ValueText>();
    frames.set(row.frame, frame);
    const { variables = {}, state_delta } = payload;
    const read = new Set(row.uses.map(nameOf));
    const before = new Map(frame);
    for (const [name, value] of Object.entries(variables)) {
      // What was seen of a name that is bound here, and of no other value before, may be of after.
      const began = state_delta?.from[name] ?? (row.defs.includes(name) ? undefined : value);
      if (read.has(name) && began !== undefined) before.set(name, began);
    }
    const changed = new Set([...row.defs, ...row.may_defs, ...Object.keys(state_delta?.from ?? {})].map(nameOf));
    if (row.role !== 'entry') addState(states, location, { before, changed, branch: payload.branch_taken });
    for (const [name, value] of Object.entries(variables)) frame.set(name, value);
    forgetChanged(frame, row.may_defs, row.defs, variables);
  }
  return new Map(
    [...states].flatMap(([location, seen]) => (seen === undefined ? [] : [[location, [...seen.values()]]])),
  );
}

/** What may have been written without being seen is not known any more. Objects are known only where they were just seen. */
function forgetChanged(
  frame: Map<string, ValueText>,
  mayDefs: readonly string[],
  defs: readonly string[],
  seen: Readonly<Record<string, ValueText>>,
): void {
  for (const path of [...mayDefs, ...defs]) if (!(path in seen)) frame.delete(nameOf(path));
  for (const [name, { type }] of frame) if (!SCALARS.has(type)) frame.delete(name);
}

const SCALARS = new Set([
  'int',
  'float',
  'bool',
  'str',
  'NoneType',
  'number',
  'string',
  'boolean',
  'undefined',
  'null',
]);

/** The name that an access path begins with. */
function nameOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

interface Execution {
  readonly before: ReadonlyMap<string, ValueText>;
  readonly changed: ReadonlySet<string>;
  readonly branch: string | undefined;
}

function addState(
  states: Map<string, Map<string, SeenState> | undefined>,
  location: string,
  { before, changed, branch = '' }: Execution,
): void {
  const seen = states.has(location) ? states.get(location) : new Map<string, SeenState>();
  states.set(location, seen);
  if (seen === undefined) return;
  const named = [...before].sort(([left], [right]) => (left < right ? -1 : 1));
  const values = named.map(([name, { type, text, ref }]) => [name, type, text, ref ?? -1, changed.has(name)]);
  const key = JSON.stringify([branch, values]);
  if (seen.has(key)) return;
  if (seen.size >= MAX_STATES) {
    states.set(location, undefined);
    return;
  }
  const bindings = new Map<string, Value>();
  for (const [name, value] of named) {
    const read = readSeen(value);
    if (read !== undefined) bindings.set(name, read);
  }
  const lasting = new Map([...bindings].filter(([name, { kind }]) => kind !== 'object' && !changed.has(name)));
  const held = HELD[branch];
  seen.set(key, { bindings, lasting, ...(held === undefined ? {} : { branch: held }) });
}
