// What goes wrong with the run itself: the process dies, hangs, is flooded, loses its files. The tests that are not to blame have their result.
import { memoryArtifacts, parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type Detection, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const pythons = findPythons();
const withPytest = pythons.find(({ pytest }) => pytest !== undefined);
const oldest = pythons.find(({ version }) => version === '3.8');

async function run(
  runner: 'pytest' | 'unittest',
  files: Record<string, string>,
  coverage: boolean,
  python?: string,
  wall_ms = 40_000,
) {
  const artifacts = memoryArtifacts();
  const detection: Detection = {
    runner,
    cwd: '',
    reason: 'given',
    evidence: [],
    source_roots: [],
    start_dirs: runner === 'unittest' ? ['.'] : [],
  };
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy({ wall_ms }),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    python: python ?? (withPytest ?? pythons[0])?.executable ?? 'python3',
  };
  return parseRecord(TestRunReport, await runTests(detection, host, { coverage, testTimeoutMs: 600 }));
}

const outcomes = ({ tests }: TestRunReport) =>
  Object.fromEntries(tests.map(({ test, outcome }) => [test.replace(/^.*::/, ''), outcome]));
const find = ({ tests }: TestRunReport, end: string) => tests.find(({ test }) => test.endsWith(`::${end}`));

const FILES = {
  'lib.py': 'def spin(n):\n    i = 0\n    while i < n:\n        i += 1\n    return i\n',
  'test_a_dies_while_loaded.py': 'import os\nos.abort()\n',
  'test_b_hangs_while_loaded.py': 'import time\ntime.sleep(99)\n',
  'test_c_is_broken.py': 'import no_such_module\n',
};

/** In the order in which both runners take them. */
const METHODS = `
    def test_01(self): assert spin(2) == 2
    def test_02_exits(self): os._exit(0)
    def test_03(self): assert spin(3) == 3
    def test_04_crashes(self): faulthandler._sigsegv()
    def test_05_spins(self): spin(10 ** 12)
    def test_06_sleeps(self): time.sleep(99)
    def test_07_kills(self): os.kill(os.getpid(), signal.SIGKILL)
    def test_08_deletes(self): shutil.rmtree('.h-agent')
    def test_09_deletes_again(self): shutil.rmtree('.h-agent')
    def test_10_writes_into_the_report(self):
        with open('.h-agent/report.ndjson', 'w') as file: file.write('{"event":"run-end"}\\n')
    def test_11_floods(self): sys.stdout.write('x' * 300_000); print('\\x1b[31mred\\x1b[0m')
    def test_12_stubs(self): sys.stdout = sys.stderr = None
    def test_13_changes_folder(self): os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')
    def test_14_forks(self):
        if os.fork() == 0: raise SystemExit(0)
    def test_15_closes(self): sys.modules.get('pytest') or os.closerange(3, 60)  # pytest captures output through some of them
    def test_16_fails(self): assert spin(1) == 2
`;
const HEAD = 'import faulthandler, os, shutil, signal, sys, time, unittest\nfrom lib import spin\n';

const EXPECTED = {
  test_01: 'passed',
  test_02_exits: 'error',
  test_03: 'passed',
  test_04_crashes: 'error',
  test_05_spins: 'timeout',
  test_06_sleeps: 'timeout',
  test_07_kills: 'error',
  test_08_deletes: 'passed',
  test_09_deletes_again: 'passed',
  test_10_writes_into_the_report: 'passed',
  test_11_floods: 'passed',
  test_12_stubs: 'passed',
  test_13_changes_folder: 'passed',
  test_14_forks: 'passed',
  test_15_closes: 'passed',
  test_16_fails: 'failed',
};

const cases: [string, 'pytest' | 'unittest', boolean, string | undefined][] = [
  ['pytest', 'pytest', true, withPytest?.executable],
  ['unittest on CPython 3.8', 'unittest', false, oldest?.executable],
];

