// Counts a spectrum test by test; no test-by-statement matrix is ever held.
import { parseLineRanges, type SpectrumStatement, type TestId, type TestOutcome } from '@h/contracts';
import { countSegments } from './count-segments.ts';
import { duplicateStatement, duplicateTest, statementOutOfRange } from './errors.ts';
import { placeStatements, type StatementPlaces } from './place-statements.ts';

export interface SpectrumTest {
  readonly id: TestId;
  readonly outcome: TestOutcome;
  /** 0-based indexes of the statements it executed, in any order: numbers, or a line set such as `"0-4,7"`. */
  readonly hits: Iterable<number> | string;
}

/** What a ranking reads of a spectrum. Plain numbers in process, not a record. */
export interface CountedSpectrum {
  readonly statements: readonly SpectrumStatement[];
  /** Tests counted as failing, in the order they were added; fewer than `totalFailed` where only counts are known. */
  readonly failing: readonly TestId[];
  readonly totalFailed: number;
  readonly totalPassed: number;
  /** Per statement: failing tests that executed it. */
  readonly failed: Uint32Array;
  /** Per statement: passing tests that executed it. */
  readonly passed: Uint32Array;
  /** Per given statement: a number that those share which no counted test tells apart. */
  readonly groupsOf: (statements: Uint32Array) => Uint32Array;
  readonly places: StatementPlaces;
  readonly excluded: readonly { readonly test: TestId; readonly why: string }[];
}

export interface SpectrumBuilder {
  /** Counts one test. Throws `duplicate_test`, `statement_out_of_range`, or `invalid_line_set` of `@h/contracts`. */
  add(test: SpectrumTest): SpectrumBuilder;
  /** What has been counted so far; later tests do not change it. */
  spectrum(): CountedSpectrum;
}

/**
 * Starts a spectrum over these statements. Each `add` takes time in its ranges of neighbouring hits; memory is 36 bytes a statement, and
 * the ids: it does not grow with the number of tests otherwise.
 *
 * `failed`, `error` and `timeout` count as failing, `passed` as passing; tests of any other outcome are listed as excluded.
 * Throws `duplicate_statement`.
 */
export function buildSpectrum(statements: readonly SpectrumStatement[]): SpectrumBuilder {
  requireDistinct(statements);
  const ids = new Set<TestId>();
  const failing: TestId[] = [];
  const excluded: { test: TestId; why: string }[] = [];
  const segments = countSegments(statements.length);
  const places = placeStatements(statements);
  const readRanges = rangeReader(statements.length);
  let totalPassed = 0;
  const builder: SpectrumBuilder = {
    add({ id, outcome, hits }) {
      if (ids.has(id)) throw duplicateTest(id);
      const ranges = readRanges(hits, (index) => statementOutOfRange(id, index, statements.length));
      ids.add(id);
      const why = excludedOutcomes[outcome];
      if (why !== undefined) {
        excluded.push({ test: id, why });
        return builder;
      }
      if (outcome === 'passed') totalPassed += 1;
      else failing.push(id);
      segments.count(ranges, outcome !== 'passed');
      return builder;
    },
    spectrum() {
      const { failed, passed, groups } = segments.columns();
      return {
        statements,
        failing: [...failing],
        totalFailed: failing.length,
        totalPassed,
        failed,
        passed,
        groupsOf: (indexes) => indexes.map((index) => groups[index] ?? 0),
        places,
        excluded: [...excluded],
      };
    },
  };
  return builder;
}

/** Outcomes that say neither that the program worked nor that it did not. */
export const excludedOutcomes: { readonly [Outcome in TestOutcome]?: string } = {
  skipped: 'skipped',
  not_run: 'not run',
  xfailed: 'expected to fail, and did',
  xpassed: 'expected to fail, but passed',
};

/** Whether a test of this outcome counts as failing. */
export function isFailing(outcome: TestOutcome): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
}

export function requireDistinct(statements: readonly SpectrumStatement[]): void {
  const firsts = new Map<string, Set<number>>();
  for (const { file, first } of statements) {
    const seen = firsts.get(file) ?? new Set();
    if (seen.has(first)) throw duplicateStatement(`${file}:${first}`);
    firsts.set(file, seen.add(first));
  }
}

/** Reads hits into ascending ranges, flat: first, last, first, last … The array it returns is used again for the next test. */
function rangeReader(size: number) {
  const flat = new Uint32Array(size + 1);
  return (hits: Iterable<number> | string, outside: (index: number) => Error): Uint32Array => {
    let length = 0;
    const push = (first: number, last: number) => {
      if (last >= size) throw outside(last);
      if (length === 0 || first > (flat[length - 1] ?? 0) + 1) {
        flat[length] = first;
        length += 2;
      }
      flat[length - 1] = last;
    };
    if (typeof hits === 'string') for (const [first, last] of parseLineRanges(hits)) push(first, last);
    else for (const index of ascending(hits, size, outside)) push(index, index);
    return flat.subarray(0, length);
  };
}

function ascending(hits: Iterable<number>, size: number, outside: (index: number) => Error): Iterable<number> {
  const numbers = Array.isArray(hits) ? (hits as number[]) : [...hits];
  let sorted = true;
  let previous = 0;
  for (const index of numbers) {
    if (!Number.isInteger(index) || index < 0 || index >= size) throw outside(index);
    sorted &&= index >= previous;
    previous = index;
  }
  return sorted ? numbers : Uint32Array.from(numbers).sort();
}
