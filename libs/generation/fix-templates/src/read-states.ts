// What the names of a statement were each time it began in an observed run.
import type { ObservedRun, ValueText } from '@h/contracts';
import { readSeen, type Value } from './seen-value.ts';

/** One execution of a statement. */
export interface SeenState {
  /** Values as it began, by name. A name that is not in it was not seen, or its text does not tell its value. */
  readonly bindings: ReadonlyMap<string, Value>;
  /** Types by name, also of values that are not told. */
  readonly types: ReadonlyMap<string, string>;
  /** The branch it took: `true`, `false`; absent for what is none. */
  readonly branch?: string;
}

/** Different states of a statement that are kept; of one with more nothing is said of all. */
const MAX_STATES = 24;

/** States by `file:line`, each different one once. Of a run that was cut nothing is known of all executions: none. */
export function readStates({ events, rows, truncated }: ObservedRun): Map<string, readonly SeenState[]> {
  const states = new Map<string, Map<string, SeenState> | undefined>();
  const frames = new Map<number, Map<string, ValueText>>();
  if (truncated) return new Map();
  for (const [index, { location, payload }] of events.entries()) {
    const row = rows[index];
    if (row === undefined) break;
    const frame = frames.get(row.frame) ?? new Map<string, ValueText>();
    frames.set(row.frame, frame);
    const { variables = {}, state_delta } = payload;
    const read = new Set(row.uses.map((path) => path.split(/[.[]/, 1)[0]));
    const before = new Map(frame);
    for (const [name, value] of Object.entries(variables)) {
      if (read.has(name)) before.set(name, state_delta?.from[name] ?? value);
    }
    if (row.role !== 'entry') addState(states, location, before, payload.branch_taken);
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
  for (const path of [...mayDefs, ...defs]) if (!(path in seen)) frame.delete(path.split(/[.[]/, 1)[0] ?? path);
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

function addState(
  states: Map<string, Map<string, SeenState> | undefined>,
  location: string,
  before: ReadonlyMap<string, ValueText>,
  branch: string | undefined,
): void {
  const seen = states.has(location) ? states.get(location) : new Map<string, SeenState>();
  states.set(location, seen);
  if (seen === undefined) return;
  const named = [...before].sort(([left], [right]) => (left < right ? -1 : 1));
  const key = JSON.stringify([branch ?? '', named.map(([name, { type, text, ref }]) => [name, type, text, ref ?? -1])]);
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
  seen.set(key, {
    bindings,
    types: new Map(named.map(([name, { type }]) => [name, type])),
    ...(branch === 'true' || branch === 'false' ? { branch } : {}),
  });
}
