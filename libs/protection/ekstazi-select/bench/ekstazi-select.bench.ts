// One JSON line per row: 10,000 tests that depend on 200 files each, of 5,000; one file changed. Processor time.
import { REGULAR_FILE, sha256Hex, type TestResult, type TestRunReport } from '@h/contracts';
import { formatBaseline, parseBaseline, selectTests, verifySelection } from '../src/index.ts';

const [tests, each, size, groups] = [10_000, 200, 5_000, 500];
const cpuNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const tree = Array.from({ length: size }, (_, index) => {
  const path = `src/part${index % 50}/module${index}.py`;
  return { path, sha: sha256Hex(path), mode: REGULAR_FILE };
});
const after = tree.map((entry, index) => (index === 77 ? { ...entry, sha: sha256Hex('new') } : entry));

/** Files of a group of tests: a run of neighbours and some from everywhere. */
function filesOf(group: number) {
  const numbers = new Set<number>();
  for (let step = 0; numbers.size < each; step += 1)
    numbers.add(step < each / 2 ? (group * 37 + step) % size : (group * 7919 + step * 104_729) % size);
  return [...numbers]
    .sort((a, b) => a - b)
    .flatMap((number) => tree[number] ?? [])
    .map(({ path, sha }) => ({ path, sha }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const reportWith = (filesFor: (test: number) => ReturnType<typeof filesOf>): TestRunReport => ({
  runner: 'pytest',
  environment: sha256Hex('environment'),
  execution_ids: [],
  collection_errors: [],
  tests: Array.from({ length: tests }, (_, index): TestResult => {
    const nothing = { data: [], env: [], listings: [], missing: [], children: [], packages: [] };
    const dependencies = { files: filesFor(index), ...nothing, complete: true };
    return {
      test: `tests/test_${index % groups}.py::test_${index}`,
      file: `tests/test_${index % groups}.py`,
      outcome: 'passed',
      dependencies,
    };
  }),
});
const shared = Array.from({ length: groups }, (_, group) => filesOf(group));
const report = reportWith((test) => shared[test % groups] ?? []);
const apart = reportWith((test) => (shared[test % groups] ?? []).map((file) => ({ ...file })));

/** What one writes first: every file of every test looked up, and no more than a name is kept. */
function naive(baseline: TestRunReport): number {
  const now = new Map(after.map(({ path, sha }) => [path, sha]));
  let count = 0;
  for (const { dependencies } of baseline.tests)
    if (dependencies?.files.some(({ path, sha }) => now.get(path) !== sha)) count += 1;
  return count;
}

/** The least of three runs. */
function measure(work: () => unknown): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const begin = cpuNow();
      work();
      return cpuNow() - begin;
    }),
  );
}

function row(work: string, ours: number, peer: string, theirs: number): void {
  const ratio = Number((ours / Math.max(theirs, 0.001)).toFixed(2));
  console.log(
    JSON.stringify({ work, ours_ms: Number(ours.toFixed(1)), peer, peer_ms: Number(theirs.toFixed(1)), ratio }),
  );
}

const select = (baseline: TestRunReport) => selectTests({ baseline, before: tree, after, tests: baseline.tests });
const selection = select(report);
if (selection.selected.length !== naive(report)) throw new Error('the peer selects other tests');
row(
  'select, lists apart',
  measure(() => select(apart)),
  'a loop of lookups, no skip log',
  measure(() => naive(apart)),
);
row(
  'select, lists shared by 20 tests',
  measure(() => select(report)),
  'a loop of lookups, no skip log',
  measure(() => naive(report)),
);
row(
  'verify the selection',
  measure(() => verifySelection(selection, report, after)),
  'a loop of lookups',
  measure(() => naive(report)),
);
const text = formatBaseline({ report, tree });
const megabytes = (Buffer.byteLength(text) / 1e6).toFixed(1);
row(
  `write the baseline, ${megabytes} MB`,
  measure(() => formatBaseline({ report, tree })),
  'SHA-256 of the text',
  measure(() => sha256Hex(text)),
);
row(
  'read the baseline',
  measure(() => parseBaseline(text)),
  'SHA-256 of the text',
  measure(() => sha256Hex(text)),
);
