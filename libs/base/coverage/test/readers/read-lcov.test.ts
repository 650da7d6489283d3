import { readLcov, readLcovStream } from '@h/coverage';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const totals = (text: string) => readLcov(text).total;
const record = (...lines: string[]) => `${lines.join('\n')}\n`;

describe('readLcov', () => {
  it('reads what coverage.py and vitest write', () => {
    expect(readLcov(readFixture('coverage-py/lcov.info')).total).toEqual([
      { file: 'shop/__init__.py', lines: '', executable: '' },
      {
        file: 'shop/cart.py',
        lines: '2,8,11,15-16,19,22-25,27-28,30-32,38-39,42',
        executable: '2,8,11,15-16,19,22-25,27-28,30-32,38-39,42',
      },
      { file: 'shop/unused.py', lines: '', executable: '1-2' },
    ]);
    for (const provider of ['v8', 'istanbul']) {
      const { total, warnings } = readLcov(readFixture(`vitest-${provider}/lcov.info`));
      expect(total).toEqual([
        { file: 'src/cart.ts', lines: '6,12-14,19,23-24,27,31-32', executable: '6,12-15,19,23-24,27,31-32' },
        { file: 'src/unused.js', lines: '', executable: '2' },
      ]);
      expect(warnings).toEqual([]);
    }
  });

  it('reads per test where tests are named, the same file several times', () => {
    const text = record(
      'TN:second',
      'SF:b.c',
      'DA:3,1',
      'DA:4,0',
      'end_of_record',
      'TN:first',
      'SF:b.c',
      'DA:4,2',
      'DA:3,0',
      'DA:9,1',
      'end_of_record',
      'SF:a.c',
      'DA:1,1',
      'end_of_record',
      'TN:',
      'SF:a.c',
      'DA:1,0',
      'DA:2,7',
      'DA:5,0',
      'end_of_record',
    );
    expect(readLcov(text)).toEqual({
      format: 'lcov',
      tests: [
        {
          id: 'first',
          files: [
            { file: 'a.c', lines: '1' },
            { file: 'b.c', lines: '4,9' },
          ],
        },
        { id: 'second', files: [{ file: 'b.c', lines: '3' }] },
      ],
      outside: [{ file: 'a.c', lines: '2' }],
      total: [
        { file: 'a.c', lines: '1-2', executable: '1-2,5' },
        { file: 'b.c', lines: '3-4,9', executable: '3-4,9' },
      ],
      warnings: [],
    });
  });

  it('keeps a test that executed nothing, and takes the mark of a difference off its name', () => {
    const text = record('TN:idle,diff', 'SF:a.c', 'DA:1,0', 'end_of_record');
    expect(readLcov(text).tests).toEqual([{ id: 'idle', files: [] }]);
    const elsewhere = readLcov('TN:t\nSF:/usr/a.c\nDA:1,1\nend_of_record\n', { root: '/ci' });
    expect(elsewhere.tests).toEqual([{ id: 't', files: [] }]);
    expect(readLcov('TN: a > b, c \nSF:a\nend_of_record').tests).toEqual([{ id: 'a > b, c', files: [] }]);
  });

  it('reads other line ends, a byte order mark, checksums, comments, empty lines and no line end at the end', () => {
    const expected = [{ file: 'a.c', lines: '1,7', executable: '1-2,7' }];
    expect(totals('\ufeffTN:\r\nSF:a.c\r\nDA:1,1,abc==\r\nDA:2,0\r\n\r\n# note\r\nDA:7,12\r\nend_of_record')).toEqual(
      expected,
    );
  });

  it('passes over functions, branches, conditions and sums', () => {
    const text = record(
      'TN:',
      'SF:a.c',
      'VER:1',
      'FN:1,f',
      'FN:1,4,f',
      'FNL:0,1,2',
      'FNA:0,1,f',
      'FNDA:1,f',
      'FNF:1',
      'FNH:1',
      'BRDA:1,e0,0,-',
      'BRF:1',
      'BRH:0',
      'MCDC:1,2,t,1,0,x',
      'MCF:1',
      'MCH:0',
      'DA:1,1',
      'LF:1',
      'LH:1',
      'end_of_record',
    );
    expect(readLcov(text)).toMatchObject({ total: [{ file: 'a.c', lines: '1', executable: '1' }], warnings: [] });
  });

  it('reads counts that are not plain, and warns of negative ones and of lines that are none', () => {
    const text = record(
      'SF:a.c',
      'DA:1,1e+06',
      'DA:2,0.0',
      'DA:3,-5',
      'DA:4,18446744073709551615',
      'DA:5,000',
      'DA:6, 2',
      'DA:0,1',
      'DA:-1,1',
      'DA:99999999999,1',
      'end_of_record',
    );
    expect(readLcov(text)).toMatchObject({
      total: [{ lines: '1,4,6', executable: '1-6' }],
      warnings: [
        { code: 'invalid_line', count: 3, example: 'a.c: line 0' },
        { code: 'negative_count', count: 1, example: 'a.c: DA:3,-5' },
      ],
    });
  });

  it('says once what it does not know, and where', () => {
    const { warnings } = readLcov(record('SF:a.c', 'XX:1', 'XX:2', 'end_of_record'));
    expect(warnings).toEqual([{ code: 'unknown_record', count: 2, example: 'line 2: XX:1' }]);
  });

  it('reads a name that is not UTF-8 as far as it goes', () => {
    const bytes = Buffer.concat([
      Buffer.from('SF:h'),
      Buffer.from([0xf6]),
      Buffer.from('he.c\nDA:1,1\nend_of_record\n'),
    ]);
    expect(readLcov(bytes)).toMatchObject({
      total: [{ file: 'h\ufffdhe.c' }],
      warnings: [{ code: 'not_utf8', count: 1 }],
    });
  });

  it('leaves out files elsewhere, with their lines', () => {
    const text = record(
      'SF:/ci/app/a.c',
      'DA:1,1',
      'end_of_record',
      'SF:/usr/include/b.h',
      'DA:0,1',
      'DA:2,1',
      'end_of_record',
    );
    const report = readLcov(text, { root: '/ci/app' });
    expect(report.total).toEqual([{ file: 'a.c', lines: '1', executable: '1' }]);
    expect(report.warnings.map(({ code }) => code)).toEqual(['invalid_line', 'outside_root']);
  });

  it('is empty for an empty file', () => {
    for (const text of ['', '\n\n', '# nothing was instrumented\n'])
      expect(readLcov(text)).toEqual({ format: 'lcov', total: [], warnings: [] });
  });

  it.each([
    ['DA:1,1', 1, 'outside a record'],
    ['SF:a\nend_of_record\nDA:1,1', 3, 'outside a record'],
    ['SF:a\nDA:x,1\nend_of_record', 2, '"DA:x,1"'],
    ['SF:a\nDA:1\nend_of_record', 2, '"DA:1"'],
    ['SF:a\nDA:1,\nend_of_record', 2, '"DA:1,"'],
    ['SF:a\nDA:1,#####\nend_of_record', 2, '"DA:1,#####"'],
    ['SF:a\nDA:1,1.2.3\nend_of_record', 2, '"DA:1,1.2.3"'],
    ['SF:a\nDA:1,1\nSF:b\nend_of_record', 3, 'inside that of "a"'],
    ['SF:a\nTN:b\nend_of_record', 2, 'TN inside a record'],
    ['SF:\nend_of_record', 1, 'SF without a path'],
    ['TN:\nSF:a\nDA:1,1\n', 3, 'ends inside the record of "a"'],
    ['TN:\nSF:a\nDA:1,1\nend_of_rec', 4, 'ends inside the record of "a"'],
    ['\nhello\nworld', 2, 'no record of LCOV'],
    ['{"a": 1}', 1, 'no record of LCOV'],
  ])('refuses %j at line %i', (text, line, why) => {
    expect(() => readLcov(text)).toThrow(
      expect.objectContaining({
        code: 'malformed_coverage',
        position: { line },
        message: expect.stringContaining(why),
      }),
    );
  });
});

