import { type CoverageReport, readCoveragePy, readLcov, writeCoveragePy, writeLcov } from '@h/coverage';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryReport, isSound } from '../arbitrary-report.ts';
import { readFixture } from '../read-fixture.ts';

const without = ({ format: _format, ...report }: CoverageReport) => report;

describe('writeLcov', () => {
  it('writes what readLcov reads back', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(isSound(report)).toBe(true);
        if ((report.tests ?? []).length > 0 && report.total.length === 0) return; // no file, no record to name a test in
        expect(without(readLcov(writeLcov(report)))).toEqual(report);
        expect(writeLcov(report)).toBe(writeLcov(report));
      }),
    );
  });

  it('writes records as lcov does', () => {
    const report: CoverageReport = {
      tests: [
        { id: 't1', files: [{ file: 'a.py', lines: '1-2' }] },
        { id: 't2', files: [] },
      ],
      outside: [{ file: 'a.py', lines: '1' }],
      total: [
        { file: 'a.py', lines: '1-2,4', executable: '1-2,4,9' },
        { file: 'b.py', lines: '' },
      ],
      warnings: [],
    };
    expect(writeLcov(report).split('\n')).toEqual([
      'TN:t1',
      'SF:a.py',
      'DA:1,1',
      'DA:2,1',
      'LF:2',
      'LH:2',
      'end_of_record',
      'TN:t2',
      'SF:a.py',
      'LF:0',
      'LH:0',
      'end_of_record',
      'TN:',
      'SF:a.py',
      'DA:1,1',
      'DA:2,0',
      'DA:4,1',
      'DA:9,0',
      'LF:4',
      'LH:2',
      'end_of_record',
      'TN:',
      'SF:b.py',
      'LF:0',
      'LH:0',
      'end_of_record',
      '',
    ]);
  });

  it.each(['a\nb', 'a\r', ' a', 'a ', '', 'a,diff'])('refuses the test name %j', (id) => {
    expect(() => writeLcov({ tests: [{ id, files: [] }], total: [], warnings: [] })).toThrow(
      expect.objectContaining({ code: 'unwritable_name' }),
    );
  });

  it.each(['a\nb', '', ' a', 'a\ufffd'])('refuses the path %j', (file) => {
    expect(() => writeLcov({ total: [{ file, lines: '' }], warnings: [] })).toThrow(
      expect.objectContaining({ code: 'unwritable_name' }),
    );
  });
});

describe('writeCoveragePy', () => {
  it('writes what readCoveragePy reads back', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        const named = report.tests?.filter(({ files }) => files.length > 0);
        if (report.tests !== undefined && named?.length === 0) return; // the format cannot name a test that executed nothing
        const expected = named === undefined ? report : { ...report, tests: named };
        expect(without(readCoveragePy(writeCoveragePy(report)))).toEqual(expected);
        expect(writeCoveragePy(report)).toBe(writeCoveragePy(report));
      }),
    );
  });

  it('holds names that LCOV cannot', () => {
    const report: CoverageReport = {
      tests: [' a\n|run', '__proto__', 'x|setup'].map((id) => ({ id, files: [{ file: '__proto__', lines: '1' }] })),
      outside: [],
      total: [{ file: '__proto__', lines: '1', executable: '1' }],
      warnings: [],
    };
    expect(without(readCoveragePy(writeCoveragePy(report)))).toEqual(report);
  });
});

describe('from one format to another', () => {
  it('keeps the tests of a real file', () => {
    const report = readCoveragePy(readFixture('coverage-py/contexts.json'));
    expect(without(readLcov(writeLcov(report)))).toEqual(without(report));
    expect(readCoveragePy(writeCoveragePy(report))).toEqual(report);
  });
});
