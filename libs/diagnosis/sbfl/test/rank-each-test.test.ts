import { checkRecord, SpectrumReport } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { rankEachTest, rankStatements } from '../src/index.ts';
import { drawSpectrum } from './draw-spectrum.ts';

/** Two faults: a:2 makes F1 fail, b:2 makes F2 and F3 fail. */
const twoFaults = drawSpectrum(`
        F1 F2 F3 P1 P2
    a:1 x  .  .  x  .
    a:2 x  .  .  .  .
    b:1 .  x  x  .  x
    b:2 .  x  x  .  .
    c:1 x  x  x  x  x`);

describe('clause 1b: a ranking per failing test and their merge, beside the record over all kept failing runs', () => {
  const report = rankEachTest(twoFaults);

  test('the record itself is that of rankStatements', () => {
    const { per_test: _each, merged: _merged, ...rest } = report;
    expect(rest).toEqual(rankStatements(twoFaults));
    checkRecord(SpectrumReport, report);
  });

  test('each failing test against the same passing tests', () => {
    expect(
      report.per_test?.map(({ test: id, statements }) => [
        id,
        statements.map(({ location, score }) => [location, score]),
      ]),
    ).toEqual([
      [
        'F1',
        [
          ['a:2', 1],
          ['a:1', Math.SQRT1_2],
          ['c:1', Math.sqrt(1 / 3)],
        ],
      ],
      [
        'F2',
        [
          ['b:2', 1],
          ['b:1', Math.SQRT1_2],
          ['c:1', Math.sqrt(1 / 3)],
        ],
      ],
      [
        'F3',
        [
          ['b:2', 1],
          ['b:1', Math.SQRT1_2],
          ['c:1', Math.sqrt(1 / 3)],
        ],
      ],
    ]);
  });

  test('merged: each fault near the top, the one of more tests first', () => {
    expect(report.merged).toEqual([
      { location: 'b:2', rank: 1, best_rank: 1, best_test: 'F2', failing_tests: 2 },
      { location: 'a:2', rank: 2, best_rank: 1, best_test: 'F1', failing_tests: 1 },
      { location: 'b:1', rank: 3, best_rank: 2, best_test: 'F2', failing_tests: 2 },
      { location: 'a:1', rank: 4, best_rank: 2, best_test: 'F1', failing_tests: 1 },
      { location: 'c:1', rank: 5, best_rank: 3, best_test: 'F1', failing_tests: 3 },
    ]);
  });

  test('recency counts for the test that it is of', () => {
    const spectrum = drawSpectrum(`F1 F2 P1\na:1 x x .\na:2 x x .`);
    const { per_test } = rankEachTest(spectrum, { lastLines: { F1: ['a:2', 'a:1'], F2: ['a:1', 'a:2'] } });
    expect(per_test?.map(({ statements }) => statements.map(({ location }) => location))).toEqual([
      ['a:2', 'a:1'],
      ['a:1', 'a:2'],
    ]);
  });

  test('limit is of each test, not of the whole; passing runs that tell a test nothing change nothing', () => {
    const { statements, per_test } = rankEachTest(twoFaults, { limit: 1 });
    expect(statements).toHaveLength(5);
    expect(per_test?.map(({ statements: listed }) => listed.length)).toEqual([1, 1, 1]);
  });

  test('no failing test, no passing test', () => {
    expect(rankEachTest(drawSpectrum(`P1\na:1 x`))).toMatchObject({ per_test: [], merged: [], statements: [] });
    expect(rankEachTest(drawSpectrum(`F1\na:1 x`))).toMatchObject({
      verdict: 'no_contrast',
      merged: [{ location: 'a:1' }],
    });
  });

  test('same bytes, whatever the order of the tests', () => {
    const turned = { ...twoFaults, tests: [...twoFaults.tests].reverse(), hits: [...twoFaults.hits].reverse() };
    expect(JSON.stringify(rankEachTest(turned))).toBe(JSON.stringify(report));
  });
});
