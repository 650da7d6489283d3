// What a test handed in and the program only carries on: two tests differ there by intention, wherever the value turns up. Followed over the
// rows that both runs execute, as pairs of a value of the one run and a value of the other; nothing is carried because its text alone is equal.
import type { DefUseRow, ObservedRun, ValueText } from '@h/contracts';
import type { AlignedRow } from './align-runs.ts';
import { rememberItems, showsItem } from './read-items.ts';
import { isPath, isPrimitive, splitPath, textAt } from './read-values.ts';
import { isTestObject } from './test-code.ts';
import {
  type Here,
  isEqualPair,
  isSame,
  isSamePair,
  meetObjects,
  type Pair,
  readPair,
  serialsOf,
} from './value-pairs.ts';

/** What of a row a value is: of a variable as the statement began or once it was over, or the row's own outcome. */
export type Moment = 'branch' | 'before' | 'after' | 'return' | 'raise';

/** Whether two different values of one name are what the tests handed in. Decisions and exceptions never are, but in code of the test. */
export type IsCarried = (name: string, pair: Pair, moment: Moment) => boolean;

/**
 * Takes aligned rows in order. Carried are, in both runs and from the same place:
 *
 * 1. parameters of a function that the test itself called, and whatever stands in code of the test;
 * 2. a name bound to such a value, until a statement binds it anew or the value changes;
 * 3. a parameter equal to what the calling statement read: a carried name, a slot of one, an item of one. What was read explains one parameter, that
 *    of its own name before others;
 * 4. the target of a loop over a carried collection, as long as it is an item of it;
 * 5. a name bound to an object (`ref`) that was carried before and did not change, or to one first met here that is a slot or item of what was read.
 *
 * An item is the nth one in the nth turn of a loop or call of a callback, a structured one (no number, no string) at any place, the same in both runs.
 * What else a statement computes is not carried, though it be equal to an input.
 */
export function followInputs(run: ObservedRun, other: ObservedRun): (aligned: AlignedRow) => IsCarried {
  const state: State = {
    run,
    other,
    frames: new Map(),
    objects: new Map(),
    met: meetObjects(run),
    otherMet: meetObjects(other),
    pairs: new Map(),
    calls: new Map(),
    items: rememberItems(),
  };
  return (aligned) => {
    const row = run.rows[aligned.sequence];
    state.pairs.set(aligned.sequence, aligned.otherSequence);
    if (row === undefined || aligned.isTest) return () => true;
    const frame = enterRow(state, row);
    if (row.role === 'entry') return enterFrame(state, row, frame, aligned);
    return readRow(state, row, frame, aligned.otherSequence);
  };
}

interface State {
  readonly run: ObservedRun;
  readonly other: ObservedRun;
  readonly frames: Map<number, Frame>;
  /** Carried objects that both runs met at one place, by their two serials: as they were. */
  readonly objects: Map<string, Pair>;
  /** Row at which an object is first seen, by serial. */
  readonly met: ReadonlyMap<number, number>;
  readonly otherMet: ReadonlyMap<number, number>;
  /** Row of the other run, by row. */
  readonly pairs: Map<number, number>;
  /** Calls of a function by a row so far. */
  readonly calls: Map<string, number>;
  readonly items: (text: string) => readonly string[];
}

interface Frame {
  readonly function: string;
  /** Frame of the function around it, where it is on the way from the test. */
  readonly outer: Frame | undefined;
  /** Undefined: bound to something else. */
  readonly names: Map<string, Pair | undefined>;
  /** What the row under way binds, once it is over. */
  pending: readonly string[];
  readonly bound: Map<string, Pair>;
  /** Turns of loops so far. */
  readonly turns: Map<string, number>;
}

/** The frame of a row, with what the row before it in that frame has bound. */
function enterRow(state: State, row: DefUseRow): Frame {
  const caller = row.caller === undefined ? undefined : state.frames.get(state.run.rows[row.caller]?.frame ?? -1);
  const frame = state.frames.get(row.frame) ?? openFrame(row.function, caller);
  state.frames.set(row.frame, frame);
  for (const name of frame.pending) frame.names.set(name, frame.bound.get(name));
  frame.pending = row.role === 'entry' ? [] : row.defs.filter((path) => !isPath(path));
  frame.bound.clear();
  return frame;
}

