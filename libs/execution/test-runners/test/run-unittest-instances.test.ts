// unittest drops each test as soon as it has run: what its instance held is gone for the tests after it, under H too.
import { expect, it } from 'vitest';
import { findPythons } from './find-python.ts';
import { linesOfTest, runCovered } from './run-covered.ts';

const LIB = 'def f(n):\n    return n\ndef g(n):\n    return n\n';
const TESTS = `import lib, os, unittest, weakref
HELD = []
class Big: pass
class Bomb:
    def __del__(self): os._exit(0)
class A(unittest.TestCase):
    def test_1(self): self.big = Big(); HELD.append(weakref.ref(self.big))
    def test_2(self): assert HELD[0]() is None
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): lib.f(1 / 0)
    def test_1(self): pass
    def test_2(self): pass
class Lazy(unittest.TestSuite):
    """Makes tests as they run, each likely where the one before was."""
    def __iter__(self):
        if not is_running(): return iter(())
        return (C(name) for name in ('test_1', 'test_2', 'test_3'))
    def _removeTestAtIndex(self, index): pass
class C(unittest.TestCase):
    def test_1(self): lib.f(1)
    def test_2(self): lib.g(1)
    def test_3(self): self.assertIs(HELD[0](), None)
class D(unittest.TestCase):
    def test_1(self): self.bomb = Bomb()
    def test_2(self): lib.g(2)
def is_running(): return bool(HELD)
def load_tests(loader, tests, pattern):
    found = [loader.loadTestsFromTestCase(case) for case in (A, B)]
    return unittest.TestSuite([*found, Lazy(), loader.loadTestsFromTestCase(D)])
`;

it.each(findPythons().filter(({ version }) => version === '3.8' || version === '3.12'))(
  'CPython $version: a test that has run is not kept alive, and none is taken for it',
  async ({ executable }) => {
    const report = await runCovered({ 'lib.py': LIB, 'test_lib.py': TESTS }, 'unittest', { python: executable });
    const told = report.tests.map((test) => [test.test.slice('test_lib.py::'.length), test.outcome, linesOfTest(test)]);
    expect(told.sort()).toEqual([
      ['A::test_1', 'passed', ''],
      ['A::test_2', 'passed', ''],
      ['B::test_1', 'error', ''],
      ['B::test_2', 'error', ''],
      ['C::test_1', 'passed', 'lib.py:2'],
      ['C::test_2', 'passed', 'lib.py:4'],
      ['C::test_3', 'passed', ''],
      ['D::test_1', 'passed', ''],
      ['D::test_2', 'passed', 'lib.py:4'],
    ]);
    expect(report.notes?.join()).toContain('ended at test_lib.py::D::test_1 (exit code 0)');
  },
);
