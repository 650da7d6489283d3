// What a ledger costs. The limit beside it: reading the two reports it is built from. Each row is one JSON line.
import { sha256Hex, type TestRunReport } from '@h/contracts';
import { buildLedger, rankPatches } from '../src/index.ts';

const runOf = (tests: number, outcomeOf: (n: number) => 'passed' | 'failed'): TestRunReport => ({
  runner: 'scripted',
  environment: sha256Hex('environment'),
  execution_ids: [],
  tests: Array.from({ length: tests }, (_, n) => ({
    test: `tests/test_module_${n % 97}.py::TestThing::test_case_${n}`,
    file: `tests/test_module_${n % 97}.py`,
    outcome: outcomeOf(n),
    duration_ms: 1,
  })),
  collection_errors: [],
});

/** Median of `rounds` in milliseconds; the two alternate, so that both see the same machine. */
function medians(rounds: number, ...works: (() => unknown)[]): number[] {
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      if (work() === undefined) throw new Error('nothing measured');
      times[index]?.push(performance.now() - start);
    }
  return times.map((of) => of.sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0);
}

const round = (value: number) => Math.round(value * 1000) / 1000;

for (const tests of [100, 2000, 20_000]) {
  const baseline = runOf(tests, (n) => (n === 0 ? 'failed' : 'passed'));
  const candidate = runOf(tests, (n) => (n % 500 === 7 ? 'failed' : 'passed'));
  const obligations = Array.from({ length: tests / 10 }, (_, n) => ({
    behavior: `caller ${n}`,
    impact_source: `changed -> caller_${n}`,
    tests: baseline.tests.slice(n * 10, n * 10 + 10).map(({ test }) => test),
  }));
  const [text, other] = [JSON.stringify(baseline), JSON.stringify(candidate)];
  const [ours = 0, limit = 1] = medians(
    tests > 2000 ? 15 : 60,
    () =>
      buildLedger({
        patch_id: sha256Hex('p'),
        baseline,
        candidate,
        failing: [baseline.tests[0]?.test ?? ''],
        impact: { obligations },
      }),
    () => [JSON.parse(text), JSON.parse(other)],
  );
  const work = `ledger of ${tests} tests and ${obligations.length} obligations`;
  console.log(
    JSON.stringify({
      work,
      ours_ms: round(ours),
      limit: 'JSON.parse of both reports',
      limit_ms: round(limit),
      ratio: round(ours / limit),
    }),
  );
}
{
  const baseline = runOf(20, (n) => (n === 0 ? 'failed' : 'passed'));
  const entries = Array.from({ length: 1000 }, (_, n) =>
    buildLedger({
      patch_id: sha256Hex(String(n)),
      baseline,
      candidate: runOf(20, (t) => (t === n % 23 ? 'failed' : 'passed')),
      failing: [],
      impact: 'not_analysed',
    }),
  );
  const [ours = 0, limit = 1] = medians(
    60,
    () => rankPatches(entries),
    () => [...entries].sort((a, b) => (a.ledger.patch_id < b.ledger.patch_id ? -1 : 1)),
  );
  console.log(
    JSON.stringify({
      work: 'rank 1000 patches',
      ours_ms: round(ours),
      limit: 'Array.sort of them by one string',
      limit_ms: round(limit),
      ratio: round(ours / limit),
    }),
  );
}
