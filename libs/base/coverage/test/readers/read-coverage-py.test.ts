import { type CoveragePyOptions, readCoveragePy } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const file = (entry: object) => ({ executed_lines: [], missing_lines: [], excluded_lines: [], ...entry });
const read = (files: object, options?: CoveragePyOptions, meta: object = { format: 3 }) =>
  readCoveragePy(JSON.stringify({ meta, files }), options);

describe('readCoveragePy, from coverage.py 7.11 with pytest-cov', () => {
  const report = readCoveragePy(readFixture('coverage-py/contexts.json'));
  const cart = (id: string) =>
    report.tests?.find((test) => test.id === id)?.files.find(({ file: name }) => name === 'shop/cart.py')?.lines;

  it('names tests as pytest does', () => {
    expect(report.tests?.map(({ id }) => id)).toEqual([
      'tests/test_cart.py::TestDiscount::test_gold',
      'tests/test_cart.py::TestDiscount::test_none[1]',
      'tests/test_cart.py::TestDiscount::test_none[5]',
      'tests/test_cart.py::test_check',
      'tests/test_cart.py::test_empty',
      'tests/test_cart.py::test_negative',
    ]);
  });

  it('counts a statement of several lines by its first, without excluded ones', () => {
    expect(cart('tests/test_cart.py::test_empty')).toBe('11,15,19,24-25');
    expect(cart('tests/test_cart.py::test_negative')).toBe('11,15-16');
  });

  it('credits an assertion whose first line has no context of its own', () => {
    expect(cart('tests/test_cart.py::test_check')).toBe('39,42');
  });

  it('credits what the fixtures of a test executed to the test', () => {
    expect(cart('tests/test_cart.py::TestDiscount::test_gold')).toBe('11,15,19,24-25,28,31-32');
  });

  it('keeps apart what ran while the modules were loaded', () => {
    expect(report.outside).toEqual([{ file: 'shop/cart.py', lines: '1-2,8,22-23,27,30,38' }]);
  });

  it('keeps what was never executed, files without a statement too', () => {
    expect(report.total).toEqual([
      { file: 'shop/__init__.py', lines: '', executable: '' },
      {
        file: 'shop/cart.py',
        lines: '1-2,8,11,15-16,19,22-25,27-28,30-32,38-39,42',
        executable: '1-2,8,11,15-16,19,22-25,27-28,30-32,38-39,42',
      },
      { file: 'shop/unused.py', lines: '', executable: '1-2' },
    ]);
    expect(report.warnings).toEqual([]);
  });

  it('has the same total without contexts, and no tests', () => {
    const plain = readCoveragePy(readFixture('coverage-py/plain.json'));
    expect(plain.total).toEqual(report.total);
    expect(plain).not.toHaveProperty('tests');
    expect(plain).not.toHaveProperty('outside');
  });

  it("reads coverage.py's own function contexts by the caller's rule", () => {
    const testOf = (context: string) =>
      context === ''
        ? undefined
        : context
            .replace(/^test_cart\./, 'tests/test_cart.py::')
            .replaceAll('.', '::')
            .replace('::py', '.py');
    const functions = readCoveragePy(readFixture('coverage-py/functions.json'), { testOf });
    expect(functions.tests?.map(({ id }) => id)).toContain('tests/test_cart.py::TestDiscount::test_gold');
    expect(functions.total).toEqual(report.total);
  });
});

