import type { DefUseRow, Loc, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import { alignRuns } from './align-runs.ts';
import { followInputs, type Moment } from './carried-inputs.ts';
import { limitOf, settledBefore } from './compared-rows.ts';
import { own } from './read-values.ts';
import { weighDifference } from './weigh-difference.ts';

export interface TraceDifference {
  readonly location: Loc;
  /** A variable, or `branch`, `return`, `raise`. */
  readonly name: string;
  readonly value: ValueText;
  readonly otherValue: ValueText;
  /** Row of the first run. */
  readonly sequence: number;
  readonly otherSequence: number;
  /** What the tests handed in and the program only carried on, or a value in code of the test: two tests differ there by intention. */
  readonly isInput: boolean;
  /** Computed from values that differ themselves, as two tests rightly do; never a decision (see `weighDifference`). */
  readonly isDerived: boolean;
}

export interface TraceDiff {
  /**
   * The earliest difference that is no input, not derived and, with `within`, lies there; where all of those are derived, the earliest of them;
   * absent: none.
   */
  readonly first?: TraceDifference;
  /**
   * Every difference at a row that both runs execute, in the order it could be seen: what a statement that calls wrote comes after the rows of
   * the functions it called. At one row `branch` first, then variables by name, `return`, `raise`.
   */
  readonly differences: readonly TraceDifference[];
  /** Rows that both runs execute. */
  readonly aligned: number;
  /** Present where events of a run are missing (`gaps`, `truncated`): only what was over before the first missing one is compared, in both runs. */
  readonly cut?: true;
}

export interface TraceDiffOptions {
  /** Values to leave out, as "location name". */
  readonly masked?: ReadonlySet<string>;
  /** Rows of the first run that a first difference may be at. */
  readonly within?: ReadonlySet<number>;
}

/** Compares two runs at the points that both execute, aligned by structural execution index, never by position. */
export function traceDiff(run: ObservedRun, other: ObservedRun, options: TraceDiffOptions = {}): TraceDiff {
  const [limit, otherLimit] = [limitOf(run), limitOf(other)];
  const aligned = alignRuns(run, other).filter((row) => row.sequence < limit && row.otherSequence < otherLimit);
  const [isOver, isOtherOver] = [settledBefore(run.rows, limit), settledBefore(other.rows, otherLimit)];
  const follow = followInputs(run, other);
  const ends = findEnds(run.rows);
  const found = aligned.flatMap((row): Seen[] => {
    const { sequence, otherSequence } = row;
    const isCarried = follow(row);
    const [event, otherEvent] = [run.events[sequence], other.events[otherSequence]];
    if (event === undefined || otherEvent === undefined) return [];
    const { location } = event;
    const end = ends[sequence] ?? sequence;
    const seen = differingValues(event, otherEvent, run.rows[sequence]?.defs)
      .filter(({ name }) => !options.masked?.has(`${location} ${name}`))
      .filter(({ moment }) => moment === 'before' || (isOver(sequence) && isOtherOver(otherSequence)))
      .map(({ moment, ...difference }): Seen => {
        const isInput = isCarried(difference.name, difference, moment);
        const isDerived = weighDifference({ run, other }, row, difference, moment) === 'derived';
        const at = moment === 'before' || end === sequence ? sequence : end + 0.5;
        return { at, difference: { location, ...difference, sequence, otherSequence, isInput, isDerived } };
      });
    return onePerName(seen);
  });
  const differences = found.sort((a, b) => a.at - b.at).map(({ difference }) => difference);
  const meant = differences.filter(({ isInput, sequence }) => !isInput && (options.within?.has(sequence) ?? true));
  const first = meant.find(({ isDerived }) => !isDerived) ?? meant[0];
  const isCut = Math.min(limit, otherLimit) < Number.POSITIVE_INFINITY;
  return {
    ...(first === undefined ? {} : { first }),
    ...{ differences, aligned: aligned.length },
    ...(isCut ? { cut: true as const } : {}),
  };
}

/** A name that differs before and after the statement once, by the value that is no input where there is one. */
function onePerName(seen: readonly Seen[]): Seen[] {
  const names = [...new Set(seen.map(({ difference }) => difference.name))];
  return names.flatMap((name) => {
    const values = seen.filter(({ difference }) => difference.name === name);
    return values.find(({ difference }) => !difference.isInput) ?? values[0] ?? [];
  });
}

/** Per row: the last row that ran before it was over. */
function findEnds(rows: readonly DefUseRow[]): Int32Array {
  const ends = new Int32Array(rows.length);
  const callers = new Map<number, number>();
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    ends[at] = at;
    if (row?.role === 'entry' && row.caller !== undefined) callers.set(row.frame, row.caller);
  }
  for (let at = rows.length - 1; at >= 0 && callers.size > 0; at -= 1) {
    const caller = callers.get(rows[at]?.frame ?? -1);
    if (caller !== undefined) ends[caller] = Math.max(ends[caller] ?? 0, ends[at] ?? 0);
  }
  return ends;
}