describe('a run full of mishaps', () => {
  it.each(cases.filter(([, , , python]) => python !== undefined))('%s', async (_, runner, coverage, python) => {
    const base = runner === 'pytest' ? 'class TestAll:' : 'class TestAll(unittest.TestCase):';
    const report = await run(runner, { ...FILES, 'test_d.py': `${HEAD}${base}${METHODS}` }, coverage, python);
    expect(outcomes(report)).toEqual(EXPECTED);
    expect(report.collection_errors).toMatchObject([
      { file: 'test_a_dies_while_loaded.py', message: expect.stringContaining('signal SIGABRT') },
      { file: 'test_b_hangs_while_loaded.py', message: expect.stringContaining('test_b_hangs_while_loaded.py:2') },
      ...Array.from({ length: report.collection_errors.length - 2 }, () => ({ file: 'test_c_is_broken.py' })),
    ]);
    expect(find(report, 'test_02_exits')?.failure).toMatchObject({
      class: 'ProcessEnded',
      message: 'The process ended while the test ran: exit code 0.',
    });
    expect(find(report, 'test_04_crashes')?.failure?.message).toContain('signal SIGSEGV');
    expect(find(report, 'test_05_spins')?.failure).toMatchObject({
      class: 'Timeout',
      message: 'It was still running after 0.6 s, the limit for one test.',
      frames: [expect.stringMatching(/^lib\.py:[34]$/), 'test_d.py:8'],
    });
    expect(report.notes).toContain(
      'The process ended at test_d.py::TestAll::test_07_kills (signal SIGKILL): what came after ran in a new process.',
    );
    if (!coverage) return;
    expect(find(report, 'test_05_spins')?.coverage).toEqual([{ file: 'lib.py', lines: '2-4' }]);
    expect(find(report, 'test_03')?.coverage).toEqual([{ file: 'lib.py', lines: '2-5' }]);
    expect(find(report, 'test_16_fails')?.last_lines?.[0]).toBe('lib.py:5');
    expect(find(report, 'test_01')?.dependencies).toMatchObject({
      complete: false,
      why_incomplete: ['the process that ran it ended before it told what its modules use'],
    });
    // The child of test_14 may still be on its way out of that test.
    expect([undefined, ['a process that an earlier test started went on']]).toContainEqual(
      find(report, 'test_16_fails')?.dependencies?.why_incomplete,
    );
    for (const name of ['test_02_exits', 'test_04_crashes', 'test_07_kills'])
      expect(find(report, name)?.dependencies).toMatchObject({
        files: [{ path: 'test_d.py' }],
        complete: false,
        why_incomplete: ['the process that ran it ended before it told what the test had read'],
      });
  });
});

describe('between two tests of unittest', () => {
  const suite = (head: string, more = '') =>
    `import os, time, unittest\n${head}\nclass A(unittest.TestCase):${more}\n    def test_1(self): pass\n    def test_2(self): pass\n`;

  it('a process that ends costs neither of them', async () => {
    const head = `
plain = unittest.TestSuite._removeTestAtIndex
def removed(self, index):
    if isinstance(self._tests[index], unittest.TestCase): os._exit(3)
    plain(self, index)
unittest.TestSuite._removeTestAtIndex = removed
`;
    const report = await run('unittest', { 'test_a.py': suite(head) }, true);
    expect(outcomes(report)).toEqual({ test_1: 'passed', test_2: 'passed' });
    expect(report.notes?.[0]).toContain('The process ended at test_a.py::A::test_1 (exit code 3)');
  });

  it('what does not end before all is ended costs neither of them', async () => {
    const waits = '\n    @classmethod\n    def tearDownClass(cls): time.sleep(99)';
    const report = await run('unittest', { 'test_a.py': suite('', waits) }, true, undefined, 1500);
    expect(outcomes(report)).toEqual({ test_1: 'passed', test_2: 'passed' });
  });

  it('a suite of its own kind that does not end costs neither of them', async () => {
    const files = {
      'test_a.py': `${suite('')}
class Slow(unittest.TestSuite):
    def run(self, result, debug=False):
        for test in self:
            test(result)
            time.sleep(99)
        return result
def load_tests(loader, tests, pattern):
    return Slow(list(tests))
`,
    };
    const report = await run('unittest', files, true, undefined, 1500);
    expect(outcomes(report)).toEqual({ test_1: 'passed', test_2: 'passed' });
  });
});
