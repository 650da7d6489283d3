import { parseRecord, type TestResult, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { mergeReports } from '../src/index.ts';

const sha = (digit: string) => digit.repeat(64);
const report = (runner: string, tests: [string, TestResult['outcome']][], more: Partial<TestRunReport> = {}) => ({
  runner,
  environment: sha('0'),
  execution_ids: [sha('1')],
  tests: tests.map(([test, outcome]) => ({ test, file: 'a.py', outcome })),
  collection_errors: [],
  ...more,
});
const outcomes = ({ tests }: TestRunReport) => tests.map(({ test, outcome }) => `${test} ${outcome}`);

describe('mergeReports', () => {
  it('keeps tests in order, unites what was loaded, and says each note once', () => {
    const merged = mergeReports([
      report('pytest', [['a', 'passed']], { import_coverage: [{ file: 'b.py', lines: '1-2' }], notes: ['n'] }),
      report('command', [['b', 'failed']], {
        import_coverage: [
          { file: 'a.py', lines: '4' },
          { file: 'b.py', lines: '2,9' },
        ],
        notes: ['n', 'm'],
        execution_ids: [sha('2')],
      }),
    ]);
    expect(parseRecord(TestRunReport, merged)).toEqual({
      ...report('pytest+command', [
        ['a', 'passed'],
        ['b', 'failed'],
      ]),
      execution_ids: [sha('1'), sha('2')],
      import_coverage: [
        { file: 'a.py', lines: '4' },
        { file: 'b.py', lines: '1-2,9' },
      ],
      notes: ['n', 'm'],
    });
  });

  it('takes a result over none, whichever comes first, and never loses one', () => {
    const none = report('pytest', [['x', 'not_run']]);
    const some = report('command', [['x', 'failed']]);
    expect(outcomes(mergeReports([none, some]))).toEqual(['x failed']);
    expect(outcomes(mergeReports([some, none]))).toEqual(['x failed']);
    expect(outcomes(mergeReports([some, report('pytest', [['x', 'passed']])]))).toEqual(['x failed', 'x #2 passed']);
  });

  it('numbers many tests of one name without looking at each again, around names that are taken', () => {
    const many = Array.from({ length: 50_000 }, (): [string, 'passed'] => ['x', 'passed']);
    const merged = mergeReports([report('a', [['x #3', 'passed']]), report('b', many)]);
    expect(merged.tests.slice(1, 5).map(({ test }) => test)).toEqual(['x', 'x #2', 'x #4', 'x #5']);
    expect(new Set(merged.tests.map(({ test }) => test)).size).toBe(50_001);
  });

  it('names environments that differ, and runners once', () => {
    const other = report('command', [], { environment: sha('a') });
    const merged = mergeReports([report('pytest', []), other, report('pytest+command', [])]);
    expect([merged.runner, merged.environment === sha('0')]).toEqual(['pytest+command', false]);
  });

  it('needs a report', () => expect(() => mergeReports([])).toThrow(RangeError));

  it('gives the same bytes for the same reports', () => {
    const merge = () =>
      JSON.stringify(mergeReports([report('pytest', [['a', 'passed']]), report('command', [['a', 'failed']])]));
    expect(merge()).toBe(merge());
  });
});
