import { memoryArtifacts, parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const pythons = findPythons();
const modern = pythons.find(({ pytest }) => Number(pytest?.split('.')[0]) >= 9);

async function run(runner: 'pytest' | 'unittest', text: string, python: string | undefined) {
  const artifacts = memoryArtifacts();
  const detection = { runner, cwd: '', reason: 'given', evidence: [], source_roots: [], start_dirs: ['.'] };
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf({ 'test_a.py': text }, artifacts),
    python: python ?? 'python3',
  };
  const { tests } = parseRecord(TestRunReport, await runTests(detection, host));
  return Object.fromEntries(
    tests.map(({ test, outcome, subtests }) => [test.replace(/^.*::/, ''), { outcome, subtests }]),
  );
}

const UNITTEST = `import unittest
class Odd:
    def __repr__(self): raise RuntimeError('never called for a part that passed')
class A(unittest.TestCase):
    def test_parts(self):
        for i in range(3):
            with self.subTest('m', i=i, text='a'):
                self.assertEqual(i, 1)
    def test_passes(self):
        with self.subTest(): pass
        with self.subTest(odd=Odd()): pass
        with self.subTest('skips'): self.skipTest('not here')
    def test_errors(self):
        with self.subTest('boom'): raise KeyError('k')
    def test_has_none(self): pass
`;
const part = (name: string, outcome: string, more = {}) => ({ name, outcome, ...more });
const unequal = (actual: string) => ({
  failure: {
    class: 'AssertionError',
    message: `${actual} != 1`,
    location: 'test_a.py:8',
    frames: ['test_a.py:8'],
    expected: '1',
    actual,
  },
});

describe('sub-tests', () => {
  const some = pythons.filter(({ version }) => ['3.8', '3.11', '3.13'].includes(version));
  it.each(some.map(({ version, executable }) => [version, executable]))('of unittest %s', async (_, executable) => {
    const found = await run('unittest', UNITTEST, executable);
    expect(found.test_parts).toEqual({
      outcome: 'failed',
      subtests: [
        part("[m] (i=0, text='a')", 'failed', unequal('0')),
        part("[m] (i=1, text='a')", 'passed'),
        part("[m] (i=2, text='a')", 'failed', unequal('2')),
      ],
    });
    expect(found.test_passes?.outcome).toBe('passed');
    expect(found.test_passes?.subtests?.map(({ name }) => name).sort()).toEqual([
      '(<subtest>)',
      '(odd=<Odd>)',
      '[skips]',
    ]);
    expect(found.test_errors).toMatchObject({ outcome: 'error', subtests: [{ name: '[boom]', outcome: 'error' }] });
    expect(found.test_has_none).toEqual({ outcome: 'passed', subtests: undefined });
  });

  it.skipIf(modern === undefined)('of pytest 9', async () => {
    const text = `import pytest
def test_parts(subtests):
    for i in range(3):
        with subtests.test('m', i=i):
            assert i == 1
def test_passes(subtests):
    with subtests.test('s'): pytest.skip('no')
    with subtests.test('t'): pass
`;
    const found = await run('pytest', text, modern?.executable);
    expect(found.test_parts?.outcome).toBe('failed');
    expect(found.test_parts?.subtests).toMatchObject([
      { name: '[m] (i=0)', outcome: 'failed', failure: { location: 'test_a.py:5', actual: '0', expected: '1' } },
      { name: '[m] (i=1)', outcome: 'passed' },
      { name: '[m] (i=2)', outcome: 'failed', failure: { location: 'test_a.py:5', actual: '2', expected: '1' } },
    ]);
    expect(found.test_passes).toEqual({ outcome: 'passed', subtests: [part('[s]', 'skipped'), part('[t]', 'passed')] });
  });
});
