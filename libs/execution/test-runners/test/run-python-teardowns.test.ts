// A teardown that tests share is the failure of the last of them: that one has what it executed and read, and no other.
import { describe, expect, it } from 'vitest';
import { findPythons } from './find-python.ts';
import { linesOfTest, runCovered } from './run-covered.ts';

const LIB = `def up(x):
    return x
def down(x):
    y = x
    return 1 / y
def cd(x):
    with open(__file__[:-6] + 'data.txt') as file:
        return int(file.read()) / x
`;
const CASES = `import lib, unittest
def tearDownModule(): lib.down(0)
class A(unittest.TestCase):
    def test_1(self): pass
    @classmethod
    def tearDownClass(cls): lib.cd(1)
class B(unittest.TestCase):
    def test_1(self): pass
    def test_2(self): pass
    @classmethod
    def tearDownClass(cls): lib.cd(0)
class C(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.addClassCleanup(lib.down, 1); lib.up(1)
    def test_1(self): pass
class D(unittest.TestCase):
    def test_1(self): pass
`;
const FIXTURES = `import lib, pytest
@pytest.fixture(scope='module')
def mod():
    lib.up(1); yield 2
    lib.down(0)
@pytest.fixture(scope='class')
def cl():
    lib.up(1); yield 2
    lib.cd(0)
@pytest.fixture(scope='class')
def well():
    yield 2
    lib.cd(1)
def test_1(mod): pass
class TestQ:
    def test_2(self, cl): pass
    def test_3(self, cl): pass
class TestR:
    def test_4(self, well): pass
def test_5(): pass
`;

async function run(runner: 'unittest' | 'pytest', tests: string, python: string) {
  const report = await runCovered({ 'lib.py': LIB, 'data.txt': '1', 'test_a.py': tests }, runner, { python });
  return report.tests.map((test) => [
    test.test.slice('test_a.py::'.length),
    test.outcome,
    linesOfTest(test),
    (test.dependencies?.data ?? []).map(({ path }) => path).join(),
  ]);
}

const pythons = findPythons();
describe.each(pythons.filter(({ version }) => ['3.8', '3.11', '3.13'].includes(version)))(
  'CPython $version',
  ({ executable }) => {
    it('unittest: classes and modules', async () => {
      expect(await run('unittest', CASES, executable)).toEqual([
        ['A::test_1', 'passed', '', 'data.txt'],
        ['B::test_1', 'passed', '', 'data.txt'],
        ['B::test_2', 'error', 'lib.py:7-8', 'data.txt'],
        ['C::test_1', 'passed', 'lib.py:2', 'data.txt'],
        ['D::test_1', 'error', 'lib.py:4-5', 'data.txt'],
      ]);
    });
  },
);

const withPytest = pythons.find(({ pytest }) => pytest !== undefined);
it.runIf(withPytest)('pytest: fixtures of a class and a module', async () => {
  expect(await run('pytest', FIXTURES, withPytest?.executable ?? '')).toEqual([
    ['test_1', 'passed', 'lib.py:2', 'data.txt'],
    ['TestQ::test_2', 'passed', 'lib.py:2', 'data.txt'],
    ['TestQ::test_3', 'error', 'lib.py:2,7-8', 'data.txt'],
    ['TestR::test_4', 'passed', '', 'data.txt'],
    ['test_5', 'error', 'lib.py:4-5', 'data.txt'],
  ]);
});
