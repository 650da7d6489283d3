// A value of one run beside the value of the other at the same point.
import type { ObservedRun, ValueText } from '@h/contracts';
import { valueAfter, valueBefore } from './read-values.ts';

export interface Pair {
  readonly value: ValueText;
  readonly otherValue: ValueText;
}

/** A row of each run. */
export interface Here {
  readonly sequence: number;
  readonly otherSequence: number;
}

/** What both runs record of a name as the statement began, or once it was over. */
export function readPair(
  { run, other }: { readonly run: ObservedRun; readonly other: ObservedRun },
  { sequence, otherSequence }: Here,
  name: string,
  moment: 'before' | 'after',
): Pair | undefined {
  const [value, otherValue] = [read(run, sequence, name, moment), read(other, otherSequence, name, moment)];
  return value === undefined || otherValue === undefined ? undefined : { value, otherValue };
}

function read({ rows, events }: ObservedRun, sequence: number, name: string, moment: 'before' | 'after') {
  const row = rows[sequence];
  return row && (moment === 'after' ? valueAfter : valueBefore)(row, events[sequence], name);
}

/** Of a masked secret nobody knows. */
export function isSame(a: ValueText, b: ValueText): boolean {
  return (
    a.type === b.type &&
    a.text === b.text &&
    !a.masked &&
    (a.ref === undefined || b.ref === undefined || a.ref === b.ref)
  );
}

export function isSamePair(a: Pair, b: Pair): boolean {
  return isSame(a.value, b.value) && isSame(a.otherValue, b.otherValue);
}

/** Serials are of one run and never compared. */
export function isEqualPair({ value, otherValue }: Pair): boolean {
  return value.type === otherValue.type && value.text === otherValue.text && !value.masked;
}

/** The two serials, where both values are objects. */
export function serialsOf({ value, otherValue }: Pair): string | undefined {
  return value.ref === undefined || otherValue.ref === undefined ? undefined : `${value.ref}/${otherValue.ref}`;
}

/** Row at which an object is first seen, by serial. */
export function meetObjects({ events }: ObservedRun): Map<number, number> {
  const met = new Map<number, number>();
  for (const { sequence, payload } of events) {
    for (const values of [payload.variables, payload.state_delta?.from]) {
      for (const { ref } of Object.values(values ?? {})) if (ref !== undefined && !met.has(ref)) met.set(ref, sequence);
    }
  }
  return met;
}
