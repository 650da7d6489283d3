// Rule R1 of RTSCheck, on two small projects: whatever changes the outcome of a test, the test is selected.
import type { TestRunReport } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectTests, verifySelection } from '../src/index.ts';
import {
  applyChange,
  type Change,
  type Files,
  type FixtureRun,
  type FixtureRunner,
  mutate,
  openFixture,
  readFixture,
} from './run-fixture.ts';

const outcomes = (report: TestRunReport) => new Map(report.tests.map(({ test, outcome }) => [test, outcome]));

function suite(name: string, more: Record<string, Change>) {
  const files: Files = readFixture(name);
  const touched = new Set(Object.values(more).flatMap((change) => Object.keys(change)));
  const mutants = Object.entries(files)
    .filter(([path]) => !touched.has(path) && /^(?:src|shop)\/.*\.(?:[cm]?[jt]s|py)$/.test(path))
    .flatMap(([path, text]) => [...mutate(path, text)].slice(0, 1));
  let fixture: FixtureRunner;
  let before: FixtureRun;

  beforeAll(async () => {
    fixture = await openFixture(files);
    before = await fixture.run(files, true);
  }, 120_000);

  afterAll(() => fixture.close());

  const select = (after: FixtureRun) =>
    selectTests({
      baseline: before.report,
      before: before.tree,
      after: after.tree,
      tests: after.report.tests.filter(({ outcome }) => outcome !== 'not_run'),
    });

  it('passes, and skips everything when nothing changes: files, and children of the same language, are known', () => {
    expect(before.report.tests.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(select(before).selected.map(({ test }) => test)).toEqual([]);
  });

  it.each([...Object.entries(more), ...mutants])(
    'selects what changes by %s',
    async (name, change) => {
      const after = await fixture.run(applyChange(files, change), false);
      const selection = select(after);
      const selected = new Set(selection.selected.map(({ test }) => test));
      const [old, now] = [outcomes(before.report), outcomes(after.report)];
      const changed = [...new Set([...old.keys(), ...now.keys()])].filter((test) => old.get(test) !== now.get(test));
      expect(changed.filter((test) => !selected.has(test))).toEqual([]);
      expect(verifySelection(selection, before.report, after.tree)).toEqual([]);
      if (name in more) expect(changed.length, 'this change was meant to change an outcome').toBeGreaterThan(0);
      ratios.push(selection.selected.length / (selection.selected.length + selection.skipped.length));
    },
    60_000,
  );

  it('runs fewer than all', () => {
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    expect(mean).toBeLessThan(0.75);
  });

  const ratios: number[] = [];
}

describe('a Python project under pytest', () => {
  suite('python', {
    'a data file': { 'data/prices.json': '{"tea": 4, "jam": 5}' },
    'a data file read while collecting': { 'data/squares.json': '[[1, 1], [2, 5]]' },
    'a deleted data file': { 'data/prices.json': null },
    'a deleted module': { 'shop/constants.py': null },
    'a module that only computed imports reach': { 'shop/plugins/german.py': "GREETING = 'servus'\n" },
    'a new file in a listed folder': { 'data/regions/west.txt': '' },
    'a file that must not be there': { 'data/flag': '' },
    'an optional module that comes': { 'shop/speedups.py': 'def total(basket):\n    return 0\n' },
    'a package in the place of a module': { 'shop/constants/__init__.py': 'HOURS = 1\nTAX = 2\n' },
    'an overridden method': {
      'shop/shapes.py':
        'from shop.base import Shape\nclass Square(Shape):\n    def side(self):\n        return 4\n    def width(self):\n        return 1\n',
    },
    'an inherited method': { 'shop/base.py': 'class Shape:\n    def area(self):\n        return 1\n' },
    'a helper of conftest': { 'helpers.py': 'def opening_hours():\n    return 1\n' },
    'a module that shadows the standard library': { 'json.py': 'raise ImportError()\n' },
    'a conftest.py that comes': {
      'tests/conftest.py': 'import pytest\n@pytest.fixture\ndef basket():\n    return []\n',
    },
    'a script that a child runs': { 'scripts/report.py': 'print(8)\n' },
    'a test': { 'tests/test_arithmetic.py': 'def test_sum():\n    assert 1 + 1 == 3\n' },
    'a new test': { 'tests/test_new.py': 'def test_new():\n    pass\n' },
  });
});

describe('a JavaScript and TypeScript project under vitest', () => {
  suite('vitest', {
    'a JSON module': { 'src/prices.json': '{ "tea": 4, "jam": 5 }' },
    'a raw text': { 'src/greeting.txt': 'bye' },
    'a new globbed module': { 'src/lang/b.js': "export const name = 'b';\n" },
    'a deleted globbed module': { 'src/lang/a.js': null },
    'a computed import': { 'src/plugins/german.js': "export const GREETING = 'servus';\n" },
    'a deleted module': { 'src/constants.ts': null },
    'a module of another extension that comes first': { 'src/constants.js': 'export const TAX = 1;\n' },
    'a file in the place of an index': {
      'src.ts': 'export const total = () => 0;\nexport const withTax = () => 0;\n',
    },
    'an import of a set-up file': { 'test/unit.js': 'export const unit = 2;\n' },
    'a required module of a required module': { 'src/older.cjs': 'module.exports = 9;\n' },
    'a snapshot': {
      'test/__snapshots__/setup.test.js.snap':
        '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`snapshot 1`] = `\n{\n  "one": 2,\n}\n`;\n',
    },
    'a file that is read': { 'data/file.txt': 'other' },
    'a script that a child runs': { 'scripts/report.mjs': 'console.log(8);\n' },
    'the configuration': { 'vitest.config.js': 'export default {};\n' },
    'a test': {
      'test/arithmetic.test.js': "import { test } from 'vitest';\ntest('sum', () => { throw new Error(); });\n",
    },
    'a new test': { 'test/new.test.js': "import { test } from 'vitest';\ntest('new', () => {});\n" },
  });
});
