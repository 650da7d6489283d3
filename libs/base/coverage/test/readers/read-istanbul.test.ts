import { readIstanbul } from '@h/coverage';
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
