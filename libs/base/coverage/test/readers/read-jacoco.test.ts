import { type JacocoOptions, readJacoco } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const line = (nr: unknown, mi: unknown, ci: unknown, mb: unknown = 0, cb: unknown = 0) =>
  `<line nr="${nr}" mi="${mi}" ci="${ci}" mb="${mb}" cb="${cb}"/>`;
const document = (inside: string) => `<?xml version="1.0"?><report name="r">${inside}</report>`;
const file = (lines: string, name = 'A.java', of = 'p') =>
  document(`<package name="${of}"><sourcefile name="${name}">${lines}</sourcefile></package>`);
const read = (text: string, options?: JacocoOptions) => readJacoco(text, options);

describe('readJacoco', () => {
  it('reads packages below groups, and the one without a name', () => {
    const { total, warnings } = readJacoco(readFixture('jacoco/jacoco.xml'));
    expect(total).toEqual([
      { file: 'Main.kt', lines: '1', executable: '1' },
      { file: 'com/example/shop/Cart.java', lines: '3,6-8,11,14', executable: '3,6-9,11,14' },
      { file: 'com/example/shop/Unused.java', lines: '', executable: '4' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('looks for a file below the usual folders of sources, or those given', () => {
    const exists = (path: string) => ['src/main/java/p/A.java', 'app/java/p/A.java'].includes(path);
    expect(read(file(line(1, 0, 1)), { exists }).total).toMatchObject([{ file: 'src/main/java/p/A.java' }]);
    expect(read(file(line(1, 0, 1)), { exists, sourceFolders: ['lib', 'app/java'] }).total).toMatchObject([
      { file: 'app/java/p/A.java' },
    ]);
    expect(read(file(line(1, 0, 1)), { sourceFolders: ['app/java'] }).total).toMatchObject([
      { file: 'app/java/p/A.java' },
    ]);
    expect(read(file(line(1, 0, 1)), { exists: () => false })).toMatchObject({
      total: [],
      warnings: [{ code: 'absent_file', count: 1 }],
    });
    expect(read(file(line(1, 0, 1)), { folder: 'core', root: '/ci' }).total).toMatchObject([{ file: 'core/p/A.java' }]);
  });

  it('lines entered in part, with branches only, and with nothing', () => {
    const lines = line(1, 3, 1) + line(2, 0, 0, 1, 1) + line(3, 0, 0, 2, 0) + line(4, 0, 0) + line(5, 9, 0);
    expect(read(file(lines)).total).toEqual([{ file: 'p/A.java', lines: '1-2', executable: '1-3,5' }]);
  });

  it('unites a file that is there twice, as in reports of several modules', () => {
    const text = document(
      ['<package name="p"><sourcefile name="A.java">', line(1, 0, 1), line(2, 1, 0), '</sourcefile></package>']
        .join('')
        .repeat(2)
        .replace(line(2, 1, 0), line(2, 0, 1)),
    );
    expect(read(text).total).toEqual([{ file: 'p/A.java', lines: '1-2', executable: '1-2' }]);
  });

  it('warns of lines and counts that cannot be', () => {
    expect(read(file(line(0, 0, 1) + line(-3, 0, 1) + line(2, -1, 0) + line(3, '1e3', 0)))).toMatchObject({
      total: [{ lines: '', executable: '3' }],
      warnings: [
        { code: 'invalid_line', count: 2 },
        { code: 'negative_count', count: 1, example: 'p/A.java:2' },
      ],
    });
  });

  it('names that every object has', () => {
    expect(read(file(line(1, 0, 1), '__proto__', 'constructor')).total).toEqual([
      { file: 'constructor/__proto__', lines: '1', executable: '1' },
    ]);
  });

  it.each([
    ['an entity of its own', '<!DOCTYPE report [<!ENTITY x "y">]><report name="&x;"/>', 'entity'],
    [
      'entities of entities',
      `<!DOCTYPE report [<!ENTITY a "aa">${'<!ENTITY b "&a;&a;">'.repeat(9)}]><report name="&b;"/>`,
      'entity',
    ],
    ['a file of the host', '<!DOCTYPE report [<!ENTITY x SYSTEM "file:///etc/passwd">]><report>&x;</report>', 'entity'],
    ['another root', '<coverage/>', '<report> was expected'],
    ['half a file', file(line(1, 0, 1)).slice(0, 90), 'unclosed'],
    ['nothing', '', 'root'],
    ['elements without end', `${'<a>'.repeat(300)}`.replace('<a>', '<report>'), 'inside each other'],
    ['a line without a number', file('<line mi="0" ci="1" mb="0" cb="0"/>'), '<line> has no nr'],
    ['a line without counts', file('<line nr="1"/>'), '<line> has no mi'],
    ['a count that is none', file(line(1, 'x', 0)), 'mi "x" is no number'],
    ['an endless count', file(line(1, '9'.repeat(400), 0)), 'is no number'],
    ['half a line', file(line('1.5', 0, 0)), 'nr 1.5 is no line'],
    ['a file without a name', document('<package name="p"><sourcefile/></package>'), '<sourcefile> has no name'],
  ])('refuses %s, with the line', (_what, text, why) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'malformed_coverage',
        message: expect.stringContaining(why),
        position: { line: expect.any(Number), offset: expect.any(Number) },
      }),
    );
  });
});
