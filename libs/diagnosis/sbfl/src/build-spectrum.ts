// Counts a spectrum test by test. Memory grows with the statements alone: no test-by-statement matrix is ever held.
import { parseLineRanges, type SpectrumStatement, type TestId, type TestOutcome } from '@h/contracts';
import { duplicateStatement, duplicateTest, statementOutOfRange } from './errors.ts';

export interface SpectrumTest {
  readonly id: TestId;
  readonly outcome: TestOutcome;
  /** 0-based indexes of the statements it executed, in any order: numbers, or a line set such as `"0-4,7"`. */
  readonly hits: Iterable<number> | string;
}

/** What a ranking reads of a spectrum. Plain numbers in process, not a record. */
export interface CountedSpectrum {
  readonly statements: readonly SpectrumStatement[];
  /** Tests counted as failing, in the order they were added. */
  readonly failing: readonly TestId[];
  readonly totalPassed: number;
  /** Per statement: failing tests that executed it. */
  readonly failed: Uint32Array;
  /** Per statement: passing tests that executed it. */
  readonly passed: Uint32Array;
  /** Per statement: a number that statements share which no counted test tells apart. */
  readonly groups: Uint32Array;
  readonly excluded: readonly { readonly test: TestId; readonly why: string }[];
}

export interface SpectrumBuilder {
  /** Counts one test. Throws `duplicate_test`, `statement_out_of_range`, or `invalid_line_set` of `@h/contracts`. */
  add(test: SpectrumTest): SpectrumBuilder;
  /** What has been counted so far; later tests do not change it. */
  spectrum(): CountedSpectrum;
}

/**
 * Starts a spectrum over these statements. Each `add` takes time in the size of its hits; memory is 20 bytes a statement and the ids.
 *
 * `failed`, `error` and `timeout` count as failing, `passed` as passing; tests of any other outcome are listed as excluded.
 * Throws `duplicate_statement`.
 */
export function buildSpectrum(statements: readonly SpectrumStatement[]): SpectrumBuilder {
  requireDistinct(statements);
  const ids = new Set<TestId>();
  const failing: TestId[] = [];
  const excluded: { test: TestId; why: string }[] = [];
  const failed = new Uint32Array(statements.length);
  const passed = new Uint32Array(statements.length);
  const collect = hitCollector(statements.length);
  const partition = partitionOf(statements.length);
  let totalPassed = 0;
  const builder: SpectrumBuilder = {
    add({ id, outcome, hits }) {
      if (ids.has(id)) throw duplicateTest(id);
      const indexes = collect(id, hits);
      ids.add(id);
      const why = excludedOutcomes[outcome];
      if (why !== undefined) {
        excluded.push({ test: id, why });
        return builder;
      }
      if (outcome === 'passed') totalPassed += 1;
      else failing.push(id);
      const counts = outcome === 'passed' ? passed : failed;
      for (const index of indexes) counts[index] = (counts[index] ?? 0) + 1;
      partition.refine(indexes);
      return builder;
    },
    spectrum: () => ({
      statements,
      failing: [...failing],
      totalPassed,
      failed: failed.slice(),
      passed: passed.slice(),
      groups: partition.groups.slice(),
      excluded: [...excluded],
    }),
  };
  return builder;
}

/** Outcomes that say neither that the program worked nor that it did not. */
const excludedOutcomes: { readonly [Outcome in TestOutcome]?: string } = {
  skipped: 'skipped',
  not_run: 'not run',
  xfailed: 'expected to fail, and did',
  xpassed: 'expected to fail, but passed',
};

/** Whether a test of this outcome counts as failing. */
export function isFailing(outcome: TestOutcome): boolean {
  return outcome === 'failed' || outcome === 'error' || outcome === 'timeout';
}

function requireDistinct(statements: readonly SpectrumStatement[]): void {
  const firsts = new Map<string, Set<number>>();
  for (const { file, first } of statements) {
    const seen = firsts.get(file) ?? new Set();
    if (seen.has(first)) throw duplicateStatement(`${file}:${first}`);
    firsts.set(file, seen.add(first));
  }
}

/** Turns hits into distinct indexes. The array it returns is used again for the next test. */
function hitCollector(size: number): (id: TestId, hits: Iterable<number> | string) => Uint32Array {
  const found = new Uint32Array(size);
  const lastRound = new Uint32Array(size);
  let round = 0;
  return (id, hits) => {
    let length = 0;
    if (typeof hits === 'string') {
      for (const [first, last] of parseLineRanges(hits)) {
        if (last >= size) throw statementOutOfRange(id, last, size);
        for (let index = first; index <= last; index += 1) found[length++] = index;
      }
      return found.subarray(0, length);
    }
    round += 1;
    for (const index of hits) {
      if (!Number.isInteger(index) || index < 0 || index >= size) throw statementOutOfRange(id, index, size);
      if (lastRound[index] === round) continue;
      lastRound[index] = round;
      found[length++] = index;
    }
    return found.subarray(0, length);
  };
}

/** All statements in one group at first; each test splits the groups it executed only in part (partition refinement, Paige and Tarjan 1987). */
function partitionOf(size: number) {
  const groups = new Uint32Array(size);
  const sizes = new Uint32Array(size);
  const hit = new Uint32Array(size);
  const splitTo = new Uint32Array(size);
  sizes[0] = size;
  let count = 1;
  return {
    groups,
    refine(indexes: Uint32Array): void {
      if (count === size) return;
      const touched: number[] = [];
      for (const index of indexes) {
        const group = groups[index] ?? 0;
        if (hit[group] === 0) touched.push(group);
        hit[group] = (hit[group] ?? 0) + 1;
      }
      let split = false;
      for (const group of touched) {
        const inside = hit[group] ?? 0;
        hit[group] = 0;
        splitTo[group] = group;
        if (inside === sizes[group]) continue;
        split = true;
        splitTo[group] = count;
        sizes[count] = inside;
        sizes[group] = (sizes[group] ?? 0) - inside;
        count += 1;
      }
      if (!split) return;
      for (const index of indexes) groups[index] = splitTo[groups[index] ?? 0] ?? 0;
    },
  };
}
