// A test that interrupts the runner, as Ctrl-C would: unittest and pytest end there, and no such test has passed.
import { memoryArtifacts, parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type Detection, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const pythons = findPythons();
const withPytest = pythons.find(({ pytest }) => pytest !== undefined);

async function run(runner: 'pytest' | 'unittest', files: Record<string, string>, python: string, coverage = false) {
  const artifacts = memoryArtifacts();
  const start_dirs = runner === 'unittest' ? ['.'] : [];
  const detection: Detection = { runner, cwd: '', reason: '', evidence: [], source_roots: [], start_dirs };
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy({ wall_ms: 40_000 }),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    python,
  };
  return parseRecord(TestRunReport, await runTests(detection, host, { coverage }));
}

const seen = ({ tests }: TestRunReport) =>
  Object.fromEntries(
    tests.map(({ test, outcome, failure }) => [
      test.replace(/^.*::/, ''),
      failure ? `${outcome} ${failure.class}` : outcome,
    ]),
  );

const INTERRUPTS = `import os, signal, unittest
class A(unittest.TestCase):
    def test_1(self): pass
    def test_2_raises(self): raise KeyboardInterrupt
    def test_3_kills(self): os.kill(os.getpid(), signal.SIGINT); self.id()
    def test_4_part(self):
        with self.subTest(n=1): pass
        with self.subTest(n=2): raise KeyboardInterrupt('two')
    def test_5_cleanup(self):
        def stop(): raise KeyboardInterrupt
        self.addCleanup(stop)
    @unittest.expectedFailure
    def test_6_expected(self): raise KeyboardInterrupt
    def test_7_parts(self):
        with self.subTest(): self.skipTest('no')
    def test_8(self): pass
class B(unittest.TestCase):
    def setUp(self): raise KeyboardInterrupt
    def test_b(self): pass
class C(unittest.TestCase):
    def tearDown(self): raise KeyboardInterrupt
    def test_c(self): pass
class D(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise KeyboardInterrupt
    def test_d1(self): pass
    def test_d2(self): pass
class E(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise KeyboardInterrupt
    def test_e(self): pass
class F(unittest.TestCase):
    def test_f(self): pass
`;
/** unittest itself hangs at it up to 3.10. */
const ASYNC = `class G(unittest.IsolatedAsyncioTestCase):
    async def test_g(self): raise KeyboardInterrupt
class H(unittest.TestCase):
    def test_h(self): pass
`;

const versions = pythons.filter(
  ({ version }, index, all) => version === '3.8' || index === all.length - 1 || version === '3.11',
);

describe.each(versions.map(({ version, executable }) => [version, executable] as const))(
  'unittest, CPython %s',
  (version, python) => {
    it('costs the test that interrupts, and not the others', async () => {
      const isHeld = /^3\.(?:8|9|10)$/.test(version);
      const report = await run('unittest', { 'test_a.py': INTERRUPTS + (isHeld ? '' : ASYNC) }, python);
      const interrupted = 'error KeyboardInterrupt';
      expect(seen(report)).toEqual({
        test_1: 'passed',
        test_2_raises: interrupted,
        test_3_kills: interrupted,
        test_4_part: interrupted,
        test_5_cleanup: interrupted,
        test_6_expected: interrupted,
        test_7_parts: 'passed',
        test_8: 'passed',
        test_b: interrupted,
        test_c: interrupted,
        test_d1: interrupted,
        test_d2: interrupted,
        test_e: interrupted,
        test_f: 'passed',
        ...(isHeld ? {} : { test_g: interrupted, test_h: 'passed' }),
      });
      expect(report.tests[1]?.failure?.location).toBe('test_a.py:4');
      expect(report.notes).toContain(
        'The process ended at test_a.py::A::test_2_raises (signal SIGINT): what came after ran in a new process.',
      );
    });

    it('costs every test of a module that interrupts before them, and the last one after', async () => {
      const stop = (name: string) => `import unittest\ndef ${name}(): raise KeyboardInterrupt\n`;
      const cases = 'class A(unittest.TestCase):\n    def test_1(self): pass\n    def test_2(self): pass\n';
      const files = {
        'test_a.py': `${stop('setUpModule')}${cases}`,
        'test_b.py': `${stop('tearDownModule')}${cases.replace(/test_/g, 'test_b')}`,
        'test_c.py': `import unittest\n${cases.replace(/test_/g, 'test_c')}`,
      };
      expect(seen(await run('unittest', files, python, true))).toEqual({
        test_1: 'error KeyboardInterrupt',
        test_2: 'error KeyboardInterrupt',
        test_b1: 'passed',
        test_b2: 'error KeyboardInterrupt',
        test_c1: 'passed',
        test_c2: 'passed',
      });
    });

    it('says which tests did not run after the runner was told to stop', async () => {
      const text = `import unittest
class A(unittest.TestCase):
    def test_1(self): self._outcome.result.stop()
    def test_2(self): pass
`;
      const report = await run('unittest', { 'test_a.py': text }, python);
      expect(seen(report)).toEqual({ test_1: 'passed', test_2: 'not_run' });
      expect(report.notes).toEqual(['unittest ended before 1 of its tests had run.']);
    });
  },
);

describe.skipIf(withPytest === undefined)('pytest', () => {
  const python = withPytest?.executable ?? '';
  const after = '\ndef test_c(): pass\ndef test_d(): pass\n';

  it.each([
    ['an interrupt', 'def test_b(): raise KeyboardInterrupt', 'error KeyboardInterrupt', 'KeyboardInterrupt'],
    ['a signal', 'def test_b(): os.kill(os.getpid(), 2); len("")', 'error KeyboardInterrupt', 'KeyboardInterrupt'],
    ['pytest.exit', 'def test_b(): pytest.exit("bye")', /^error .*Exit$/, 'Exit: bye'],
    [
      'an interrupt in a teardown',
      '@pytest.fixture\ndef f():\n    yield\n    raise KeyboardInterrupt\ndef test_b(f): pass',
      'error KeyboardInterrupt',
      'KeyboardInterrupt',
    ],
    ['a request to stop', 'def test_b(request): request.session.shouldstop = "enough"', 'passed', 'enough'],
    ['a request to fail', 'def test_b(request): request.session.shouldfail = "enough"', 'passed', 'enough'],
  ])('says why the tests after it did not run: %s', async (_, text, outcome, why) => {
    const report = await run(
      'pytest',
      { 'test_a.py': `import os, pytest\ndef test_a(): pass\n${text}${after}` },
      python,
    );
    expect(seen(report)).toEqual({
      test_a: 'passed',
      test_b: typeof outcome === 'string' ? outcome : expect.stringMatching(outcome),
      test_c: 'not_run',
      test_d: 'not_run',
    });
    expect(report.notes).toEqual([expect.stringContaining('pytest ended before 2 of its tests had run')]);
    expect(report.notes?.[0]).toContain(why);
  });

  it.each(['pytest.exit("bye")', 'raise KeyboardInterrupt'])(
    'reports a file that ends the session: %s',
    async (text) => {
      const report = await run(
        'pytest',
        { 'test_a.py': `import pytest\n${text}\n`, 'test_b.py': 'def test_b(): pass\n' },
        python,
      );
      expect(report.collection_errors).toMatchObject([
        { file: 'test_a.py', message: expect.stringMatching(/Exit: bye|KeyboardInterrupt/) },
      ]);
    },
  );
});
