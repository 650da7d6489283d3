// The one way an observation comes about: what the probes of one run recorded at one step of its path. The gate builds it again and compares.
import type { DefUseRow, ObservedRun, Sha, StateObservation, ValueText } from '@h/contracts';

/** Returns of called functions in one observation, at most; the first ones. */
export const RETURNS_PER_OBSERVATION = 20;

export interface IndexedRun {
  readonly run: ObservedRun;
  /** Per calling row: what the functions it called returned, in order. */
  readonly returns: ReadonlyMap<number, readonly { readonly name: string; readonly sequence: number }[]>;
}

/** Runs by execution id; of two runs with one id the first. */
export function indexRuns(runs: readonly ObservedRun[]): Map<Sha, IndexedRun> {
  const indexed = new Map<Sha, IndexedRun>();
  for (const run of runs) if (!indexed.has(run.execution_id)) indexed.set(run.execution_id, indexRun(run));
  return indexed;
}

function indexRun(run: ObservedRun): IndexedRun {
  const callers = new Map<number, number>();
  const returns = new Map<number, { name: string; sequence: number }[]>();
  for (const { frame, role, caller, sequence, function: name } of run.rows) {
    if (role === 'entry' && caller !== undefined) callers.set(frame, caller);
    const calling = callers.get(frame);
    if (role !== 'return' || calling === undefined) continue;
    const known = returns.get(calling) ?? [];
    if (known.length < RETURNS_PER_OBSERVATION) known.push({ name, sequence });
    returns.set(calling, known);
  }
  return { run, returns };
}

/**
 * The observation of step `sequence`; undefined: the run has no such step. Values are those after the statement, where it changed them.
 *
 * `return_values`: `return` what the statement returned, `raise` what it raised (no call has such a name), else by the qualified name of the
 * function it called, a second call as "name #2". `branch_taken`: "file:line branch" of the statement's own decision, else of the one that decided that it ran.
 */
export function buildObservation(
  { run, returns }: IndexedRun,
  sequence: number,
  masked: ReadonlySet<string>,
): StateObservation | undefined {
  const [row, event] = [run.rows[sequence], run.events[sequence]];
  if (row === undefined || event === undefined) return undefined;
  const { location } = event;
  const { variables, state_delta, return_value, exception } = event.payload;
  const seen = Object.entries({ ...variables, ...state_delta?.to }).filter(
    ([name]) => !masked.has(`${location} ${name}`),
  );
  const given: [string, ValueText | undefined][] = [
    ['return', masked.has(`${location} return`) ? undefined : return_value],
    ['raise', masked.has(`${location} raise`) ? undefined : exception],
    ...nameReturns(run, returns.get(sequence) ?? [], masked),
  ];
  return {
    execution_id: run.execution_id,
    location,
    path_index: sequence,
    variables: fromEntries(seen),
    return_values: fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    branch_taken: describeBranch(run, row),
  };
}

function nameReturns(
  run: ObservedRun,
  returns: readonly { readonly name: string; readonly sequence: number }[],
  masked: ReadonlySet<string>,
): [string, ValueText | undefined][] {
  const counts = new Map<string, number>();
  return returns.map(({ name, sequence }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const event = run.events[sequence];
    const value = masked.has(`${event?.location} return`) ? undefined : event?.payload.return_value;
    return [count === 1 ? name : `${name} #${count}`, value];
  });
}

/** The nearest decision: parents always come before their rows. */
function describeBranch({ rows, events }: ObservedRun, row: DefUseRow): string {
  for (let at: DefUseRow | undefined = row; at !== undefined; ) {
    const branch = events[at.sequence]?.payload.branch_taken;
    if (branch !== undefined) return `${at.location} ${branch}`;
    const parent: number = at.control_parent ?? at.sequence;
    at = parent < at.sequence ? rows[parent] : undefined;
  }
  return '';
}

/** Sorted by name; a name like "__proto__" is a name like any other. */
function fromEntries(entries: readonly (readonly [string, ValueText])[]): Record<string, ValueText> {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(sorted.map(([name, value]) => [name, { ...value }]));
}
