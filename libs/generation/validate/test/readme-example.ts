import { editTree, memoryArtifacts, putTree, type TestRunReport } from '@h/contracts';
import { validateCandidates } from '@h/validate';

/** Stands for your runner: one test that passes when the file says so. */
const runTests = async (_command: unknown, tree: string): Promise<TestRunReport> => ({
  runner: 'mine',
  environment: '0'.repeat(64),
  execution_ids: [],
  tests: [{ test: 'adds', file: 'add.test.js', outcome: tree === fixed ? 'passed' : 'failed', duration_ms: 1 }],
  collection_errors: [],
});

const artifacts = memoryArtifacts();
const edit = (text: string) => [{ path: 'add.js', bytes: new TextEncoder().encode(text) }];
const tree = await editTree(await putTree([], artifacts), edit('a - b'), artifacts);
const fixed = await editTree(tree, edit('a + b'), artifacts);

export const { validations, stopped } = await validateCandidates({
  candidates: [
    { candidate_id: '1'.repeat(64), changes: edit('a * b') },
    { candidate_id: '2'.repeat(64), changes: edit('a + b') },
  ],
  baseline: await runTests(undefined, tree),
  tree,
  artifacts,
  failing: ['adds'],
  plan: (tests) => ({
    argv: ['run-my-tests', ...(tests === 'all' ? [] : tests)],
    cwd: '',
    env_set: {},
    report_path: 'r',
  }),
  runTests,
  budget: { executions: 200, stopAfterPlausible: 1 },
});
// validations: [{ status: 'failing', executions: 1, … }, { status: 'plausible', executions: 1, … }], stopped: 'enough_plausible'
