// Whose statements they are: threads, coroutines, generators, a module that a test happens to load first.
import { memoryArtifacts, parseLines, parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const LIB = `def shared(n):
    total = n
    return total


def threaded():
    found = shared(1)
    return found


async def awaited():
    found = shared(2)
    return found


def generated():
    yield 1
    yield 2


def never():
    return 0
`;
const LAZY = `TABLE = {}
for number in range(3):
    TABLE[number] = number


def look(number):
    return TABLE[number]
`;
const TESTS = `import asyncio, threading, unittest
import lib

GENERATOR = lib.generated()


class A(unittest.TestCase):
    def test_1_thread(self):
        thread = threading.Thread(target=lib.threaded)
        thread.start()
        thread.join()

    def test_2_async(self):
        async def both():
            return await asyncio.gather(lib.awaited(), lib.awaited())
        self.assertEqual(asyncio.run(both()), [2, 2])

    def test_3_generator_begins(self):
        self.assertEqual(next(GENERATOR), 1)

    def test_4_generator_goes_on(self):
        self.assertEqual(next(GENERATOR), 2)

    def test_5_loads(self):
        import lazy
        self.assertEqual(lazy.look(1), 1)

    def test_6_uses(self):
        import lazy
        self.assertEqual(lazy.look(2), 2)

    def test_7_shared_again(self):
        lib.shared(3)
`;

describe.each(findPythons().map(({ version, executable }) => [version, executable]))('CPython %s', (_, python) => {
  it('credits each test with what ran for it', async () => {
    const artifacts = memoryArtifacts();
    const detection = {
      runner: 'unittest' as const,
      cwd: '',
      reason: '',
      evidence: [],
      source_roots: [],
      start_dirs: ['.'],
    };
    const host = {
      executor: processExecutor(artifacts),
      artifacts,
      policy: policy(),
      environment: '0'.repeat(64),
      tree: await treeOf({ 'lib.py': LIB, 'lazy.py': LAZY, 'test_a.py': TESTS }, artifacts),
      python,
    };
    const report = parseRecord(TestRunReport, await runTests(detection, host, { coverage: true }));
    const lines = Object.fromEntries(
      report.tests.map(({ test, outcome, coverage }) => [
        test.replace(/^.*::test_/, ''),
        [outcome, ...(coverage ?? []).map((one) => `${one.file}:${one.lines}`)],
      ]),
    );
    expect(lines).toEqual({
      '1_thread': ['passed', 'lib.py:2-3,7-8'],
      '2_async': ['passed', 'lib.py:2-3,12-13'],
      '3_generator_begins': ['passed', 'lib.py:17'],
      '4_generator_goes_on': ['passed', 'lib.py:18'],
      '5_loads': ['passed', 'lazy.py:7'],
      '6_uses': ['passed', 'lazy.py:7'],
      '7_shared_again': ['passed', 'lib.py:2-3'],
    });
    const loaded = report.import_coverage?.find(({ file }) => file === 'lazy.py')?.lines ?? '';
    expect(parseLines(loaded)).toEqual([1, 2, 3, 6]);
  });
});

const DOCUMENTED = 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    total = a + b\n    return total\n';
const WITH_DOCTESTS = `import doctest, unittest
import documented


def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite('documented'))
    return tests


class T(unittest.TestCase):
    def test_add(self):
        self.assertEqual(documented.add(1, 1), 2)
`;

it.each([
  ['unittest', {}, 'documented.py::documented.add'],
  ['pytest', { 'pytest.ini': '[pytest]\naddopts = --doctest-modules\n' }, 'documented.py::documented.add'],
] as const)('%s: a module whose doctests are run is a program all the same', async (runner, more, doctest) => {
  const artifacts = memoryArtifacts();
  const files = { 'documented.py': DOCUMENTED, 'test_documented.py': WITH_DOCTESTS, ...more };
  const host = {
    ...{ executor: processExecutor(artifacts), artifacts, policy: policy(), environment: '0'.repeat(64) },
    ...{ tree: await treeOf(files, artifacts), python: 'python3' },
  };
  const detection = {
    runner,
    cwd: '',
    reason: '',
    evidence: [],
    source_roots: [],
    start_dirs: runner === 'unittest' ? ['.'] : [],
  };
  const { tests } = await runTests(detection, host, { coverage: true });
  const lines = Object.fromEntries(tests.map(({ test, coverage }) => [test, coverage]));
  const told = [{ file: 'documented.py', lines: '6-7' }];
  expect(lines).toEqual({ [doctest]: told, 'test_documented.py::T::test_add': told });
});
