import {
  type CoverageReport,
  readCobertura,
  readCoverage,
  readCoveragePy,
  readIstanbul,
  readLcov,
  writeCobertura,
  writeCoveragePy,
  writeIstanbul,
  writeLcov,
} from '@h/coverage';
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

describe('writeIstanbul', () => {
  it('writes what readIstanbul reads back, in total', () => {
    fc.assert(
      fc.property(arbitraryReport, ({ total }) => {
        const report = { total, warnings: [] };
        expect(without(readIstanbul(writeIstanbul(report)))).toEqual(report);
        expect(without(readIstanbul(writeIstanbul(report, { root: '/ci/app/' }), { root: '/ci/app' }))).toEqual(report);
        expect(writeIstanbul(report)).toBe(writeIstanbul(report));
      }),
    );
  });

  it('writes the fields that the tools of Istanbul ask for, and told by its beginning it is Istanbul', () => {
    const text = writeIstanbul(
      { total: [{ file: 'a.js', lines: '2', executable: '2,5' }], warnings: [] },
      { root: '/r' },
    );
    expect(JSON.parse(text)).toEqual({
      '/r/a.js': {
        path: '/r/a.js',
        statementMap: {
          0: { start: { line: 2, column: 0 }, end: { line: 2, column: null } },
          1: { start: { line: 5, column: 0 }, end: { line: 5, column: null } },
        },
        s: { 0: 1, 1: 0 },
        fnMap: {},
        branchMap: {},
        f: {},
        b: {},
      },
    });
    expect(readCoverage(text).format).toBe('istanbul');
  });

  it('holds any name', () => {
    const report: CoverageReport = { total: [{ file: '__proto__', lines: '1', executable: '1' }], warnings: [] };
    expect(without(readIstanbul(writeIstanbul(report)))).toEqual(report);
  });
});

describe('writeCobertura', () => {
  it('writes what readCobertura reads back, in total', () => {
    fc.assert(
      fc.property(arbitraryReport, ({ total }) => {
        const report = { total, warnings: [] };
        expect(without(readCobertura(writeCobertura(report)))).toEqual(report);
        expect(without(readCobertura(writeCobertura(report, { source: '/ci/app' }), { root: '/ci/app' }))).toEqual(
          report,
        );
        expect(writeCobertura(report)).toBe(writeCobertura(report));
      }),
    );
  });

  it('writes what the document type asks for', () => {
    const total = [
      { file: 'a.py', lines: '1', executable: '1-2' },
      { file: 'src/b.py', lines: '', executable: '7' },
      { file: 'src/c.py', lines: '', executable: '' },
    ];
    expect(writeCobertura({ total, warnings: [] }, { source: '/ci', timestamp: 5 })).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
      <coverage line-rate="0.3333" branch-rate="0" lines-covered="1" lines-valid="3" branches-covered="0" branches-valid="0" complexity="0" version="1" timestamp="5">
        <sources>
          <source>/ci</source>
        </sources>
        <packages>
          <package name="." line-rate="0.5" branch-rate="0" complexity="0">
            <classes>
              <class name="a.py" filename="a.py" line-rate="0.5" branch-rate="0" complexity="0">
                <methods/>
                <lines>
                  <line number="1" hits="1"/>
                  <line number="2" hits="0"/>
                </lines>
              </class>
            </classes>
          </package>
          <package name="src" line-rate="0" branch-rate="0" complexity="0">
            <classes>
              <class name="b.py" filename="src/b.py" line-rate="0" branch-rate="0" complexity="0">
                <methods/>
                <lines>
                  <line number="7" hits="0"/>
                </lines>
              </class>
              <class name="c.py" filename="src/c.py" line-rate="1" branch-rate="0" complexity="0">
                <methods/>
                <lines>
                </lines>
              </class>
            </classes>
          </package>
        </packages>
      </coverage>
      "
    `);
  });

  it('writes names with marks of XML, and refuses what XML cannot hold', () => {
    const report = (file: string): CoverageReport => ({ total: [{ file, lines: '1', executable: '1' }], warnings: [] });
    const odd = 'a<b>&"c"\'\td\u{1F600}.py';
    expect(without(readCobertura(writeCobertura(report(odd))))).toEqual(report(odd));
    for (const file of ['', 'a\u0000', 'a\u001b', 'a\ud800', 'a\uffff'])
      expect(() => writeCobertura(report(file))).toThrow(expect.objectContaining({ code: 'unwritable_name' }));
  });
});

describe('from one format to another', () => {
  it('keeps the lines of real files through every format that is written', () => {
    for (const name of ['coverage-py/contexts.json', 'nyc/coverage-final.json', 'c8/lcov.info', 'jacoco/jacoco.xml']) {
      const { total } = readCoverage(readFixture(name));
      const report = { total, warnings: [] };
      for (const write of [writeLcov, writeIstanbul, writeCobertura, writeCoveragePy])
        expect(readCoverage(write(report)).total, name).toEqual(total);
    }
  });

  it('keeps the tests of a real file', () => {
    const report = readCoveragePy(readFixture('coverage-py/contexts.json'));
    expect(without(readLcov(writeLcov(report)))).toEqual(without(report));
    expect(readCoveragePy(writeCoveragePy(report))).toEqual(report);
  });
});
