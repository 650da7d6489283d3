import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSpectrum, rankStatements, type SpectrumTest } from '../src/index.ts';
import { codeOf } from './code-of.ts';

const statements = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    file: 'a.py',
    first: index + 1,
    last: index + 1,
    kind: 'statement' as const,
  }));

describe('buildSpectrum', () => {
  test('counts hits however they are written', () => {
    const forms: SpectrumTest['hits'][] = [
      '0-1,3',
      [3, 1, 0],
      new Set([0, 1, 3]),
      [0, 0, 1, 3, 3],
      Uint32Array.of(0, 1, 3),
      (function* () {
        yield* [0, 3, 1];
      })(),
    ];
    const builder = buildSpectrum(statements(4));
    for (const [index, hits] of forms.entries()) builder.add({ id: `t${index}`, outcome: 'failed', hits });
    expect([...builder.spectrum().failed]).toEqual([6, 6, 0, 6]);
  });

  test('what was taken is not changed by what is added later', () => {
    const builder = buildSpectrum(statements(2)).add({ id: 'f', outcome: 'failed', hits: '0' });
    const early = builder.spectrum();
    const bytes = JSON.stringify(rankStatements(early));
    builder.add({ id: 'g', outcome: 'failed', hits: '0-1' }).add({ id: 's', outcome: 'skipped', hits: '' });
    expect(JSON.stringify(rankStatements(early))).toBe(bytes);
    expect(builder.spectrum().failing).toEqual(['f', 'g']);
  });

  test('no statements at all', () => {
    expect(
      rankStatements(buildSpectrum([]).add({ id: 'f', outcome: 'failed', hits: '' }).spectrum()).statements,
    ).toEqual([]);
  });

  test.each<[string, SpectrumTest]>([
    ['statement_out_of_range', { id: 'b', outcome: 'failed', hits: [4] }],
    ['statement_out_of_range', { id: 'b', outcome: 'failed', hits: [-1] }],
    ['statement_out_of_range', { id: 'b', outcome: 'failed', hits: [0.5] }],
    ['statement_out_of_range', { id: 'b', outcome: 'failed', hits: [0, Number.NaN] }],
    ['statement_out_of_range', { id: 'b', outcome: 'passed', hits: '1-4' }],
    ['invalid_line_set', { id: 'b', outcome: 'passed', hits: '3-1' }],
    ['duplicate_test', { id: 'a', outcome: 'passed', hits: '' }],
  ])('%s: %j, and nothing of it is counted', (code, bad) => {
    const builder = buildSpectrum(statements(4)).add({ id: 'a', outcome: 'failed', hits: '0-1' });
    const before = JSON.stringify(rankStatements(builder.spectrum()));
    expect(codeOf(() => builder.add(bad))).toBe(code);
    expect(JSON.stringify(rankStatements(builder.spectrum()))).toBe(before);
    builder.add({ id: 'b', outcome: 'passed', hits: [0] });
    expect([...builder.spectrum().passed]).toEqual([1, 0, 0, 0]);
  });

  test('duplicate_statement', () =>
    expect(codeOf(() => buildSpectrum([...statements(2), ...statements(1)]))).toBe('duplicate_statement'));

  test('groups are the equal columns of the matrix', () => {
    const matrix = fc.array(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(matrix, (rows) => {
        const builder = buildSpectrum(statements(12));
        for (const [index, row] of rows.entries())
          builder.add({
            id: `t${index}`,
            outcome: index % 2 === 0 ? 'passed' : 'failed',
            hits: row.flatMap((hit, column) => (hit ? [column] : [])),
          });
        const groups = builder.spectrum().groupsOf(Uint32Array.from({ length: 12 }, (_, index) => index));
        const columns = Array.from({ length: 12 }, (_, column) => rows.map((row) => row[column]).join());
        for (let a = 0; a < 12; a += 1)
          for (let b = 0; b < 12; b += 1) expect(groups[a] === groups[b]).toBe(columns[a] === columns[b]);
      }),
    );
  });

  test('5,000 tests over 50,000 statements: counted without holding the matrix', () => {
    const count = 50_000;
    const builder = buildSpectrum(statements(count));
    const before = process.memoryUsage().arrayBuffers;
    for (let id = 0; id < 5000; id += 1)
      builder.add({
        id: `t${id}`,
        outcome: id % 50 === 0 ? 'failed' : 'passed',
        hits: `${(id * 7) % 20_000}-${20_000 + ((id * 13) % 29_999)}`,
      });
    const { statements: ranked, total_failed, total_passed } = rankStatements(builder.spectrum());
    expect([total_failed, total_passed]).toEqual([100, 4900]);
    expect(ranked.length).toBeGreaterThan(20_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
  });
});