function openFrame(name: string, caller: Frame | undefined): Frame {
  const around = [caller, caller?.outer].find((frame) => frame !== undefined && name.startsWith(`${frame.function}.`));
  return { function: name, outer: around, names: new Map(), pending: [], bound: new Map(), turns: new Map() };
}

function lookUp(frame: Frame | undefined, name: string): Pair | undefined {
  for (let at = frame; at !== undefined; at = at.outer) if (at.names.has(name)) return at.names.get(name);
  return undefined;
}

function enterFrame(state: State, row: DefUseRow, frame: Frame, { isInput, otherSequence }: AlignedRow): IsCarried {
  const given = readParameters(state, row, otherSequence);
  const carried = isInput ? given : explainParameters(state, row, otherSequence, given);
  for (const [name, pair] of given) if (!carried.has(name) && isKnownObject(state, pair)) carried.set(name, pair);
  for (const [name, pair] of carried) keep(state, frame.names, name, pair);
  return (name, pair, moment) => isVariable(moment) && (carried.has(name) || isTests(state, pair));
}

function readRow(state: State, row: DefUseRow, frame: Frame, otherSequence: number): IsCarried {
  const event = state.run.events[row.sequence];
  const isTurn = row.role === 'branch' && event?.payload.branch_taken === 'iteration';
  const turn = frame.turns.get(row.location) ?? 0;
  if (row.role === 'branch') frame.turns.set(row.location, isTurn ? turn + 1 : 0);
  const here = { sequence: row.sequence, otherSequence };
  const differing = frame.pending.flatMap((name) => {
    const pair = readPair(state, here, name, 'after');
    return pair === undefined || isEqualPair(pair) ? [] : [{ name, pair }];
  });
  const sources = differing.length === 0 ? [] : readSources(state, row, otherSequence);
  for (const { name, pair } of differing) {
    const isHanded = isTurn ? isItem(state, sources, pair, turn) : isPartMetHere(state, sources, pair, here);
    if (isHanded || isKnownObject(state, pair)) keep(state, frame.bound, name, pair);
  }
  return (name, pair, moment) => {
    if (moment === 'branch' || moment === 'raise') return false;
    if (isTests(state, pair) || isKnownObject(state, pair)) return true;
    if (moment === 'return') return false;
    const bound = moment === 'after' && frame.pending.includes(name) ? frame.bound.get(name) : lookUp(frame, name);
    return bound !== undefined && isSamePair(bound, pair);
  };
}

/** Parameters that show what the calling statement read. */
function explainParameters(
  state: State,
  { caller, function: name, location }: DefUseRow,
  otherSequence: number,
  given: ReadonlyMap<string, Pair>,
): Map<string, Pair> {
  const carried = new Map<string, Pair>();
  const calling = caller === undefined ? undefined : state.run.rows[caller];
  const otherCaller = state.other.rows[otherSequence]?.caller;
  if (calling === undefined || otherCaller === undefined || state.pairs.get(calling.sequence) !== otherCaller)
    return carried;
  const call = name.startsWith(`${calling.function}.`) ? countCall(state, `${calling.sequence} ${location}`) : -1;
  const claims = new Map<string, string[]>();
  for (const source of readSources(state, calling, otherCaller)) {
    for (const [parameter, pair] of given) {
      const place = explain(state, source, parameter, pair, call);
      if (place !== undefined) claims.set(place, [...(claims.get(place) ?? []), parameter]);
    }
  }
  for (const [place, parameters] of claims) {
    const named = parameters.filter((parameter) => place.slice(place.lastIndexOf('.') + 1) === parameter);
    const [only, second] = named.length > 0 ? named : parameters;
    const pair = only === undefined || second !== undefined ? undefined : given.get(only);
    if (only !== undefined && pair !== undefined) carried.set(only, pair);
  }
  return carried;
}

/** How often a function inside the calling one was called by that row before: the callback of a `map` is, for one item after the other. */
function countCall({ calls }: State, key: string): number {
  const count = calls.get(key) ?? 0;
  calls.set(key, count + 1);
  return count;
}