describe('readCoveragePy', () => {
  it('unites the phases of a test, and can keep them apart', () => {
    const contexts = { 1: ['t::a|setup'], 2: ['t::a|run', 't::b|run'], 3: ['t::a|teardown'], 4: ['ci|t::c|run'] };
    const files = { 'a.py': file({ executed_lines: [1, 2, 3, 4], contexts }) };
    expect(read(files).tests).toEqual([
      { id: 'ci|t::c', files: [{ file: 'a.py', lines: '4' }] },
      { id: 't::a', files: [{ file: 'a.py', lines: '1-3' }] },
      { id: 't::b', files: [{ file: 'a.py', lines: '2' }] },
    ]);
    const testOf = (context: string) => (context.endsWith('|run') ? context : undefined);
    const apart = read(files, { testOf });
    expect(apart.tests?.map(({ id }) => id)).toEqual(['ci|t::c|run', 't::a|run', 't::b|run']);
    expect(apart.outside).toEqual([{ file: 'a.py', lines: '1,3' }]);
  });

  it('counts as outside what was executed and no context names', () => {
    const files = {
      'a.py': file({ executed_lines: [1, 2], contexts: { 1: ['t::a'] } }),
      'b.py': file({ executed_lines: [7] }),
    };
    expect(read(files).outside).toEqual([
      { file: 'a.py', lines: '2' },
      { file: 'b.py', lines: '7' },
    ]);
  });

  it('drops contexts of missing and excluded statements and of lines before the first', () => {
    const contexts = { 1: ['t'], 3: ['t'], 5: ['t'], 6: ['t'], 8: ['t'] };
    const files = { 'a.py': file({ executed_lines: [2, 5], missing_lines: [7], excluded_lines: [5], contexts }) };
    expect(read(files).tests).toEqual([{ id: 't', files: [{ file: 'a.py', lines: '2' }] }]);
  });

  it('warns where contexts were to be shown and there are none', () => {
    const files = { 'a.py': file({ executed_lines: [1], contexts: { 1: [''] } }) };
    const { warnings, tests } = read(files, {}, { format: 3, show_contexts: true });
    expect(warnings).toEqual([{ code: 'no_contexts', count: 1, example: expect.any(String) }]);
    expect(tests).toBeUndefined();
  });

  it('reads a newer format by the fields it knows, and says so', () => {
    expect(read({ 'a.py': file({ executed_lines: [1] }) }, {}, { format: 9 })).toMatchObject({
      total: [{ file: 'a.py', lines: '1' }],
      warnings: [{ code: 'newer_format', count: 1, example: '9' }],
    });
  });

  it('places Windows paths, and leaves out what is not there', () => {
    const files = {
      'shop\\a.py': file({ executed_lines: [1] }),
      'C:\\Python311\\Lib\\os.py': file({ executed_lines: [1] }),
      'shop\\gone.py': file({}),
    };
    const exists = (path: string) => path !== 'shop/gone.py';
    const report = read(files, { root: 'C:\\ci\\app', exists });
    expect(report.total.map((entry) => entry.file)).toEqual(['shop/a.py']);
    expect(report.warnings).toEqual([
      { code: 'absent_file', count: 1, example: 'shop\\gone.py' },
      { code: 'outside_root', count: 1, example: 'C:\\Python311\\Lib\\os.py' },
    ]);
  });

  it.each([
    ['[]', 'the top'],
    ['{}', 'files'],
    ['{"files": {"a.py": 1}}', 'files["a.py"]'],
    ['{"files": {"a.py": {}}}', 'files["a.py"].executed_lines'],
    ['{"files": {"a.py": {"executed_lines": [1]}}}', 'files["a.py"].missing_lines'],
    ['{"files": {"a.py": {"executed_lines": [1, "2"], "missing_lines": []}}}', 'files["a.py"].executed_lines[1]'],
    ['{"files": {"a.py": {"executed_lines": [-1], "missing_lines": []}}}', 'files["a.py"].executed_lines[0]'],
    ['{"files": {"a.py": {"executed_lines": [1.5], "missing_lines": []}}}', 'files["a.py"].executed_lines[0]'],
    ['{"files": {"a.py": {"executed_lines": [1], "missing_lines": [], "contexts": []}}}', 'files["a.py"].contexts'],
    [
      '{"files": {"a.py": {"executed_lines": [1], "missing_lines": [], "contexts": {"x": []}}}}',
      'files["a.py"].contexts["x"]',
    ],
    [
      '{"files": {"a.py": {"executed_lines": [1], "missing_lines": [], "contexts": {"1": "t"}}}}',
      'files["a.py"].contexts["1"]',
    ],
    [
      '{"files": {"a.py": {"executed_lines": [1], "missing_lines": [], "contexts": {"1": [1]}}}}',
      'files["a.py"].contexts["1"]',
    ],
    ['{"meta": 1, "files": {}}', 'meta'],
  ])('refuses %s', (text, at) => {
    expect(() => readCoveragePy(text)).toThrow(
      expect.objectContaining({ code: 'malformed_coverage', position: { at } }),
    );
  });

  it('takes names that JavaScript objects have for names', () => {
    const files = JSON.parse(
      '{"__proto__": {"executed_lines": [1], "missing_lines": []}, "constructor": {"executed_lines": [2], "missing_lines": []}}',
    );
    expect(read(files).total.map((entry) => entry.file)).toEqual(['__proto__', 'constructor']);
  });
});