describe('readLcovStream', () => {
  const text = record(
    'TN:größe',
    'SF:ä.c',
    'DA:1,1',
    'DA:22,0',
    'end_of_record',
    'TN:b',
    'SF:b.c',
    'DA:333,1',
    'end_of_record',
  );

  it('reads the same as from one piece, cut anywhere', async () => {
    const bytes = Buffer.from(text);
    const whole = readLcov(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = places.map((from, index) => bytes.subarray(from, places[index + 1] ?? from));
        expect(await readLcovStream(pieces)).toEqual(whole);
      }),
    );
    expect(await readLcovStream(Array.from(text))).toEqual(whole);
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    async function* endless() {
      for (;;) {
        yield 'SF:a\nend_of_record\n';
        stop.abort(new Error('enough'));
      }
    }
    await expect(readLcovStream(endless(), { signal: stop.signal })).rejects.toThrow('enough');
    await expect(readLcovStream(['SF:a'], { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  it('refuses a line without end before it fills the memory', async () => {
    let given = 0;
    function* noLines() {
      for (; given < 100; given += 1) yield 'x'.repeat(65_536);
    }
    await expect(readLcovStream(noLines())).rejects.toMatchObject({ code: 'malformed_coverage' });
    expect(given).toBeLessThan(20);
  });

  it('counts lines across pieces', async () => {
    await expect(readLcovStream(['SF:a\n', 'DA:1,', '1\nDA', ':x,1\n'])).rejects.toMatchObject({
      position: { line: 3 },
    });
  });
});

describe('records as tools of other systems and faulty ones write them', () => {
  it('the same file and the same line again and again, paths of Windows, absurd counts, names that every object has', () => {
    const record = (test: string, path: string, lines: readonly string[]) =>
      `TN:${test}\nSF:${path}\n${lines.map((line) => `DA:${line}\n`).join('')}end_of_record\n`;
    const text = [
      record('__proto__', 'C:\\ci\\src\\a.c', ['3,0', '3,1', '3,0', '1,1']),
      record('__proto__', 'c:/ci/src/../src/a.c', ['5,99999999999999999999999999', '4,1e400']),
      record('constructor', 'C:/CI/constructor', ['1,1,md5==', '2,0,']),
      record('', 'D:\\else\\b.c', ['1,1']),
    ].join('');
    const { tests, total, warnings } = readLcov(text, { root: 'C:\\ci' });
    expect(tests).toEqual([
      { id: '__proto__', files: [{ file: 'src/a.c', lines: '1,3-5' }] },
      { id: 'constructor', files: [{ file: 'constructor', lines: '1' }] },
    ]);
    expect(total).toEqual([
      { file: 'constructor', lines: '1', executable: '1-2' },
      { file: 'src/a.c', lines: '1,3-5', executable: '1,3-5' },
    ]);
    expect(warnings).toMatchObject([{ code: 'outside_root', count: 1 }]);
  });
});
