import { checkRecord, TestRunReport } from '@h/contracts';
import { attachCoverage, readCoveragePy, readLcov } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from './read-fixture.ts';

const results = (...tests: string[]): TestRunReport => ({
  runner: 'pytest',
  environment: '0'.repeat(64),
  execution_ids: [],
  tests: tests.map((test) => ({
    test,
    file: 'tests/test_cart.py',
    outcome: 'passed',
    coverage: [{ file: 'old.py', lines: '1' }],
  })),
  collection_errors: [],
  import_coverage: [{ file: 'old.py', lines: '2' }],
});

describe('attachCoverage', () => {
  it('joins results and coverage by test id, and says what did not match', () => {
    const coverage = readCoveragePy(readFixture('coverage-py/contexts.json'));
    const { report, unmatched, unknown } = attachCoverage(
      results('tests/test_cart.py::test_negative', 'tests/test_cart.py::test_gone', 'tests/test_cart.py::test_empty'),
      coverage,
    );
    checkRecord(TestRunReport, report);
    expect(report.tests.map((test) => test.coverage)).toEqual([
      [{ file: 'shop/cart.py', lines: '11,15-16' }],
      undefined,
      [{ file: 'shop/cart.py', lines: '11,15,19,24-25' }],
    ]);
    expect(report.import_coverage).toEqual([{ file: 'shop/cart.py', lines: '1-2,8,22-23,27,30,38' }]);
    expect(unmatched).toEqual(['tests/test_cart.py::test_gone']);
    expect(unknown).toHaveLength(4);
  });

  it('takes a test that executed nothing for one with coverage', () => {
    const { report, unmatched } = attachCoverage(results('t'), readLcov('TN:t\nSF:a.py\nDA:1,0\nend_of_record\n'));
    expect(report.tests[0]?.coverage).toEqual([]);
    expect(unmatched).toEqual([]);
  });

  it('matches nothing where the file names no tests', () => {
    const { report, unmatched, unknown } = attachCoverage(results('t'), readLcov('SF:a.py\nDA:1,1\nend_of_record\n'));
    expect(report.tests[0]).not.toHaveProperty('coverage');
    expect(report).not.toHaveProperty('import_coverage');
    expect({ unmatched, unknown }).toEqual({ unmatched: ['t'], unknown: [] });
  });

  it('changes neither of the two', () => {
    const [given, coverage] = [results('t'), readLcov('TN:t\nSF:a.py\nDA:1,1\nend_of_record\n')];
    const before = JSON.stringify([given, coverage]);
    attachCoverage(given, coverage);
    expect(JSON.stringify([given, coverage])).toBe(before);
  });
});
