import { memoryArtifacts, parseRecord, type TestRunReport, TestRunReport as TestRunReportSchema } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { createRunTests, detectRunners, listTests, planTestRun, type RunTestsOptions, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const pythons = findPythons();
const withPytest = pythons.find(({ pytest }) => pytest !== undefined);
const anyPython = withPytest ?? pythons[0];

async function hostOf(files: Record<string, string>, wallMs = 60_000, python = anyPython?.executable ?? 'python3') {
  const artifacts = memoryArtifacts();
  const detections = await detectRunners(readerOf(files));
  const detection = detections[0];
  if (detection === undefined) throw new Error('no runner found');
  const tree = await treeOf(files, artifacts);
  const executor = processExecutor(artifacts);
  return {
    detection,
    host: { executor, artifacts, policy: policy({ wall_ms: wallMs }), environment: '0'.repeat(64), tree, python },
  };
}

async function run(
  files: Record<string, string>,
  options: RunTestsOptions & { wallMs?: number; python?: string } = {},
) {
  const { detection, host } = await hostOf(files, options.wallMs, options.python);
  return parseRecord(TestRunReportSchema, await runTests(detection, host, options));
}

const outcomes = (report: TestRunReport) =>
  Object.fromEntries(report.tests.map(({ test, outcome }) => [test, outcome]));
const byName = (report: TestRunReport, end: string) => {
  const found = report.tests.find(({ test }) => test.endsWith(end));
  if (found === undefined) throw new Error(`no ${end}`);
  return found;
};
const linesOf = (report: TestRunReport, end: string) =>
  Object.fromEntries((byName(report, end).coverage ?? []).map(({ file, lines }) => [file, lines]));

const CALC = `"""A calculator."""
from __future__ import annotations


def add(a, b):
    total = 0
    if a > 100:
        return a - b
    elif a == 3:
        for i in range(2):
            total += i
        return total
    return a + b


def wide():
    return 5
`;

const UNITTEST = `import asyncio
import unittest
from calc import add, wide


def setUpModule():
    wide()


class Sums(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        add(200, 1)

    def test_passes(self):
        self.assertEqual(add(1, 2), 3)

    def test_fails(self):
        self.assertEqual([1, add(3, 1)], [1, 4])

    def test_errors(self):
        add(1, None)

    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(add(i, 0), i if i != 1 else 7)

    @unittest.expectedFailure
    def test_xfails(self):
        self.fail('known')

    @unittest.expectedFailure
    def test_xpasses(self):
        pass

    @unittest.skip('not now')
    def test_skipped(self):
        pass

    def test_skips_itself(self):
        self.skipTest('later')


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError('no fixture')

    def test_one(self):
        pass


class Left(unittest.TestCase):
    def tearDown(self):
        raise KeyError('down')

    def test_one(self):
        pass


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self):
        await asyncio.sleep(0)
        self.assertEqual(add(1, 1), 2)
`;

const unittestProject = {
  'calc.py': CALC,
  'tests/__init__.py': '',
  'tests/test_calc.py': UNITTEST,
  'tests/test_missing.py': 'import unittest\nimport nowhere_to_be_found\nclass A(unittest.TestCase): pass\n',
  'tests/test_odd.py': 'import unittest\nraise unittest.SkipTest("not here")\nclass A(unittest.TestCase): pass\n',
};

describe.each(pythons)('unittest on CPython $version', ({ executable: python, version }) => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await run(unittestProject, { coverage: true, python });
    const isTold = Number(version.slice(2)) < 12;
    const again = isTold ? report : await run(unittestProject, { coverage: true, order: true, python });
    if (!isTold) expect(byName(report, 'test_fails').last_lines).toBeUndefined();
    expect(again.tests.map(({ coverage }) => coverage)).toEqual(report.tests.map(({ coverage }) => coverage));
    const id = (name: string) => `tests/test_calc.py::${name}`;
    expect(outcomes(report)).toEqual({
      [id('Async::test_awaits')]: 'passed',
      [id('Broken::test_one')]: 'error',
      [id('Left::test_one')]: 'error',
      [id('Sums::test_errors')]: 'error',
      [id('Sums::test_fails')]: 'failed',
      [id('Sums::test_passes')]: 'passed',
      [id('Sums::test_skipped')]: 'skipped',
      [id('Sums::test_skips_itself')]: 'skipped',
      [id('Sums::test_sub')]: 'failed',
      [id('Sums::test_xfails')]: 'xfailed',
      [id('Sums::test_xpasses')]: 'xpassed',
      'tests/test_odd.py::ModuleSkipped': 'skipped',
    });
    expect(byName(report, 'test_fails').failure).toMatchObject({
      class: 'AssertionError',
      location: 'tests/test_calc.py:19',
      expected: '[1, 4]',
      actual: '[1, 1]',
    });
    expect(byName(report, 'test_errors').failure).toMatchObject({ class: 'TypeError', location: 'calc.py:13' });
    expect(byName(report, 'test_errors').failure?.frames).toEqual(['calc.py:13', 'tests/test_calc.py:22']);
    expect(byName(report, 'Broken::test_one').failure).toMatchObject({ class: 'ValueError', message: 'no fixture' });
    expect(report.collection_errors).toEqual([
      { file: 'tests/test_missing.py', message: "ModuleNotFoundError: No module named 'nowhere_to_be_found'" },
    ]);
    // the fixtures' own lines (8, 16) belong to every test of the class or module
    expect(linesOf(report, 'test_passes')).toEqual({ 'calc.py': '6-9,13,17' });
    expect(linesOf(report, 'test_fails')).toEqual({ 'calc.py': '6-12,17' });
    expect(linesOf(report, 'test_awaits')).toEqual({ 'calc.py': '6-7,9,13,17' });
    expect(byName(again, 'test_fails').last_lines).toEqual([12, 10, 11, 9, 7, 6].map((line) => `calc.py:${line}`));
    expect(report.import_coverage).toEqual(
      [
        { file: 'calc.py', lines: '5,16' },
        { file: 'tests/__init__.py', lines: '' },
      ].slice(0, 1),
    );
  });
});

