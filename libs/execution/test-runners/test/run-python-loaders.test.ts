// Sources that are loaded by path instead of by an import have coverage all the same, and what cannot have it is told.
import { describe, expect, it } from 'vitest';
import { findPythons } from './find-python.ts';
import { linesOfTest, runCovered } from './run-covered.ts';

const SCRIPT = 'def v(x):\n    if x:\n        return 1\n    return 2\nY = v(0)\n';
const TESTS = `import importlib.util, os, runpy, types, unittest
from importlib.machinery import SourceFileLoader
def path(name): return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'scripts', name)
def by_spec(name):
    spec = importlib.util.spec_from_file_location('other', path(name))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
class Own(SourceFileLoader): pass
class T(unittest.TestCase):
    def test_1_spec(self): by_spec('a.py').v(1)
    def test_2_spec_again(self): by_spec('a.py').v(0)
    def test_3_loader(self):
        module = types.ModuleType('noext')
        SourceFileLoader('noext', path('noext')).exec_module(module)
        module.v(1)
    def test_4_get_code(self): exec(SourceFileLoader('b', path('b.py')).get_code('b'), {})
    def test_5_run_path(self): runpy.run_path(path('c.py'))['v'](1)
    def test_6_exec(self):
        with open(path('d.py')) as file: exec(compile(file.read(), path('d.py'), 'exec'), {})
    def test_7_own_loader(self): Own('e', path('e.py')).exec_module(types.ModuleType('e'))
    def test_8_own_loader(self): Own('e', path('e.py')).exec_module(types.ModuleType('e'))
    def test_9_broken(self):
        with self.assertRaises(SyntaxError): by_spec('broken.py')
        with self.assertRaises(FileNotFoundError): by_spec('none.py')
        with self.assertRaises(ImportError): SourceFileLoader('b', path('b.py')).get_code('c')
`;
const files = Object.fromEntries(
  ['a.py', 'b.py', 'c.py', 'd.py', 'e.py', 'noext'].map((n) => [`scripts/${n}`, SCRIPT]),
);
const WHY = "what it executes is not seen where it is run by `exec`, or by another loader than Python's own";

describe.each(findPythons().filter(({ version }) => version !== '3.9' && version !== '3.10'))(
  'CPython $version',
  ({ executable }) => {
    it('covers what is loaded by path, and says of which files it does not', async () => {
      const tree = { ...files, 'scripts/broken.py': 'def\n', 'test_a.py': TESTS };
      const report = await runCovered(tree, 'unittest', { python: executable });
      const told = report.tests.map((test) => [test.test.replace(/^.*::test_/, ''), test.outcome, linesOfTest(test)]);
      expect(told).toEqual([
        ['1_spec', 'passed', 'scripts/a.py:2-3'],
        ['2_spec_again', 'passed', 'scripts/a.py:1-2,4-5'],
        ['3_loader', 'passed', 'scripts/noext:2-3'],
        ['4_get_code', 'passed', 'scripts/b.py:1-2,4-5'],
        ['5_run_path', 'passed', 'scripts/c.py:1-5'],
        ['6_exec', 'passed', ''],
        ['7_own_loader', 'passed', ''],
        ['8_own_loader', 'passed', ''],
        ['9_broken', 'passed', ''],
      ]);
      expect(report.import_coverage).toContainEqual({ file: 'scripts/a.py', lines: '1-2,4-5' });
      expect(report.notes).toEqual([`No coverage of scripts/d.py: ${WHY}`, `No coverage of scripts/e.py: ${WHY}`]);
    });
  },
);

const interpreters = findPythons().find(({ version }) => version === '3.8' || version === '3.12');
it.runIf(interpreters)('says that what a sub-interpreter runs is not seen', async () => {
  const tests = `import _xxsubinterpreters as sub, unittest
class T(unittest.TestCase):
    def test_a(self): sub.destroy(sub.create()); sub.destroy(sub.create())
    def test_b(self): pass
`;
  const report = await runCovered({ 'test_a.py': tests }, 'unittest', { python: interpreters?.executable ?? '' });
  expect(report.tests.map(({ dependencies }) => dependencies?.complete)).toEqual([false, true]);
  expect(report.notes).toEqual([expect.stringContaining('makes an interpreter')]);
});
