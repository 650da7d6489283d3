import { type BatchRun, editTree, memoryArtifacts, type TestId, type TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { createRunBatch, createSuiteRunner, detectRunners } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const pythons = findPythons();
const [oldest, newest] = [
  pythons.find(({ version }) => version === '3.8'),
  pythons.find(({ version }) => version === '3.13'),
];
const python = (newest ?? pythons[0])?.executable ?? 'python3';

const PROGRAM = `SEEN = []


def total(prices):
    SEEN.append(len(prices))
    return sum(prices) + 1
`;
const TESTS = `import unittest
from shop import cart


class Cart(unittest.TestCase):
    def test_total(self):
        self.assertEqual(cart.total([1, 2]), 3)

    def test_empty(self):
        self.assertEqual(cart.total([]), 0)
        self.assertEqual(cart.SEEN[-1:], [0])
        self.assertLess(len(cart.SEEN), 3)

    def test_other(self):
        self.assertTrue(True)
`;
const PROJECT = {
  'shop/__init__.py': '',
  'shop/cart.py': PROGRAM,
  'shop/rates.py': 'RATE = 1\n',
  'test_cart.py': TESTS,
};
const FAILING = ['test_cart.py::Cart::test_total', 'test_cart.py::Cart::test_empty'];

/** Candidates by what they are to show; each is the program with another last line. */
const CANDIDATES: Record<string, string> = {
  mends: 'return sum(prices)',
  'stays wrong': 'return sum(prices) + 2',
  'never ends': 'while True: pass',
  'waits for ever': '__import__("time").sleep(3600)',
  'never ends in C': 'return sum(iter(int, 1))',
  'does not parse': 'return (',
  'never ends while loaded': 'return 0\nwhile True: pass',
  'ends the process': '__import__("os")._exit(3)',
  'ends its process group': '__import__("os").kill(0, 9)',
  'writes files': 'open("left.txt", "w").write("x"); open("shop/late.py", "w").write("x = 1"); return sum(prices)',
  'sees files of others': 'import os; return sum(prices) + os.path.exists("left.txt") + os.path.exists("shop/late.py")',
  'changes modules': 'import json, os; json.left = 1; os.environ["LEFT"] = "1"; return sum(prices)',
  'sees modules of others': 'import json, os; return sum(prices) + hasattr(json, "left") + ("LEFT" in os.environ)',
  'starts a process': '__import__("subprocess").Popen(["sleep", "3600"]); return sum(prices)',
  'writes over itself': 'open(__file__, "w").write("x"); return sum(prices)',
  'mends last': 'return sum(list(prices))',
};

const bytesOf = (text: string) => new TextEncoder().encode(text);
const program = (line: string) => PROGRAM.replace('return sum(prices) + 1', line);
const candidates = Object.values(CANDIDATES).map((line) => [{ path: 'shop/cart.py', bytes: bytesOf(program(line)) }]);

/** What validation reads of a report. */
const shown = (report: TestRunReport | undefined) =>
  report && {
    tests: report.tests.map(({ test, file, outcome, failure }) => ({ test, file, outcome, class: failure?.class })),
    errors: report.collection_errors.map(({ file }) => file),
  };

async function open(files: Record<string, string>, runner: 'pytest' | 'unittest', python: string) {
  const artifacts = memoryArtifacts();
  const tree = await treeOf(files, artifacts);
  const [detection] = await detectRunners(readerOf(files), { runner });
  if (detection === undefined) throw new Error(`no ${runner}`);
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy({ wall_ms: 12_000 }),
    environment: '0'.repeat(64),
    python,
  };
  return { tree, artifacts, suite: createSuiteRunner([detection], host), detection, host };
}

async function batchOf(files: Record<string, string>, lines: readonly string[], failing: readonly TestId[] = FAILING) {
  const { tree, suite } = await open(files, 'unittest', python);
  const changes = lines.map((line) => [{ path: 'shop/cart.py', bytes: bytesOf(program(line)) }]);
  return suite.runBatch(suite.plan(failing), tree, changes);
}

const outcomes = ({ reports }: BatchRun) => reports.map((report) => report?.tests.map(({ outcome }) => outcome));

/** Those that a run alone would take long for, or that say the same as another one, are told by what they must be. */
const TOLD: Record<string, string[]> = {
  mends: ['passed', 'passed'],
  'stays wrong': ['failed', 'failed'],
  'does not parse': ['error', 'error'],
  'ends the process': ['error', 'error'],
  'writes over itself': ['passed', 'passed'],
  'never ends': ['timeout', 'timeout'],
  'waits for ever': ['timeout', 'timeout'],
  'never ends in C': ['timeout', 'timeout'],
  'never ends while loaded': ['error', 'error'],
  'writes files': ['passed', 'passed'],
  'sees files of others': ['passed', 'passed'],
  'changes modules': ['passed', 'passed'],
  'sees modules of others': ['passed', 'passed'],
  'starts a process': ['passed', 'passed'],
  'mends last': ['passed', 'passed'],
};