const PYTEST = `import pytest
from calc import add, wide


@pytest.fixture(scope='module')
def shared():
    yield wide()
    add(3, 0)


@pytest.fixture
def own():
    add(200, 1)


@pytest.fixture
def boom():
    raise ValueError('boom')


@pytest.fixture
def down():
    yield
    raise KeyError('down')


def test_passes(shared):
    from builders import build
    assert add(build(), 2) == 3


def test_fails(shared, own):
    values = [add(3, 2)]
    assert values == [5]


def test_errors():
    add(1, None)


@pytest.mark.parametrize('a', [1, 'x::y[z]'])
def test_many(a):
    pass


@pytest.mark.skip(reason='not now')
def test_skipped():
    pass


@pytest.mark.xfail(reason='known')
def test_xfails():
    assert 0


@pytest.mark.xfail
def test_xpasses():
    pass


@pytest.mark.xfail(strict=True)
def test_strict():
    pass


def test_boom(boom):
    pass


def test_down(down):
    pass


class TestGroup:
    def test_lazy(self):
        from late import used
        assert used() == 2

    def test_object(self):
        assert Odd() == 3


class Odd:
    def __eq__(self, other):
        return False

    def __repr__(self):
        return 'Odd()'
`;

const pytestProject = {
  'calc.py': CALC,
  'late.py': 'ONE = 1\n\n\ndef used():\n    return ONE + 1\n',
  'pytest.ini': '[pytest]\naddopts = -x\n',
  'tests/conftest.py': 'import sys\nsys.path.insert(0, ".")\n',
  'tests/builders.py': 'def build():\n    return 1\n',
  'tests/test_calc.py': PYTEST,
  'tests/test_missing.py': 'import nowhere_to_be_found\n',
};

