// What failing tests say, as far as it tells one kind of change from another.
import type { TestFailure } from '@h/contracts';
import { readRendered, type Value } from './seen-value.ts';

/** What a failure points at. */
export interface FailureSigns {
  /** Nothing was used as something: `None`, `null`, `undefined`. */
  readonly nothing: boolean;
  readonly range: boolean;
  readonly zero: boolean;
  /** A call had too many or too few arguments. */
  readonly arguments: boolean;
  /** An operator was given values that it does not take together. */
  readonly operands: boolean;
  /** It did not end, or called itself without end. */
  readonly endless: boolean;
  /** Names, attributes and keys that do not exist. */
  readonly unknown: ReadonlySet<string>;
  /** An assertion's two sides, of every test that has them as values. */
  readonly differences: readonly Difference[];
}

export interface Difference {
  readonly expected: Value;
  readonly actual: Value;
  readonly relation: Relation;
}

/** How what was expected lies to what came. */
export type Relation =
  | 'opposite'
  | 'one-apart'
  | 'sign'
  | 'number'
  | 'came-nothing'
  | 'wanted-nothing'
  | 'case'
  | 'blanks'
  | 'text'
  | 'order'
  | 'length'
  | 'other';

const MAX_FAILURES = 50;
const UNKNOWN: readonly RegExp[] = [
  /name ['"]([^'"]+)['"] is not defined/,
  /local variable ['"]([^'"]+)['"]/,
  /^([\w$]+) is not defined/,
  /has no attribute ['"]([^'"]+)['"]/,
  /(?:^|[\s.(])([\w$]+) is not a (?:function|constructor)/,
  /unexpected keyword argument ['"]([^'"]+)['"]/,
];

/** Signs of all failures together; undefined without any. */
export function readFailures(failures: readonly TestFailure[]): FailureSigns | undefined {
  const looked = failures.slice(0, MAX_FAILURES);
  if (looked.length === 0) return undefined;
  const says = (pattern: RegExp) => looked.some(({ class: name, message }) => pattern.test(`${name}: ${message}`));
  return {
    nothing: says(/NoneType|(of|reading|properties of) (undefined|null)|(undefined|null) is not|is (undefined|null)\b/),
    range: says(/^(IndexError|KeyError|RangeError|StopIteration)|out of range|Invalid (array|string) length/),
    zero: says(/ZeroDivisionError|division by zero|Division by zero/),
    arguments: says(/positional argument|missing \d+ required|takes \d+|takes no arguments|required argument/),
    operands: says(
      /unsupported operand|can only concatenate|must be str|not supported between|can't multiply|Cannot mix/,
    ),
    endless: says(/^(Timeout|RecursionError)|maximum recursion|Maximum call stack|timed out|time limit/i),
    unknown: new Set(looked.flatMap(unknownOf)),
    differences: looked.flatMap(differenceOf),
  };
}

function unknownOf({ class: name, message }: TestFailure): string[] {
  const found = UNKNOWN.flatMap((pattern) => pattern.exec(message)?.[1] ?? []);
  const key = name === 'KeyError' ? /^['"]([^'"]+)['"]$/.exec(message.trim())?.[1] : undefined;
  return key === undefined ? found : [...found, key];
}

function differenceOf({ expected, actual }: TestFailure): Difference[] {
  const sides = [expected, actual].map((side) => (side === undefined ? undefined : readRendered(side.trim())));
  const [wanted, came] = sides;
  if (wanted === undefined || came === undefined) return [];
  return [{ expected: wanted, actual: came, relation: relationOf(wanted, came) }];
}

function relationOf(expected: Value, actual: Value): Relation {
  if (actual.kind === 'none' && expected.kind !== 'none') return 'came-nothing';
  if (expected.kind === 'none' && actual.kind !== 'none') return 'wanted-nothing';
  if (expected.kind === 'truth' && actual.kind === 'truth') return 'opposite';
  if (expected.kind === 'number' && actual.kind === 'number') {
    if (Math.abs(expected.value - actual.value) === 1) return 'one-apart';
    return expected.value === -actual.value ? 'sign' : 'number';
  }
  if (expected.kind === 'text' && actual.kind === 'text') return textRelation(expected.value, actual.value);
  if (expected.kind !== 'object' || actual.kind !== 'object') return 'other';
  if (lettersOf(expected.text) === lettersOf(actual.text)) return 'order';
  return expected.type === actual.type && expected.text.length !== actual.text.length ? 'length' : 'other';
}

function textRelation(expected: string, actual: string): Relation {
  if (expected.toLowerCase() === actual.toLowerCase()) return 'case';
  if (expected.replace(/\s+/g, '') === actual.replace(/\s+/g, '')) return 'blanks';
  return lettersOf(expected) === lettersOf(actual) ? 'order' : 'text';
}

/** The same letters in any order. */
function lettersOf(text: string): string {
  return [...text].sort().join('');
}

/** What came in a place where something else was wanted, as it could be written in a literal. */
export interface Wanted {
  readonly came: string;
  readonly wanted: string;
}

const MAX_WANTED = 12;
const MAX_TEXT = 40;

/** Where the sides of failed assertions differ: by letter, with a letter around it, by word. */
export function wantedIn({ differences }: FailureSigns): Wanted[] {
  const found = new Map<string, Wanted>();
  for (const { expected, actual } of differences) {
    for (const one of wantedBetween(expected, actual)) {
      if (found.size >= MAX_WANTED) return [...found.values()];
      if (one.came.length <= MAX_TEXT && one.wanted.length <= MAX_TEXT && one.came !== one.wanted)
        found.set(JSON.stringify([one.came, one.wanted]), one);
    }
  }
  return [...found.values()];
}

function wantedBetween(expected: Value, actual: Value): Wanted[] {
  if (expected.kind === 'number' && actual.kind === 'number')
    return [{ came: String(actual.value), wanted: String(expected.value) }];
  const [wanted, came] = [expected, actual].map((value) =>
    value.kind === 'text' ? value.value : value.kind === 'object' ? value.text : undefined,
  );
  return wanted === undefined || came === undefined ? [] : differingParts(came, wanted);
}

/** Without what both begin and end with; then with a neighbouring letter, so that what is only missing has a place; then whole words. */
function differingParts(came: string, wanted: string): Wanted[] {
  const shorter = Math.min(came.length, wanted.length);
  let head = 0;
  while (head < shorter && came[head] === wanted[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && came[came.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail += 1;
  const part = (before: number, after: number): Wanted => ({
    came: came.slice(Math.max(0, head - before), came.length - Math.max(0, tail - after)),
    wanted: wanted.slice(Math.max(0, head - before), wanted.length - Math.max(0, tail - after)),
  });
  const before = /[\p{L}\p{N}_-]*$/u.exec(came.slice(0, head))?.[0].length ?? 0;
  const after = /^[\p{L}\p{N}_-]*/u.exec(came.slice(came.length - tail))?.[0].length ?? 0;
  return [part(0, 0), part(1, 0), part(0, 1), part(before, after)].filter((one) => one.came !== '');
}