/** Where in a source a parameter comes from; `call`: -1 where it is not known to be for one item after the other. */
function explain(state: State, source: Source, parameter: string, pair: Pair, call: number): string | undefined {
  if (isShown(source, pair)) return source.path;
  const slot = slotOf(source, [parameter]);
  if (slot !== undefined && isShown(slot, pair)) return slot.path;
  return isItem(state, [source], pair, call) ? `${source.path}[]` : undefined;
}

/** What a statement read that is carried: a name or a slot of one. */
interface Source {
  readonly path: string;
  readonly pair: Pair;
}

function readSources(state: State, row: DefUseRow, otherSequence: number): Source[] {
  const frame = state.frames.get(row.frame);
  const found = new Map<string, Source>();
  for (const path of row.uses) {
    const { base, slots } = splitPath(path);
    const bound = lookUp(frame, base);
    const now = readPair(state, { sequence: row.sequence, otherSequence }, base, 'before') ?? bound;
    if (now === undefined || isEqualPair(now)) continue;
    if (!isKnownObject(state, now) && !(bound !== undefined && isSamePair(bound, now))) continue;
    const source = slots === undefined ? undefined : slotOf({ path: base, pair: now }, slots);
    if (source !== undefined) found.set(path, source);
  }
  return [...found.values()];
}

function slotOf({ path, pair }: Source, slots: readonly string[]): Source | undefined {
  if (slots.length === 0) return { path, pair };
  const [text, otherText] = [textAt(pair.value, slots), textAt(pair.otherValue, slots)];
  if (text === undefined || otherText === undefined) return undefined;
  const part = (of: string): ValueText => ({ type: slotType, text: of, truncated: false });
  return { path: [path, ...slots].join('.'), pair: { value: part(text), otherValue: part(otherText) } };
}

/** Of a slot only the text is known. */
const slotType = '';

function isSlot({ pair }: Source): boolean {
  return pair.value.type === slotType;
}

function isShown({ pair: { value, otherValue } }: Source, pair: Pair): boolean {
  return isShownIn(value, pair.value) && isShownIn(otherValue, pair.otherValue);
}

function isShownIn(source: ValueText, value: ValueText): boolean {
  return source.type === slotType ? source.text === value.text : isSame(source, value);
}

/** The nth item of a source in both runs; a structured one at any place, the same in both. */
function isItem(state: State, sources: readonly Source[], pair: Pair, turn: number): boolean {
  const isStructured = [pair.value, pair.otherValue].every((value) => !isPrimitive(value) && /[[{]/.test(value.text));
  return sources.some(({ pair: { value, otherValue } }) => {
    const [items, others] = [state.items(value.text), state.items(otherValue.text)];
    return items.some(
      (item, at) =>
        (at === turn || isStructured) &&
        showsItem(item, pair.value.text) &&
        showsItem(others[at] ?? '', pair.otherValue.text),
    );
  });
}

/** An object that neither run has met before and that what was read shows as a slot or item. */
function isPartMetHere(state: State, sources: readonly Source[], pair: Pair, here: Here): boolean {
  const { value, otherValue } = pair;
  if (value.ref === undefined || state.met.get(value.ref) !== here.sequence) return false;
  if (otherValue.ref === undefined || state.otherMet.get(otherValue.ref) !== here.otherSequence) return false;
  return sources.some((source) => isSlot(source) && isShown(source, pair)) || isItem(state, sources, pair, 0);
}

function keep(state: State, names: Map<string, Pair | undefined>, name: string, pair: Pair): void {
  names.set(name, pair);
  const key = serialsOf(pair);
  if (key !== undefined) state.objects.set(key, pair);
}

function isKnownObject({ objects }: State, pair: Pair): boolean {
  const key = serialsOf(pair);
  const known = key === undefined ? undefined : objects.get(key);
  return known !== undefined && isSamePair(known, pair);
}

function isTests({ run, other }: State, { value, otherValue }: Pair): boolean {
  return isTestObject(value, run.test) && isTestObject(otherValue, other.test);
}

/** Parameters that differ. */
function readParameters(state: State, { sequence, defs }: DefUseRow, otherSequence: number): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const name of defs) {
    const pair = readPair(state, { sequence, otherSequence }, name, 'after');
    if (pair !== undefined && !isEqualPair(pair)) pairs.set(name, pair);
  }
  return pairs;
}

function isVariable(moment: Moment): boolean {
  return moment === 'before' || moment === 'after';
}