describe.skipIf(withPytest === undefined)('pytest', () => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await run(pytestProject, { coverage: true });
    const id = (name: string) => `tests/test_calc.py::${name}`;
    expect(outcomes(report)).toEqual({
      [id('test_passes')]: 'passed',
      [id('test_fails')]: 'failed',
      [id('test_errors')]: 'failed',
      [id('test_many[1]')]: 'passed',
      [id('test_many[x::y[z]]')]: 'passed',
      [id('test_skipped')]: 'skipped',
      [id('test_xfails')]: 'xfailed',
      [id('test_xpasses')]: 'xpassed',
      [id('test_strict')]: 'failed',
      [id('test_boom')]: 'error',
      [id('test_down')]: 'error',
      [id('TestGroup::test_lazy')]: 'passed',
      [id('TestGroup::test_object')]: 'failed',
    });
    expect(byName(report, 'test_fails').failure).toMatchObject({
      class: 'AssertionError',
      location: 'tests/test_calc.py:34',
      expected: '[5]',
      actual: '[1]',
    });
    expect(byName(report, 'test_errors').failure?.frames).toEqual(['calc.py:13', 'tests/test_calc.py:38']);
    expect(byName(report, 'test_boom').failure).toMatchObject({ class: 'ValueError', message: 'boom' });
    expect(byName(report, 'test_object').failure).not.toHaveProperty('actual');
    expect(report.collection_errors).toEqual([
      {
        file: 'tests/test_missing.py',
        message: "ModuleNotFoundError: No module named 'nowhere_to_be_found' (tests/test_missing.py:1)",
      },
    ]);
    expect(linesOf(report, 'test_passes')).toEqual({ 'calc.py': '6-7,9,13,17' });
    expect(linesOf(report, 'test_fails')).toEqual({ 'calc.py': '6-12,17' });
    expect(linesOf(report, 'test_down')).toEqual({}); // what tears the module's fixture down is nobody's
    expect(linesOf(report, 'test_lazy')).toEqual({ 'late.py': '5' });
    expect(byName(report, 'test_fails').last_lines?.slice(0, 3)).toEqual(['calc.py:12', 'calc.py:10', 'calc.py:11']);
    expect(report.import_coverage).toEqual([
      { file: 'calc.py', lines: '5,16' },
      { file: 'late.py', lines: '1,4' },
    ]);
  });

  it('lists without running', async () => {
    const files = {
      ...pytestProject,
      'tests/test_run.py': 'import pytest\ndef test_a():\n    open("ran", "w")\n    raise SystemExit(9)\n',
    };
    const { detection, host } = await hostOf(files);
    const { tests, collection_errors } = await listTests(detection, host);
    expect(tests).toHaveLength(14);
    expect(tests[0]).toEqual({ test: 'tests/test_calc.py::test_passes', file: 'tests/test_calc.py' });
    expect(collection_errors).toHaveLength(1);
  });

  it('runs only what is asked for, and imports no other test file', async () => {
    const files = { ...pytestProject, 'tests/test_noisy.py': 'import pytest, os\nos.abort()\n' };
    const tests = ['tests/test_calc.py::test_many[x::y[z]]', 'tests/test_calc.py::test_nowhere'];
    const report = await run(files, { tests });
    expect(outcomes(report)).toEqual({ [tests[0] ?? '']: 'passed', [tests[1] ?? '']: 'not_run' });
    expect(report.collection_errors).toEqual([]);
  });

  it('runs in the folder of its project, and names files from the root', async () => {
    const files = {
      'app/pytest.ini': '[pytest]\n',
      'app/src/calc.py': CALC,
      'app/tests/test_a.py': 'from calc import add\ndef test_a():\n    assert add(1, 1) == 3\n',
    };
    const report = await run(files, { coverage: true });
    expect(report.tests).toMatchObject([
      {
        test: 'tests/test_a.py::test_a',
        file: 'app/tests/test_a.py',
        failure: { location: 'app/tests/test_a.py:3' },
        coverage: [{ file: 'app/src/calc.py', lines: '6-7,9,13' }],
      },
    ]);
  });

  it('hides itself from the target', async () => {
    const code = `import os, sys
def test_clean():
    assert not [name for name in os.environ if name.startswith('H_AGENT')]
    assert 'PYTHONPATH' not in os.environ
    assert not [entry for entry in sys.path if '.h-agent' in entry]
    assert sys.gettrace() is None and sys.getprofile() is None
`;
    expect(outcomes(await run({ 'pytest.ini': '', 'test_a.py': code }, { coverage: true }))).toEqual({
      'test_a.py::test_clean': 'passed',
    });
  });
});

