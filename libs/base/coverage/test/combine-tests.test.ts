import { type CoverageReport, combineTests, readIstanbul, readLcov } from '@h/coverage';
import { describe, expect, it } from 'vitest';

const lcov = (...lines: string[]) => readLcov(`SF:a.js\n${lines.join('\n')}\nend_of_record\n`);

describe('combineTests', () => {
  it('makes one report per test of one file a test', () => {
    const report = combineTests([
      { id: 'b', coverage: lcov('DA:1,1', 'DA:2,0') },
      { id: 'a', coverage: lcov('DA:1,0', 'DA:2,1', 'DA:3,0') },
      { id: 'idle', coverage: readIstanbul('{}') },
      { id: 'a', coverage: lcov('DA:9,1', 'DA:0,1') },
    ]);
    expect(report).toEqual({
      tests: [
        { id: 'a', files: [{ file: 'a.js', lines: '2,9' }] },
        { id: 'b', files: [{ file: 'a.js', lines: '1' }] },
        { id: 'idle', files: [] },
      ],
      outside: [],
      total: [{ file: 'a.js', lines: '1-2,9', executable: '1-3,9' }],
      warnings: [{ code: 'invalid_line', count: 1, example: 'a.js: line 0' }],
    });
  });

  it('does not know what is executable where one of them does not', () => {
    const silent: CoverageReport = { total: [{ file: 'a.js', lines: '5' }], warnings: [] };
    const report = combineTests([
      { id: 'a', coverage: lcov('DA:1,1') },
      { id: 'b', coverage: silent },
    ]);
    expect(report.total).toEqual([{ file: 'a.js', lines: '1,5' }]);
  });
});
