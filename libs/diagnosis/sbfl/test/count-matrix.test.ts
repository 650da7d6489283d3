import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowSeeds } from '../src/group-columns.ts';
import { buildSpectrum, countMatrix, rankStatements, type SpectrumMatrix } from '../src/index.ts';
import { codeOf } from './code-of.ts';

const statements = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    file: `f${index % 3}.py`,
    first: count - index,
    last: count - index,
    kind: index % 11 === 0 ? ('import' as const) : ('statement' as const),
  }));

function matrixOf(
  size: number,
  rows: readonly (readonly boolean[])[],
  outcomes: SpectrumMatrix['tests'],
): SpectrumMatrix {
  const words = Math.ceil(size / 32);
  const bits = new Uint32Array(words * rows.length);
  for (const [row, cells] of rows.entries())
    for (const [index, hit] of cells.entries())
      if (hit) bits[row * words + (index >>> 5)] = (bits[row * words + (index >>> 5)] ?? 0) | (1 << (index & 31));
  return { statements: statements(size), tests: outcomes, bits };
}

/** Rows whose seeds of the first round cancel out, so that their column has the hash of an empty one: by elimination. */
function dependentRows(count: number): Set<number> {
  const basis: { value: number; rows: Set<number> }[] = [];
  for (const [row, seed] of rowSeeds(count, 0).entries()) {
    let value = seed;
    const rows = new Set([row]);
    for (const known of basis) {
      if ((value ^ known.value) >>> 0 >= value) continue;
      value = (value ^ known.value) >>> 0;
      for (const other of known.rows) if (!rows.delete(other)) rows.add(other);
    }
    if (value === 0) return rows;
    basis.push({ value, rows });
    basis.sort((a, b) => b.value - a.value);
  }
  throw new Error('more than 32 rows are dependent');
}

const outcome = fc.constantFrom('passed', 'failed', 'passed', 'error', 'skipped' as const);

describe('countMatrix', () => {
  test('ranks as the builder does, to the byte: sizes about a word, more than seven rows, equal columns', () => {
    const spectra = fc.integer({ min: 0, max: 70 }).chain((size) =>
      fc.record({
        size: fc.constant(size),
        // rows drawn from few patterns, so that many columns are equal
        rows: fc.array(fc.array(fc.boolean(), { minLength: size, maxLength: size }), { maxLength: 5 }),
        picks: fc.array(fc.tuple(fc.nat({ max: 4 }), outcome), { maxLength: 24 }),
        limit: fc.integer({ min: 0, max: 80 }),
      }),
    );
    fc.assert(
      fc.property(spectra, ({ size, rows, picks, limit }) => {
        const chosen = rows.length === 0 ? [] : picks.map(([pick]) => rows[pick % rows.length] ?? []);
        const tests = chosen.map((_, index) => ({ id: `t${index}`, outcome: picks[index]?.[1] ?? 'passed' }) as const);
        const builder = buildSpectrum(statements(size));
        for (const [index, cells] of chosen.entries())
          builder.add({
            id: `t${index}`,
            outcome: tests[index]?.outcome ?? 'passed',
            hits: cells.flatMap((hit, at) => (hit ? [at] : [])),
          });
        const counted = countMatrix(matrixOf(size, chosen, tests));
        const expected = rankStatements(builder.spectrum());
        expect(rankStatements(counted)).toEqual(expected);
        // Groups are numbered as they appear, so the head of the whole is the ranking with a limit.
        expect(rankStatements(counted, { limit }).statements).toEqual(expected.statements.slice(0, limit));
      }),
      { numRuns: 300 },
    );
  });

  test('counts past every width of a counter: 1 to 40 rows that all hit', () => {
    for (let rows = 1; rows <= 40; rows += 1) {
      const all = Array.from({ length: rows }, () => Array.from({ length: 33 }, (_, index) => index !== 31));
      const tests = all.map((_, index) => ({ id: `${index}`, outcome: 'failed' }) as const);
      const { failed } = countMatrix(matrixOf(33, all, tests));
      expect([...failed]).toEqual(Array.from({ length: 33 }, (_, index) => (index === 31 ? 0 : rows)));
    }
  });

  test('columns whose hash is equal are compared all the same', () => {
    const subset = dependentRows(40);
    const rows = Array.from({ length: 40 }, (_, row) =>
      // By column: no row, the subset whose hash is that of no row, the same once more, one row.
      [false, subset.has(row), false, subset.has(row), row === 0],
    );
    const tests = rows.map((_, index) => ({ id: `${index}`, outcome: 'failed' }) as const);
    const [none, some, noneAgain, same, one] = countMatrix(matrixOf(5, rows, tests)).groupsOf(
      Uint32Array.of(0, 1, 2, 3, 4),
    );
    expect([none, some]).toEqual([noneAgain, same]);
    expect(new Set([none, some, one]).size).toBe(3);
  });

  test('as many groups as there are columns', () => {
    const size = 4096;
    const rows = Array.from({ length: 12 }, (_, bit) =>
      Array.from({ length: size }, (_, index) => ((index >>> bit) & 1) === 1),
    );
    const { groupsOf } = countMatrix(
      matrixOf(
        size,
        rows,
        rows.map((_, index) => ({ id: `${index}`, outcome: 'failed' }) as const),
      ),
    );
    expect(new Set(groupsOf(Uint32Array.from({ length: size }, (_, index) => index))).size).toBe(size);
  });

  test('what is wrong is refused', () => {
    const good = matrixOf(
      33,
      [[true], [true]],
      [
        { id: 'a', outcome: 'failed' },
        { id: 'b', outcome: 'passed' },
      ],
    );
    expect(codeOf(() => countMatrix({ ...good, bits: good.bits.slice(1) }))).toBe('matrix_mismatch');
    expect(codeOf(() => countMatrix({ ...good, tests: [good.tests[0], good.tests[0]] as never }))).toBe(
      'duplicate_test',
    );
    expect(codeOf(() => countMatrix({ ...good, bits: Uint32Array.of(1, 2, 1, 0) }))).toBe('statement_out_of_range');
    const [only] = statements(1);
    const twice = { ...good, statements: Array.from({ length: 33 }, () => only) as SpectrumMatrix['statements'] };
    expect(codeOf(() => countMatrix(twice))).toBe('duplicate_statement');
    expect(rankStatements(countMatrix({ statements: [], tests: [], bits: new Uint32Array() })).statements).toEqual([]);
  });
});