const deadly = (body: string) => ({
  'test_a.py': `import os, signal, sys, time, unittest
class A(unittest.TestCase):
    def test_1(self): pass
    def test_2(self):
        ${body}
    def test_3(self): pass
`,
});

describe.each(withPytest === undefined ? ['unittest'] : ['unittest', 'pytest'])(
  '%s and a process that ends',
  (runner) => {
    const project = (body: string) => (runner === 'pytest' ? { ...deadly(body), 'pytest.ini': '' } : deadly(body));
    const three = (outcome: string, last = 'passed') => ({
      'test_a.py::A::test_1': 'passed',
      'test_a.py::A::test_2': outcome,
      'test_a.py::A::test_3': last,
    });

    it.each([
      ['os._exit', 'os._exit(0)'],
      ['SIGKILL', 'os.kill(os.getpid(), signal.SIGKILL)'],
      ['abort', 'os.abort()'],
    ])('by %s', async (_, body) => {
      const report = await run(project(body));
      expect(outcomes(report)).toEqual(three('error'));
      expect(byName(report, 'test_2').failure?.class).toBe('ProcessEnded');
      expect(report.notes?.join()).toMatch(/what came after ran in a new process/);
    });

    it('without a limit for tests ends one that takes a quarter of the run', async () => {
      const report = await run(project('time.sleep(60)'), { wallMs: 4000 });
      expect(outcomes(report)).toEqual(three('timeout'));
      expect(byName(report, 'test_2').failure?.message).toContain('1 s');
    });

    it('at the wall limit says which test was running, and runs none of the rest', async () => {
      const { detection, host } = await hostOf(project('time.sleep(60)'), 2000);
      const { command } = planTestRun(detection, { mode: 'run', python: host.python }); // nobody told it of a limit
      expect(outcomes(await createRunTests(host)(command, host.tree))).toEqual(three('timeout', 'not_run'));
    });

    // pytest's own capture does not survive that
    it.skipIf(runner === 'pytest')('closes every descriptor: the rest is still told', async () => {
      const report = await run(project('os.closerange(3, 256)'), { coverage: true });
      expect(outcomes(report)).toEqual(three('passed'));
    });

    it('forks a child that falls through into the runner: it is told once', async () => {
      const report = await run(project('os.fork() == 0 and sys.exit(0); time.sleep(0.2)'));
      expect(outcomes(report)).toEqual(three('passed'));
    });

    it('stops when it is cancelled', async () => {
      const { detection, host } = await hostOf(project('time.sleep(60)'));
      const signal = AbortSignal.timeout(1500);
      const report = await runTests(detection, host, { signal });
      expect(byName(report, 'test_3').outcome).toBe('not_run');
      await expect(runTests(detection, host, { signal })).rejects.toThrow();
    });
  },
);

describe('a test that is found twice', () => {
  it('has two names', async () => {
    const base = 'import unittest\nclass Base(unittest.TestCase):\n    def test_a(self): pass\n';
    const files = {
      'test_a.py': base,
      'test_b.py': 'import unittest\nfrom test_a import Base\nclass B(Base, unittest.TestCase): pass\n',
    };
    expect(outcomes(await run(files))).toEqual({
      'test_a.py::Base::test_a': 'passed',
      'test_a.py::Base::test_a #2': 'passed',
      'test_b.py::B::test_a': 'passed',
    });
  });
});

describe('two runs', () => {
  it('say the same but for durations', async () => {
    const strip = (report: TestRunReport) =>
      JSON.stringify({ ...report, tests: report.tests.map(({ duration_ms: _, ...test }) => test) });
    const first = await run(unittestProject, { coverage: true });
    expect(strip(await run(unittestProject, { coverage: true }))).toBe(strip(first));
  });
});
