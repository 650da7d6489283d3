import { memoryArtifacts, type TestOutcome, type TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { compareReports, markFlaky, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const report = (outcomes: Record<string, TestOutcome>, id = 'a'): TestRunReport => ({
  runner: 'pytest',
  environment: '0'.repeat(64),
  execution_ids: [id.repeat(64)],
  tests: Object.entries(outcomes).map(([test, outcome]) => ({ test, file: 't.py', outcome })),
  collection_errors: [],
});
const flaky = ({ tests }: TestRunReport) => tests.filter((one) => one.flaky === true).map(({ test }) => test);

describe('markFlaky', () => {
  it.each<[TestOutcome, TestOutcome, boolean]>([
    ['failed', 'passed', true],
    ['passed', 'timeout', true],
    ['failed', 'error', false],
    ['failed', 'not_run', false],
    ['passed', 'passed', false],
    ['passed', 'skipped', true],
    ['xfailed', 'xpassed', false],
  ])('%s, then %s', (first, second, expected) => {
    const marked = markFlaky(report({ t: first }), [report({}), report({ t: second }, 'b')]);
    expect(marked.tests[0]).toEqual({ test: 't', file: 't.py', outcome: first, ...(expected ? { flaky: true } : {}) });
    expect(marked.execution_ids.length).toBe(3);
  });

  it('is no evidence for a comparison', () => {
    const marked = markFlaky(report({ t: 'failed', u: 'failed' }), [report({ t: 'passed' })]);
    expect(compareReports(marked, report({ t: 'failed', u: 'failed' }))).toEqual({
      failing: ['u'],
      passing: [],
      disagreeing: [{ test: 't', first: 'failed', second: 'failed' }],
    });
  });
});

it('runs failing tests again on request, and marks those that pass then', async () => {
  const artifacts = memoryArtifacts();
  const executor = processExecutor(artifacts);
  const runs: (string | undefined)[] = [];
  let turn = 0;
  const host = {
    // the second run finds another value in its environment: what a flaky test hangs on
    executor: {
      ...executor,
      run: (request: Parameters<typeof executor.run>[0]) => {
        runs.push(request.policy.env_set.H_AGENT_PLAN);
        const policy = { ...request.policy, env_set: { ...request.policy.env_set, TURN: String(turn++) } };
        return executor.run({ ...request, policy });
      },
    },
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf(
      {
        'test_a.py':
          'import os, unittest\nclass A(unittest.TestCase):\n    def test_wavers(self): self.assertEqual(os.environ["TURN"], "2")\n    def test_fails(self): self.fail()\n    def test_passes(self): pass\n',
      },
      artifacts,
    ),
    python: findPythons()[0]?.executable ?? 'python3',
  };
  const detection = {
    runner: 'unittest' as const,
    cwd: '',
    reason: '',
    evidence: [],
    source_roots: [],
    start_dirs: ['.'],
  };
  const found = await runTests(detection, host, { reruns: 5, coverage: true });
  expect(flaky(found)).toEqual(['test_a.py::A::test_wavers']);
  expect(found.tests.map(({ outcome }) => outcome)).toEqual(['failed', 'passed', 'failed']);
  expect(runs.length).toBe(6);
  expect(runs[1]).not.toContain('test_passes');
  expect(runs[5]).not.toContain('test_wavers');
});
