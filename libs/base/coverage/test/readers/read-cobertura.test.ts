import { type PlaceOptions, readCobertura, readIstanbul, readLcov } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const line = (number: unknown, hits: unknown) => `<line number="${number}" hits="${hits}"/>`;
const classOf = (filename: string, lines: string, methods = '') =>
  `<class name="c" filename="${filename}"><methods>${methods}</methods><lines>${lines}</lines></class>`;
const document = (classes: string, sources: readonly string[] = []) =>
  `<?xml version="1.0"?><coverage><sources>${sources.map((source) => `<source>${source}</source>`).join('')}</sources>
<packages><package name="p"><classes>${classes}</classes></package></packages></coverage>`;
const read = (text: string, options?: PlaceOptions) => readCobertura(text, options);

describe('readCobertura', () => {
  it('agrees with the other files that one run of a tool wrote', () => {
    expect(readCobertura(readFixture('coverage-py/cobertura.xml'), { root: '/tmp/h/fix/py' }).total).toEqual(
      readLcov(readFixture('coverage-py/lcov.info')).total,
    );
    for (const provider of ['v8', 'istanbul']) {
      const root = '/tmp/h/jscov';
      const { total, warnings } = readCobertura(readFixture(`vitest-${provider}/cobertura-coverage.xml`), { root });
      expect(total).toEqual(readIstanbul(readFixture(`vitest-${provider}/coverage-final.json`), { root }).total);
      expect(warnings).toEqual([]);
    }
  });

  it.each(['c8', 'nyc'])('reads what %s writes, as its LCOV says', (tool) => {
    const root = '/tmp/h/E/fix';
    const { total, warnings } = readCobertura(readFixture(`${tool}/cobertura-coverage.xml`), { root });
    // nyc lists the lines of methods beside those of the class: the class says all.
    expect(total).toEqual(readLcov(readFixture(`${tool}/lcov.info`), { root }).total);
    expect(warnings).toEqual([]);
  });

  it('unites classes of one file', () => {
    const text = document(classOf('a.cs', line(1, 1) + line(2, 0)) + classOf('a.cs', line(2, 3) + line(9, 0)));
    expect(read(text).total).toEqual([{ file: 'a.cs', lines: '1-2', executable: '1-2,9' }]);
  });

  it('reads lines below methods only where a class lists none', () => {
    const method = `<method name="m"><lines>${line(4, 1)}</lines></method>`;
    expect(read(document(classOf('a', line(1, 1), method))).total).toEqual([
      { file: 'a', lines: '1', executable: '1' },
    ]);
    expect(read(document(classOf('a', '', method))).total).toEqual([{ file: 'a', lines: '4', executable: '4' }]);
  });

  it('looks for a file below each source in order', () => {
    const text = document(classOf('a.py', line(1, 1)), ['/ci/app/lib', ' /ci/app/src\n', '']);
    const exists = (path: string) => path === 'src/a.py';
    expect(read(text, { root: '/ci/app', exists }).total).toMatchObject([{ file: 'src/a.py' }]);
    expect(read(text, { root: '/ci/app' }).total).toMatchObject([{ file: 'lib/a.py' }]);
    expect(read(text).total).toMatchObject([{ file: 'a.py' }]);
    expect(read(text, { root: '/ci/app', exists: () => false }).warnings).toEqual([
      { code: 'absent_file', count: 1, example: 'a.py' },
    ]);
    expect(
      read(document(classOf('C:\\ci\\src\\a.cs', line(1, 1)), ['C:\\ci\\']), { root: 'c:/ci' }).total,
    ).toMatchObject([{ file: 'src/a.cs' }]);
    expect(
      read(document(classOf('/ci/app/src/a.cs', line(1, 1)), ['/ci/app']), { root: '/ci/app' }).total,
    ).toMatchObject([{ file: 'src/a.cs' }]);
  });

  it('warns of lines and counts that cannot be', () => {
    const { total, warnings } = read(
      document(classOf('a', line(0, 1) + line(2, -1) + line(3, '1.0') + line(4, '1e3'))),
    );
    expect(total).toEqual([{ file: 'a', lines: '3-4', executable: '2-4' }]);
    expect(warnings).toEqual([
      { code: 'invalid_line', count: 1, example: 'a: line 0' },
      { code: 'negative_count', count: 1, example: 'a:2 has -1 hits' },
    ]);
  });

  it('reads names with the entities of XML, and a document type it does not fetch', () => {
    const doctype = '<!DOCTYPE coverage SYSTEM "http://127.0.0.1:9/coverage-04.dtd">';
    const text = document(classOf('a&amp;b&#x41;.py', line(1, 1))).replace('<coverage>', `${doctype}<coverage>`);
    expect(read(text).total).toMatchObject([{ file: 'a&bA.py' }]);
  });

  it.each([
    [
      'an entity of its own',
      document(classOf('&x;', line(1, 1))).replace('<coverage>', '<!DOCTYPE coverage [<!ENTITY x "y">]><coverage>'),
      'entity',
    ],
    [
      'entities of entities',
      document('').replace('<coverage>', '<!DOCTYPE c [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><coverage a="&b;">'),
      'entity',
    ],
    [
      'a file of the host',
      document(classOf('&x;', '')).replace(
        '<coverage>',
        '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><coverage>',
      ),
      'entity',
    ],
    ['half a file', document(classOf('a', line(1, 1))).slice(0, 150), 'unclosed'],
    ['nothing', '', 'root'],
    ['text', 'hello', 'root'],
    ['another root', '<report/>', '<coverage> was expected, not <report>'],
    ['two roots', '<coverage/><coverage/>', ''],
    ['a tag that is not closed', '<coverage><a></coverage>', ''],
    ['a line without a number', document(classOf('a', '<line hits="1"/>')), '<line> has no number'],
    ['a line without hits', document(classOf('a', '<line number="1"/>')), '<line> has no hits'],
    ['a number that is none', document(classOf('a', line('one', 1))), 'number "one" is no number'],
    ['a broken number', document(classOf('a', line('1.5', 1))), 'number "1.5" is no number'],
    ['hits that are none', document(classOf('a', line(1, 'many'))), 'hits "many" is no number'],
    ['a class without a file', document('<class name="c"><lines/></class>'), '<class> has no filename'],
  ])('refuses %s, with the line', (_what, text, why) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'malformed_coverage',
        message: expect.stringContaining(why),
        position: { line: expect.any(Number), offset: expect.any(Number) },
      }),
    );
  });

  it('names the line of the fault', () => {
    const text = document(`\n\n${classOf('a', `\n${line('x', 1)}`)}`);
    expect(() => read(text)).toThrow(expect.objectContaining({ position: expect.objectContaining({ line: 5 }) }));
  });
});
