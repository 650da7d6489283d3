import { type BatchRun, type Executor, editTree, memoryArtifacts, type TestId, type TestRunReport } from '@h/contracts';
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

const PROGRAM = `from shop.rates import RATE
SEEN = []


def total(prices):
    SEEN.append(len(prices))
    return sum(prices) + RATE
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

/** Candidates by what they are to show: the last line of the program, or the files that they change. */
const CANDIDATES: Record<string, string | Record<string, string>> = {
  mends: 'return sum(prices)',
  'stays wrong': 'return sum(prices) + 2',
  'never ends': 'while True: pass',
  'waits for ever': '__import__("time").sleep(3600)',
  'never ends in C': 'return sum(iter(int, 1))',
  'does not parse': 'return (',
  'never ends while loaded': 'return 0\nwhile True: pass',
  'mends, and works longer than what fails':
    'import time; end = time.process_time() + 0.4\n    while time.process_time() < end: pass\n    return sum(prices)',
  'ends the process': '__import__("os")._exit(3)',
  'ends its process group': '__import__("os").kill(0, 9)',
  'writes files': 'open("left.txt", "w").write("x"); open("shop/late.py", "w").write("x = 1"); return sum(prices)',
  'sees files of others': 'import os; return sum(prices) + os.path.exists("left.txt") + os.path.exists("shop/late.py")',
  'changes modules': 'import json, os; json.left = 1; os.environ["LEFT"] = "1"; return sum(prices)',
  'sees modules of others': 'import json, os; return sum(prices) + hasattr(json, "left") + ("LEFT" in os.environ)',
  'starts a process': '__import__("subprocess").Popen(["sleep", "3600"]); return sum(prices)',
  'writes over itself': 'open(__file__, "w").write("x"); return sum(prices)',
  'changes a second file': { 'shop/rates.py': 'RATE = 0\n' },
  'mends last': 'return sum(list(prices))',
  'changes two files': { 'shop/rates.py': 'RATE = 7\n', 'shop/cart.py': 'return sum(prices) + RATE - 6' },
};

const bytesOf = (text: string) => new TextEncoder().encode(text);
const program = (line: string) => PROGRAM.replace('return sum(prices) + RATE', line);
const candidates = Object.values(CANDIDATES).map((one) =>
  Object.entries(typeof one === 'string' ? { 'shop/cart.py': one } : one).map(([path, text]) => ({
    path,
    bytes: bytesOf(path === 'shop/cart.py' ? program(text) : text),
  })),
);

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

/** A batch of three candidates whose run tells these lines. */
async function told(lines: readonly object[]) {
  const { tree, suite, host, artifacts } = await open(PROJECT, 'unittest', python);
  const sha = await artifacts.put(bytesOf(lines.map((line) => JSON.stringify(line)).join('\n')));
  const executor: Executor = {
    ...host.executor,
    run: async ({ collect: [path = ''] }) => ({
      ...{ execution_id: sha, ended_by: 'exit', exit_code: 0, wall_ms: 1, stdout: nothing, stderr: nothing },
      files: [{ path, sha, bytes: 1 }],
    }),
  };
  return await createRunBatch({ ...host, executor })(suite.plan(FAILING), tree, candidates.slice(0, 3));
}

const nothing = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };

const outcomes = ({ reports }: BatchRun) => reports.map((report) => report?.tests.map(({ outcome }) => outcome));

/** What they must be; in one of the settings a run alone is asked as well. */
const TOLD: Record<string, string[]> = {
  mends: ['passed', 'passed'],
  'stays wrong': ['failed', 'failed'],
  'does not parse': ['error', 'error'],
  'ends the process': ['error', 'error'],
  'writes over itself': ['passed', 'passed'],
  'writes files': ['passed', 'passed'],
  'sees files of others': ['passed', 'passed'],
  'changes modules': ['passed', 'passed'],
  'sees modules of others': ['passed', 'passed'],
  'starts a process': ['passed', 'passed'],
  'changes a second file': ['passed', 'passed'],
  'mends last': ['passed', 'passed'],
  'changes two files': ['failed', 'failed'],
};

/** Alone they take long, or have no limit but that of the run: the batch does not say how they end. */
const LIMITED = [
  'never ends',
  'waits for ever',
  'never ends in C',
  'never ends while loaded',
  'mends, and works longer than what fails',
];

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
    expect(batch.off).toBeUndefined();
    expect(shown(batch.control)).toEqual(shown(await suite.runTests(command, tree)));
    const names = Object.keys(CANDIDATES);
    expect(batch.limited?.map((index) => names[index])).toEqual(LIMITED);
    for (const [index, name] of names.entries()) {
      const told = TOLD[name];
      if (told !== undefined || LIMITED.includes(name)) expect([name, outcomes(batch)[index]]).toEqual([name, told]);
      if (LIMITED.includes(name) || (told !== undefined && (runner !== 'unittest' || executable !== python))) continue;
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
    const none = await suite.runBatch(suite.plan(FAILING), tree, [[], []]);
    expect(none).toEqual({ reports: [undefined, undefined], notes }); // another batch may hold others
  });

  it('takes no line that is not one of its own', async () => {
    const end = { report: '', wall_ms: 1, ended_by: 'exit' };
    const lines = [
      { kind: 'control', ...end, wall_ms: '1' },
      { kind: 'end', index: 0, ...end, ended_by: 'no such end' },
      { kind: 'end', index: 0, ...end, exit_code: 'x' },
      { kind: 'end', index: 7, ...end },
      { kind: 'end', index: 1, ...end },
      { kind: 'end', index: 2, ...end, limited: true },
      { kind: 'done' },
    ];
    const run = await told(lines);
    expect(Object.keys(run.reports)).toEqual(['0', '1', '2']);
    expect(run.reports.map((report) => report !== undefined)).toEqual([false, true, false]);
    expect(run).toMatchObject({ limited: [2], off: true }); // it has told of no control
    expect(run.control).toBeUndefined();
    const off = { kind: 'off', reason: 'the tests change files of the repository' };
    expect(await told([{ kind: 'control', ...end }, off])).toMatchObject({ off: true, notes: [off.reason] });
    expect((await told([{ kind: 'control', ...end }, { kind: 'done' }])).off).toBeUndefined();
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
    const notes = ['a build step runs before the tests of each candidate'];
    expect(batch).toEqual({ reports: [undefined], off: true, notes });
  });
});
