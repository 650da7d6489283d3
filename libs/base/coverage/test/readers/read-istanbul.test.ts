import { readIstanbul, readLcov } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const statement = (line: unknown) => ({ start: { line, column: 0 }, end: { line, column: null } });
const file = (lines: readonly unknown[], counts: readonly unknown[], more: object = {}) => ({
  path: '/ci/a.js',
  statementMap: Object.fromEntries(lines.map((line, index) => [index, statement(line)])),
  s: Object.fromEntries(counts.map((count, index) => [index, count])),
  ...more,
});
const read = (entry: object, options = { root: '/ci' }) => readIstanbul(JSON.stringify({ '/ci/a.js': entry }), options);

describe('readIstanbul', () => {
  it.each(['v8', 'istanbul'])('reads what vitest writes with %s', (provider) => {
    const { total, warnings } = readIstanbul(readFixture(`vitest-${provider}/coverage-final.json`), {
      root: '/tmp/h/jscov',
    });
    expect(total).toEqual([
      { file: 'src/cart.ts', lines: '6,12-14,19,23-24,27,31-32', executable: '6,12-15,19,23-24,27,31-32' },
      { file: 'src/unused.js', lines: '', executable: '2' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('counts a line as executed if one of its statements was', () => {
    expect(read(file([3, 3, 5], [0, 1, 0])).total).toEqual([{ file: 'a.js', lines: '3', executable: '3,5' }]);
  });

  it('takes the key for the path where there is none', () => {
    const { path: _left, ...entry } = file([1], [1]);
    expect(read(entry).total).toMatchObject([{ file: 'a.js' }]);
  });

  it('warns of statements without a place, and of lines that are not of the source', () => {
    const report = read(file([null, 0, 2], [1, 1, 1], { inputSourceMap: { mappings: '' } }));
    expect(report.total).toEqual([{ file: 'a.js', lines: '2', executable: '2' }]);
    expect(report.warnings).toEqual([
      { code: 'invalid_line', count: 2, example: '/ci/a.js: statement 0 starts at line null' },
      { code: 'source_mapped', count: 1, example: '/ci/a.js' },
    ]);
  });

  it('takes negative counts for none, absurd ones for some, and keys that every object has for keys', () => {
    const report = read(file([1, 2, 3], [-1, 1e300, 0]));
    expect(report).toMatchObject({
      total: [{ lines: '2', executable: '1-3' }],
      warnings: [{ code: 'negative_count', count: 1 }],
    });
    const odd =
      '{"__proto__": {"path": "/ci/__proto__", "statementMap": {"constructor": {"start": {"line": 4}}}, "s": {"constructor": 1}}}';
    expect(readIstanbul(odd, { root: '/ci' }).total).toEqual([{ file: '__proto__', lines: '4', executable: '4' }]);
    const missing = '{"a": {"path": "a", "statementMap": {"constructor": {"start": {"line": 4}}}, "s": {}}}';
    expect(() => readIstanbul(missing)).toThrow(expect.objectContaining({ code: 'malformed_coverage' }));
  });

  it.each(['c8', 'nyc', 'jest'])('reads what %s writes, as its LCOV says', (tool) => {
    const root = '/tmp/h/E/fix';
    const { total, warnings } = readIstanbul(readFixture(`${tool}/coverage-final.json`), { root });
    expect(total).toEqual(readLcov(readFixture(`${tool}/lcov.info`), { root }).total);
    expect(total[0]?.file).toBe('src/cart.js');
    expect(warnings).toEqual([]);
  });

  it.each([
    [{}, '["/ci/a.js"].statementMap'],
    [{ statementMap: {} }, '["/ci/a.js"].s'],
    [{ statementMap: { 0: null }, s: { 0: 1 } }, '["/ci/a.js"].statementMap["0"]'],
    [{ statementMap: { 0: {} }, s: { 0: 1 } }, '["/ci/a.js"].statementMap["0"].start'],
    [file([1], []), '["/ci/a.js"].s[0]'],
    [file([1], ['1']), '["/ci/a.js"].s[0]'],
    [file([1], [1], { path: 1 }), '["/ci/a.js"].path'],
  ])('refuses %j', (entry, at) => {
    expect(() => read(entry)).toThrow(expect.objectContaining({ code: 'malformed_coverage', position: { at } }));
  });
});
