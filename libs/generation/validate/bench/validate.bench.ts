// What validation itself costs beside the test runs it orders. Each row is one JSON line.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ArtifactStore,
  editTree,
  memoryArtifacts,
  putTree,
  type RunTests,
  sha256Hex,
  type TestRunReport,
} from '@h/contracts';
import { validateCandidates } from '../src/index.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const reportOf = (outcome: 'passed' | 'failed', tests = 200): TestRunReport => ({
  runner: 'scripted',
  environment: sha256Hex('environment'),
  execution_ids: [],
  tests: Array.from({ length: tests }, (_, n) => ({
    test: `t${n}`,
    file: 'test.py',
    outcome: n === 0 ? outcome : ('passed' as const),
    duration_ms: 1,
  })),
  collection_errors: [],
});

async function treeOf(files: number, artifacts: ArtifactStore) {
  const sha = await artifacts.put(encode('x = 1\n'));
  return putTree(
    Array.from({ length: files }, (_, n) => ({ path: `src/module_${n}.py`, mode: 0o100644, sha })),
    artifacts,
  );
}

async function measure(files: number, candidates: number, concurrency: number, runMs: number) {
  const artifacts = memoryArtifacts();
  const tree = await treeOf(files, artifacts);
  const runTests: RunTests = async () => {
    if (runMs > 0) await sleep(runMs);
    return reportOf('failed');
  };
  const start = performance.now();
  const { executions } = await validateCandidates({
    candidates: Array.from({ length: candidates }, (_, n) => ({
      candidate_id: sha256Hex(String(n)),
      changes: [{ path: 'src/module_0.py', bytes: encode(`x = ${n + 2}\n`) }],
    })),
    baseline: reportOf('failed'),
    tree,
    artifacts,
    failing: ['t0'],
    plan: () => ({ argv: ['suite'], cwd: '', env_set: {}, report_path: 'r' }),
    runTests,
    budget: { executions: candidates },
    concurrency,
  });
  return { executions, ms: performance.now() - start };
}

/** The least a real candidate costs here: one start of an interpreter that does nothing. */
function processStartMs(): number {
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[7] ?? 0;
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const floor = processStartMs();
await measure(50, 50, 1, 0);
for (const files of [50, 500, 2000]) {
  const candidates = files === 2000 ? 50 : 200;
  const { ms } = await measure(files, candidates, 1, 0);
  const ours = ms / candidates;
  const row = { work: `order and judge one candidate, tree of ${files} files, runner of 0 ms`, ours_ms: round(ours) };
  console.log(
    JSON.stringify({ ...row, peer: 'one start of node -e 0', peer_ms: round(floor), ratio: round(ours / floor) }),
  );
}
{
  // The tree is small, so that what is measured is the waiting, not the hashing.
  const { ms, executions } = await measure(5, 100, 2, 20);
  const ideal = (executions * 20) / 2;
  const row = { work: '100 runs of 20 ms, two at a time', ours_ms: round(ms) };
  console.log(JSON.stringify({ ...row, limit: 'executions × 20 ms / 2', limit_ms: ideal, ratio: round(ms / ideal) }));
}
{
  const artifacts = memoryArtifacts();
  const tree = await treeOf(500, artifacts);
  const start = performance.now();
  for (let n = 0; n < 100; n += 1)
    await editTree(tree, [{ path: 'src/module_0.py', bytes: encode(`x = ${n + 2}\n`) }], artifacts);
  const row = { work: 'of it, editTree of a tree of 500 files', ours_ms: round((performance.now() - start) / 100) };
  console.log(JSON.stringify(row));
}
// Real candidates in a sandbox, which takes stages that this library does not know.
spawnSync(
  process.execPath,
  [
    '--conditions=@h/source',
    '--import',
    'tsx',
    new URL('../../../compose/pipeline/bench/batch-throughput.ts', import.meta.url).pathname,
  ],
  { stdio: 'inherit' },
);
