import { describe, expect, test } from 'vitest';
import { type FormulaName, formulas, ochiai, type StatementCounts } from '../src/index.ts';
import { codeOf } from './code-of.ts';

/** A fraction of whole numbers, exact, denominator above 0. */
type Rational = readonly [numerator: bigint, denominator: bigint];
type Table = Readonly<Record<'ef' | 'nf' | 'ep' | 'np', bigint>>;

/** The published definition as a fraction; `root`: of the square, with the sign of the true value; null: infinite. */
interface Definition {
  readonly root?: true;
  readonly of: (table: Table) => Rational | null;
}

const ratio = (a: bigint, b: bigint): Rational => (b === 0n ? [0n, 1n] : [a, b]);
const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
const minus = (one: Rational, [c, d]: Rational): Rational => plus(one, [-c, d]);
const over = ([a, b]: Rational, [c, d]: Rational): Rational => (c === 0n ? [0n, 1n] : [a * d, b * c]);
const magnitude = ([a, b]: Rational): Rational => [a < 0n ? -a : a, b];
const signedSquare = (n: bigint, d: bigint): Rational => (d === 0n ? [0n, 1n] : [n < 0n ? -n * n : n * n, d]);
const whole = (n: bigint): Rational => [n, 1n];

/** Written down from the papers once more, in fractions, not from the code under test. */
const definitions: Record<FormulaName, Definition> = {
  ochiai: { root: true, of: ({ ef, nf, ep }) => ratio(ef * ef, (ef + nf) * (ef + ep)) },
  tarantula: {
    of: ({ ef, nf, ep, np }) => over(ratio(ef, ef + nf), plus(ratio(ef, ef + nf), ratio(ep, ep + np))),
  },
  dstar: { of: ({ ef, nf, ep }) => (ef > 0n && nf + ep === 0n ? null : ratio(ef * ef, nf + ep)) },
  op2: { of: ({ ef, ep, np }) => minus(whole(ef), [ep, ep + np + 1n]) },
  jaccard: { of: ({ ef, nf, ep }) => ratio(ef, ef + nf + ep) },
  barinel: { of: ({ ef, ep }) => (ef + ep === 0n ? whole(0n) : minus(whole(1n), ratio(ep, ep + ef))) },
  ochiai2: {
    root: true,
    of: ({ ef, nf, ep, np }) => signedSquare(ef * np, (ef + ep) * (nf + np) * (ef + nf) * (ep + np)),
  },
  ample: { of: ({ ef, nf, ep, np }) => magnitude(minus(ratio(ef, ef + nf), ratio(ep, ep + np))) },
  kulczynski2: { of: ({ ef, nf, ep }) => over(plus(ratio(ef, ef + nf), ratio(ef, ef + ep)), whole(2n)) },
  zoltar: {
    of: ({ ef, nf, ep }) =>
      ef === 0n ? whole(0n) : over(whole(ef), plus(whole(ef + nf + ep), ratio(10_000n * nf * ep, ef))),
  },
  phi: {
    root: true,
    of: ({ ef, nf, ep, np }) => signedSquare(ef * np - nf * ep, (ef + ep) * (nf + np) * (ef + nf) * (ep + np)),
  },
  wong3: {
    of: ({ ef, ep }) => {
      if (ep <= 2n) return whole(ef - ep);
      if (ep <= 10n) return minus(whole(ef), plus(whole(2n), [ep - 2n, 10n]));
      return minus(whole(ef), plus([28n, 10n], [ep - 10n, 1000n]));
    },
  },
};
const names = Object.keys(formulas) as FormulaName[];

/** Every table with ef, nf, ep and np from 0 to `most`. */
function* allTables(most: number): Generator<readonly [ef: number, nf: number, ep: number, np: number]> {
  for (let ef = 0; ef <= most; ef += 1)
    for (let nf = 0; nf <= most; nf += 1)
      for (let ep = 0; ep <= most; ep += 1) for (let np = 0; np <= most; np += 1) yield [ef, nf, ep, np];
}

const countsOf = (ef: number, nf: number, ep: number, np: number): StatementCounts => ({
  failed: ef,
  passed: ep,
  totalFailed: ef + nf,
  totalPassed: ep + np,
});
const tableOf = (ef: number, nf: number, ep: number, np: number): Table => ({
  ef: BigInt(ef),
  nf: BigInt(nf),
  ep: BigInt(ep),
  np: BigInt(np),
});

const view = new DataView(new ArrayBuffer(8));

