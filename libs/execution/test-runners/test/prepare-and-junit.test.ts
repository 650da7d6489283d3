// A build step before the tests, and commands whose JUnit files hold the tests.
import { memoryArtifacts, parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type CommandTest, commandDetection, type Detection, planTestRun, runSuite } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const python = findPythons()[0]?.executable ?? 'python3';
const unittest: Detection = {
  runner: 'unittest',
  cwd: 'tests',
  reason: 'given',
  evidence: [],
  source_roots: [],
  start_dirs: ['.'],
};

async function run(
  files: Record<string, string>,
  suite: Detection[],
  options: { prepare?: string; tests?: string[]; coverage?: boolean; testTimeoutMs?: number } = {},
) {
  const artifacts = memoryArtifacts();
  const { prepare, ...how } = options;
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    python,
    ...(prepare === undefined ? {} : { prepare }),
  };
  return parseRecord(TestRunReport, await runSuite(suite, host, how));
}

const outcomes = ({ tests }: TestRunReport) => Object.fromEntries(tests.map(({ test, outcome }) => [test, outcome]));

const FILES = {
  'lib.py.in': 'def add(a, b):\n    return a + b\n',
  'tests/test_a.py':
    'import os, unittest\nfrom built import lib\nclass A(unittest.TestCase):\n    def test_add(self): self.assertEqual(lib.add(1, 2), 3)\n    def test_clean(self): self.assertNotIn("H_AGENT_PLAN", os.environ)\n',
};

describe('a build step', () => {
  it('runs in the root, in the same copy, before each run of tests', async () => {
    const prepare = 'mkdir tests/built && cp lib.py.in tests/built/lib.py && test -z "$H_AGENT_PLAN"';
    const report = await run(FILES, [unittest], { prepare, coverage: true });
    expect(outcomes(report)).toEqual({
      'tests/test_a.py::A::test_add': 'passed',
      'tests/test_a.py::A::test_clean': 'passed',
    });
    expect(report.collection_errors).toEqual([]);
  });

  it('that fails is said to have failed, and no test is', async () => {
    const asked = ['tests/test_a.py::A::test_add', 'it'];
    const suite = [unittest, commandDetection({ label: 'it', argv: ['true'] })];
    const report = await run(FILES, suite, { prepare: 'echo no compiler; exit 3', tests: asked });
    expect(outcomes(report)).toEqual({ [asked[0] ?? '']: 'not_run', it: 'error' });
    expect(report.collection_errors).toEqual([
      { message: 'The build step before the tests failed:\nno compiler\nexit code 3' },
    ]);
    expect(report.tests[1]?.failure?.class).toBe('PrepareFailed');
  });

  it('is part of the plan', () => {
    const { command, collect } = planTestRun(unittest, { mode: 'run', prepare: 'make', python: '/py' });
    expect(command.argv.slice(3)).toEqual(['prepare', 'make', '..', '/py', '.h-agent/h_agent_unittest.py']);
    expect(collect).toEqual(['tests/.h-agent/report.ndjson', 'tests/.h-agent/prepare.log']);
  });
});

describe('a command that writes JUnit XML', () => {
  const SCRIPT = `import sys
failing = sys.argv[1]
case = lambda name: '<testcase classname="c" name="%s" time="0.5">%s</testcase>' % (name, '<failure message="AssertionError: bad"/>' if name == failing else '')
open('r.xml', 'w').write('<testsuite name="s">' + case('one') + case('two') + '</testsuite>')
sys.exit(int(sys.argv[2]))
`;
  const command = (failing: string, code: string, more: Partial<CommandTest> = {}) =>
    commandDetection({ label: 'it', argv: ['python3', 'it.py', failing, code], cwd: 'sub', junit: 'r.xml', ...more });
  const files = { 'sub/it.py': SCRIPT };

  it('has the test cases as its tests', async () => {
    const report = await run(files, [command('two', '1')]);
    expect(outcomes(report)).toEqual({ 'it > c > one': 'passed', 'it > c > two': 'failed' });
    expect(report.tests[1]).toMatchObject({ duration_ms: 500, failure: { class: 'AssertionError', message: 'bad' } });
  });

  it('is a test of its own as well where it fails and none of them does', async () => {
    const report = await run(files, [command('none', '4')]);
    expect(outcomes(report)).toEqual({ 'it > c > one': 'passed', 'it > c > two': 'passed', it: 'failed' });
    expect(report.tests[2]?.failure?.message).toContain('exit code 4');
  });

  it('is its only test where it wrote none', async () => {
    const report = await run(files, [command('two', '0', { junit: 'other.xml' })]);
    expect(outcomes(report)).toEqual({ it: 'passed' });
    expect(report.notes).toEqual(['"it" wrote no sub/other.xml: its exit code is its only test.']);
  });

  it.each([
    ['exit 0', { stale: 'passed' }],
    ['cp old.txt out.xml', { 'stale > old > stale': 'passed' }],
  ])('takes a file that lay in the tree for none of its own unless it writes it: %s', async (script, expected) => {
    const old = '<testsuite name="old"><testcase name="stale"/></testsuite>';
    const tree = { 'stale.sh': script, 'out.xml': old, 'old.txt': old };
    const suite = [commandDetection({ label: 'stale', argv: ['sh', 'stale.sh'], junit: 'out.xml' })];
    expect(outcomes(await run(tree, suite))).toEqual(expected);
  });

  it('leaves what a glob means in the tree, and reads of it what the command changed', async () => {
    const [artifacts, suite] = [memoryArtifacts(), '<testsuite name="s"><testcase name="%"/></testsuite>'];
    const tree = { 'stale.sh': 'cat r/b.xml >&2', 'r/a.xml': suite.replace('%', 'a'), 'r/b.xml': suite };
    const sha = async (text: string) => artifacts.put(new TextEncoder().encode(text));
    const written = { 'r/a.xml': tree['r/a.xml'], 'r/b.xml': suite.replace('%', 'b') };
    const inner = processExecutor(artifacts);
    const executor = {
      ...inner,
      run: async (request: Parameters<typeof inner.run>[0]) => {
        const result = await inner.run(request);
        expect(result.stderr.text).toBe(suite);
        const files = Object.entries(written).map(async ([path, text]) => ({ path, sha: await sha(text), bytes: 1 }));
        return { ...result, files: await Promise.all(files) };
      },
    };
    const member = commandDetection({ label: 'it', argv: ['sh', 'stale.sh'], junit: 'r/*.xml' });
    const host = { executor, artifacts, policy: policy(), environment: '0'.repeat(64) };
    const report = await runSuite([member], { ...host, tree: await treeOf(tree, artifacts) });
    expect(outcomes(report)).toEqual({ 'it > s > b': 'passed' });
  });

  it('runs when one of its test cases is asked for', async () => {
    const report = await run({ ...FILES, ...files }, [unittest, command('two', '1')], { tests: ['it > c > two'] });
    expect(outcomes(report)).toEqual({ 'it > c > one': 'passed', 'it > c > two': 'failed' });
  });
});

it('a command that reaches its limit says so in words', async () => {
  const member = commandDetection({ label: 'slow', argv: ['sleep', '60'] });
  const report = await run({ 'a.txt': '' }, [member], { testTimeoutMs: 300 });
  expect(report.tests[0]?.failure).toMatchObject({
    class: 'Timeout',
    message: expect.stringMatching(/^Timeout: "slow" was still running when it reached its wall-clock limit/),
  });
});