/** unittest where CPython differs most, pytest where it is. */
const settings = [
  ...[oldest, newest].flatMap((python) => (python === undefined ? [] : [{ runner: 'unittest' as const, ...python }])),
  ...pythons
    .filter(({ pytest }) => pytest !== undefined)
    .slice(-1)
    .map((python) => ({ runner: 'pytest' as const, ...python })),
];

describe.each(settings)('a batch of $runner on CPython $version', ({ runner, executable }) => {
  it('says of each candidate what a run alone says', async () => {
    const { tree, artifacts, suite } = await open(PROJECT, runner, executable);
    const command = suite.plan(FAILING);
    const batch = await suite.runBatch(command, tree, candidates);
    expect(batch.notes).toEqual([]);
    expect(shown(batch.control)).toEqual(shown(await suite.runTests(command, tree)));
    for (const [index, name] of Object.keys(CANDIDATES).entries()) {
      const told = TOLD[name];
      if (told !== undefined) expect([name, outcomes(batch)[index]]).toEqual([name, told]);
      if (told !== undefined) continue;
      const alone = await suite.runTests(command, await editTree(tree, candidates[index] ?? [], artifacts));
      expect([name, shown(batch.reports[index])]).toEqual([name, shown(alone)]);
    }
  });
});

describe('createRunBatch', () => {
  it('leaves candidates alone that it cannot lay in place', async () => {
    const { tree, suite } = await open(PROJECT, 'unittest', python);
    const { reports, notes } = await suite.runBatch(suite.plan(FAILING), tree, [
      [{ path: 'shop/cart.py', bytes: null }],
      [{ path: 'shop/more.py', bytes: bytesOf('x = 1\n') }],
      [{ path: 'shop/cart.py', bytes: bytesOf(program('return sum(prices)')) }],
      [{ path: 'setup.cfg', bytes: bytesOf('[metadata]\n') }],
      [],
    ]);
    expect(reports.map((report) => report !== undefined)).toEqual([false, false, true, false, false]);
    expect(notes).toEqual(['a candidate that changes other files than programs, or adds or removes one, is run alone']);
  });

  it('goes on behind a candidate that ends the batch', async () => {
    const { tree, suite } = await open(PROJECT, 'unittest', python);
    const kill =
      'import os, signal\n    for pid in (int(open("/proc/%d/stat" % os.getppid()).read().rpartition(")")[2].split()[1]), os.getppid()): os.kill(pid, 9)';
    const changes = ['return sum(prices)', kill, 'return sum(prices)', 'return 1'].map((line) => [
      { path: 'shop/cart.py', bytes: bytesOf(program(line)) },
    ]);
    const batch = await suite.runBatch(suite.plan(FAILING), tree, changes);
    expect(outcomes(batch)).toEqual([['passed', 'passed'], undefined, ['passed', 'passed'], ['failed', 'failed']]);
    expect(batch.notes).toHaveLength(1);
  });

  it('ends where files that are not a candidate’s cannot be put back, and begins anew', async () => {
    const batch = await batchOf(PROJECT, [
      'open("shop/rates.py", "w").write("RATE = 2"); return sum(prices)',
      'from shop.rates import RATE; return sum(prices) + RATE - 1',
    ]);
    expect(outcomes(batch)).toEqual([
      ['passed', 'passed'],
      ['passed', 'passed'],
    ]);
    expect(batch.notes).toEqual(['files of the repository could not be put back']);
  });

  it('is no batch where the tests themselves change files', async () => {
    const tests = TESTS.replace(
      'cart.total([1, 2]), 3',
      'cart.total([1, 2]) + open("shop/rates.py", "a").write(""), 3',
    );
    const files = { ...PROJECT, 'test_cart.py': tests.replace('write("")', 'write("#") - 1') };
    const batch = await batchOf(files, ['return sum(prices)']);
    expect(batch.reports).toEqual([undefined]);
    expect(batch.notes).toEqual(['the tests change files of the repository']);
  });

  it('is no batch of a build step', async () => {
    const { tree, host, detection } = await open(PROJECT, 'unittest', 'python3');
    const suite = createSuiteRunner([detection], { ...host, prepare: 'true' });
    const batch = await createRunBatch(host)(suite.plan(FAILING), tree, candidates.slice(0, 1));
    expect(batch).toEqual({ reports: [undefined], notes: ['a build step runs before the tests of each candidate'] });
  });
});