/** A finite double as the exact fraction it is. */
function exact(value: number): Rational {
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  const [top, bottom] = power >= 0 ? [mantissa << BigInt(power), 1n] : [mantissa, 1n << BigInt(-power)];
  return [value < 0 ? -top : top, bottom];
}

/** The double next to a value, above or below it. */
function neighbour(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value > 0 ? step : -step));
  return view.getFloat64(0);
}

function compare([a, b]: Rational, [c, d]: Rational): number {
  return a * d < c * b ? -1 : a * d > c * b ? 1 : 0;
}

/** What the definition is compared with: the number itself, or its square with its sign. */
function comparable(value: number, root: boolean): Rational {
  const [top, bottom] = exact(value);
  return root ? [top < 0n ? -top * top : top * top, bottom * bottom] : [top, bottom];
}

describe('clause 1: exact against fractions over all (ef, nf, ep, np) in 0…12, never NaN, never infinite', () => {
  test('the twelve formulas', () =>
    expect(names).toEqual([
      'ochiai',
      'tarantula',
      'dstar',
      'op2',
      'jaccard',
      'barinel',
      'ochiai2',
      'ample',
      'kulczynski2',
      'zoltar',
      'phi',
      'wong3',
    ]));

  test.each(names)('%s is the true value or the double on either side of it', (name) => {
    const { of, root = false } = definitions[name];
    const wrong: unknown[] = [];
    let tables = 0;
    for (const table of allTables(12)) {
      tables += 1;
      const computed = formulas[name](countsOf(...table));
      const truth = of(tableOf(...table));
      const right =
        truth === null
          ? computed === Number.MAX_VALUE
          : Number.isFinite(computed) &&
            compare(comparable(neighbour(computed, -1), root), truth) <= 0 &&
            compare(comparable(neighbour(computed, 1), root), truth) >= 0;
      if (!right) wrong.push({ table, computed });
    }
    expect(tables).toBe(13 ** 4);
    expect(wrong).toEqual([]);
  });

  test.each(names)('%s orders as the true values do: equal ones get equal numbers', (name) => {
    const { of } = definitions[name];
    const wrong: unknown[] = [];
    const totals: readonly (readonly [number, number])[] = [
      [12, 12],
      [7, 3],
      [1, 9],
      [5, 0],
    ];
    for (const [totalFailed, totalPassed] of totals) {
      const tables = [...allTables(12)].filter(
        ([ef, nf, ep, np]) => ef + nf === totalFailed && ep + np === totalPassed,
      );
      const scored = tables.map((table) => ({
        table,
        score: formulas[name](countsOf(...table)),
        truth: of(tableOf(...table)),
      }));
      for (const a of scored) {
        for (const b of scored) {
          const order =
            a.truth === null || b.truth === null
              ? Number(a.truth === null) - Number(b.truth === null)
              : compare(a.truth, b.truth);
          if (Math.sign(a.score - b.score) !== order) wrong.push([a.table, b.table]);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("dstar's infinity is one number above all others, which JSON holds", () => {
    const perfect = formulas.dstar(countsOf(12, 0, 0, 12));
    expect(JSON.parse(JSON.stringify(perfect))).toBe(perfect);
    expect(formulas.dstar(countsOf(1, 0, 0, 0))).toBe(perfect);
    for (const [ef, nf, ep, np] of allTables(6))
      if (nf + ep > 0) expect(formulas.dstar(countsOf(ef, nf, ep, np))).toBeLessThanOrEqual((ef + nf) ** 2);
  });
});

describe('seed 12 §3.1, what it says of ochiai', () => {
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
    for (const [ef, nf, ep, np] of allTables(5)) {
      const score = ochiai(countsOf(ef, nf, ep, np));
      if (nf > 0) expect(ochiai(countsOf(ef + 1, nf - 1, ep, np))).toBeGreaterThan(score);
      if (np > 0 && ef > 0) expect(ochiai(countsOf(ef, nf, ep + 1, np - 1))).toBeLessThan(score);
    }
  });
});

test.each<StatementCounts>([
  { failed: 2, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0, passed: 2, totalFailed: 1, totalPassed: 1 },
  { failed: -1, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0, passed: 0, totalFailed: -1, totalPassed: 0 },
  { failed: 0.5, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0, passed: 0, totalFailed: 1.5, totalPassed: 0 },
  { failed: Number.NaN, passed: 0, totalFailed: 1, totalPassed: 0 },
  { failed: 0, passed: 0, totalFailed: Number.POSITIVE_INFINITY, totalPassed: 0 },
])('clause 3: contradictory counts are refused: %j', (counts) => {
  for (const name of names) expect(codeOf(() => formulas[name](counts))).toBe('impossible_counts');
});
