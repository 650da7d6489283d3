import { describe, expect, test } from 'vitest';
import { jaccard, ochiai, type StatementCounts, tarantula } from '../src/index.ts';
import { codeOf } from './code-of.ts';

/** A fraction of whole numbers, exact. */
type Rational = readonly [numerator: bigint, denominator: bigint];

function* allCounts(most: number): Generator<StatementCounts> {
  for (let totalFailed = 0; totalFailed <= most; totalFailed += 1) {
    for (let totalPassed = 0; totalPassed <= most; totalPassed += 1) {
      for (let failed = 0; failed <= totalFailed; failed += 1) {
        for (let passed = 0; passed <= totalPassed; passed += 1) yield { failed, passed, totalFailed, totalPassed };
      }
    }
  }
}

/** A finite double from 0 as the exact fraction it is. */
function exact(value: number): Rational {
  let denominator = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return [BigInt(scaled), denominator];
}

function compare([a, b]: Rational, [c, d]: Rational): number {
  return a * d < c * b ? -1 : a * d > c * b ? 1 : 0;
}

function neighbour(value: number, step: 1n | -1n): number {
  if (value === 0) return step === 1n ? Number.MIN_VALUE : 0;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + step);
  return view.getFloat64(0);
}

const ratio = (a: number, b: number): Rational => (b === 0 ? [0n, 1n] : [BigInt(a), BigInt(b)]);
const squared = ([a, b]: Rational): Rational => [a * a, b * b];

/** The computed double is the true value, or the neighbour on either side of it. */
function expectNearest(computed: number, truth: Rational, power: (value: Rational) => Rational, label: string): void {
  expect(Number.isNaN(computed), label).toBe(false);
  expect(compare(power(exact(neighbour(computed, -1n))), truth), label).toBeLessThanOrEqual(0);
  expect(compare(power(exact(neighbour(computed, 1n))), truth), label).toBeGreaterThanOrEqual(0);
}

describe('exact over every table up to 12 failing and 12 passing tests', () => {
  test('ochiai', () => {
    for (const counts of allCounts(12)) {
      const { failed, passed, totalFailed } = counts;
      const truth = ratio(failed * failed, totalFailed * (failed + passed));
      expectNearest(ochiai(counts), truth, squared, JSON.stringify(counts));
    }
  });

  test('tarantula', () => {
    for (const counts of allCounts(12)) {
      const { failed, passed, totalFailed, totalPassed } = counts;
      const truth: Rational =
        totalPassed === 0
          ? [failed > 0 ? 1n : 0n, 1n]
          : ratio(failed * totalPassed, failed * totalPassed + passed * totalFailed);
      expectNearest(tarantula(counts), truth, (value) => value, JSON.stringify(counts));
    }
  });

  test('jaccard', () => {
    for (const counts of allCounts(12)) {
      const { failed, passed, totalFailed } = counts;
      expectNearest(jaccard(counts), ratio(failed, totalFailed + passed), (value) => value, JSON.stringify(counts));
    }
  });

  test('ochiai orders as the true values do: equal ones get equal numbers', () => {
    const wrong: [StatementCounts, StatementCounts][] = [];
    for (let totalFailed = 1; totalFailed <= 12; totalFailed += 1) {
      const tables = [...allCounts(12)].filter(
        (counts) => counts.totalFailed === totalFailed && counts.totalPassed === 12,
      );
      for (const a of tables) {
        for (const b of tables) {
          const truth = compare(
            ratio(a.failed * a.failed, a.failed + a.passed),
            ratio(b.failed * b.failed, b.failed + b.passed),
          );
          if (Math.sign(ochiai(a) - ochiai(b)) !== truth) wrong.push([a, b]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('what the seed says of ochiai', () => {
  const of = (failed: number, passed: number, totalFailed: number, totalPassed: number) =>
    ochiai({ failed, passed, totalFailed, totalPassed });

  test.each<[string, number, number]>([
    ['in every failing run and no passing run', of(3, 0, 3, 5), 1],
    ['in no failing run', of(0, 5, 3, 5), 0],
    ['in no run', of(0, 0, 3, 5), 0],
    ['no run at all', of(0, 0, 0, 0), 0],
    ['no failing run', of(0, 5, 0, 5), 0],
    ['in one failing and three passing runs of 1 and 3', of(1, 3, 1, 3), 0.5],
    ['in every run: the pure formula is √(F / (F + P)), not 0', of(2, 6, 2, 6), 0.5],
    ['no passing run: √(failed / F)', of(1, 0, 4, 0), 0.5],
  ])('%s', (_, got, expected) => expect(got).toBe(expected));

  test('a perfect statement scores exactly 1, however many tests', () => {
    for (let total = 1; total <= 5000; total += 1) expect(of(total, 0, total, 7)).toBe(1);
  });

  test('more failing and fewer passing runs never lower it', () => {
    for (const counts of allCounts(8)) {
      const { failed, passed, totalFailed, totalPassed } = counts;
      if (failed < totalFailed) expect(ochiai({ ...counts, failed: failed + 1 })).toBeGreaterThan(ochiai(counts));
      if (passed < totalPassed && failed > 0)
        expect(ochiai({ ...counts, passed: passed + 1 })).toBeLessThan(ochiai(counts));
    }
  });
});

test.each<StatementCounts>([
  { failed: 2, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0, passed: 2, totalFailed: 1, totalPassed: 1 },
  { failed: -1, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0.5, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: Number.NaN, passed: 0, totalFailed: 1, totalPassed: 0 },
])('refuses %j', (counts) => {
  for (const formula of [ochiai, tarantula, jaccard]) expect(codeOf(() => formula(counts))).toBe('impossible_counts');
});