/** A difference and when it could be seen. */
interface Seen {
  readonly at: number;
  readonly difference: TraceDifference;
}

interface DifferingValue {
  readonly moment: Moment;
  readonly name: string;
  readonly value: ValueText;
  readonly otherValue: ValueText;
}

/**
 * Values that two events of one statement record differently, a name up to twice: before the statement, then after it. A name that only one of
 * them records is not compared. `defs`: names whose value is of after the statement unless a change is on record.
 */
export function differingValues(
  { payload: mine }: RawEvent,
  { payload: theirs }: RawEvent,
  defs: readonly string[] = [],
): DifferingValue[] {
  if (isSamePayload(mine, theirs)) return [];
  const before = { ...mine.variables, ...mine.state_delta?.from };
  const otherBefore = { ...theirs.variables, ...theirs.state_delta?.from };
  const after = { ...mine.variables, ...mine.state_delta?.to };
  const otherAfter = { ...theirs.variables, ...theirs.state_delta?.to };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(compareText);
  const raised = mine.exception ?? theirs.exception;
  return [
    differ('branch', branchValue(mine.branch_taken), branchValue(theirs.branch_taken), 'branch'),
    ...names.flatMap((name) => [
      defs.includes(name) && !(own(mine.state_delta?.from, name) && own(theirs.state_delta?.from, name))
        ? undefined
        : differ(name, own(before, name), own(otherBefore, name), 'before'),
      differ(name, own(after, name), own(otherAfter, name)),
    ]),
    differ('return', mine.return_value, theirs.return_value, 'return'),
    raised && differ('raise', mine.exception ?? nothing, theirs.exception ?? nothing, 'raise'),
  ].filter((found) => found !== undefined);
}

/** Whether nothing differs, at the price of one look at each value; false where that takes more. */
function isSamePayload(mine: RawEvent['payload'], theirs: RawEvent['payload']): boolean {
  if (mine.state_delta ?? theirs.state_delta ?? mine.exception ?? theirs.exception) return false;
  if (mine.branch_taken !== theirs.branch_taken || differ('return', mine.return_value, theirs.return_value))
    return false;
  const { variables = {} } = theirs;
  for (const name in mine.variables) if (differ(name, own(mine.variables, name), own(variables, name))) return false;
  return true;
}

/** Stands where nothing was recorded. */
export const nothing: ValueText = { type: 'none', text: '', truncated: false };

/** A branch decision as a value. */
export function branchValue(branch: string | undefined): ValueText | undefined {
  return branch === undefined ? undefined : { type: 'branch', text: branch, truncated: false };
}

/** Serials are of one run and never compared; a masked secret was not observed. */
function differ(name: string, a?: ValueText, b?: ValueText, moment: Moment = 'after'): DifferingValue | undefined {
  if (a === undefined || b === undefined || (a.type === b.type && a.text === b.text)) return undefined;
  if (a.masked || b.masked) return undefined;
  return { moment, name, value: a, otherValue: b };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
