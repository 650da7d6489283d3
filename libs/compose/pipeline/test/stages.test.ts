// The stages one command at a time, as a script would chain them: each reads what the one before wrote.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEnvelope, type RecordName, type RecordOf, schemaName } from '@h/contracts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { main } from '../src/commands/main.ts';

const FAILING = 'test_calc.py::T::test_mean';
const PASSING = 'test_calc.py::T::test_zero';
let repo: string;
let records: string;

beforeAll(() => {
  repo = mkdtempSync(join(tmpdir(), 'h-stages-'));
  records = mkdtempSync(join(tmpdir(), 'h-stages-records-'));
  writeFileSync(
    join(repo, 'calc.py'),
    'def mean(a, b):\n    total = a - b\n    if total < 0:\n        total = 0\n    return total // 2\n',
  );
  const tests = [
    'test_mean(self):\n        self.assertEqual(mean(2, 4), 3)',
    'test_zero(self):\n        self.assertEqual(mean(0, 0), 0)',
  ];
  writeFileSync(
    join(repo, 'test_calc.py'),
    `import unittest\nfrom calc import mean\n\n\nclass T(unittest.TestCase):\n${tests.map((one) => `    def ${one}\n`).join('\n')}`,
  );
});
afterAll(() => {
  for (const dir of [repo, records]) rmSync(dir, { recursive: true, force: true });
});

const at = (name: string) => join(records, `${name}.json`);

/** Runs `h` and keeps each line of its answer in a file; gives the exit code and the lines. */
async function h(argv: string[], ...names: string[]): Promise<{ code: number; lines: unknown[] }> {
  let out = '';
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const code = await main([...argv, ...(argv[0] === 'sbfl' ? [] : ['--quiet'])]);
  writing.mockRestore();
  const lines = out.split('\n').filter((line) => line !== '');
  names.forEach((name, index) => {
    writeFileSync(at(name), lines[index] ?? '');
  });
  return { code, lines: lines.map((line) => JSON.parse(line) as unknown) };
}

function read<Name extends RecordName>(name: Name, value: unknown): RecordOf<Name> {
  return openEnvelope(name, value);
}

const load = (name: string): unknown => JSON.parse(readFileSync(at(name), 'utf8'));

it('goes from tests to a ledger, one stage at a time', async () => {
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const session = ['--repo', repo];

  expect((await h(['test', ...session, '--coverage'], 'report')).code).toBe(0);
  expect((await h(['sbfl', '--results', at('report'), '--repo', repo, '--points'], 'points')).code).toBe(0);
  expect(read('CandidateProbePoints', load('points')).candidate_probe_points[0]?.location).toBe('calc.py:4');

  const planArgs = ['--results', at('report'), '--points', at('points'), '--test', FAILING];
  expect((await h(['plan', ...session, ...planArgs], 'plan', 'trace')).code).toBe(0);
  for (const [name, test, ordinal] of [
    ['f0', FAILING, '0'],
    ['f1', FAILING, '1'],
    ['p0', PASSING, '0'],
    ['p1', PASSING, '1'],
  ] as const) {
    const planned = ['--plan', at('plan'), '--trace', at('trace'), '--test', test, '--ordinal', ordinal];
    expect((await h(['observe', ...session, ...planned], name)).code).toBe(0);
  }
  await h(['slice', '--failing', at('f0'), at('f1'), '--passing', at('p0'), at('p1')], 'divergence', 'slice');
  expect(read('DivergenceRecord', load('divergence')).first_divergence).toMatchObject({
    location: expect.stringMatching(/^calc\.py:/),
  });
  const evidence = ['--divergence', at('divergence'), '--slice', at('slice'), '--runs', at('f0'), at('p0')];
  expect((await h(['evidence', ...evidence], 'pack')).code).toBe(0);

  const claim = (text: string) => ({
    schema: 'h/claim/1',
    data: { kind: 'variable', location: 'calc.py:2', name: 'total', value: { type: 'int', text, truncated: false } },
  });
  writeFileSync(at('true-claim'), JSON.stringify(claim('-2')));
  writeFileSync(at('false-claim'), JSON.stringify(claim('6')));
  const checked = await h(['evidence', '--pack', at('pack'), '--claim', at('true-claim'), at('false-claim')]);
  expect(checked.lines.map((line) => read('ClaimCheck', line).verdict)).toEqual(['supported', 'contradicted']);
  expect(checked.code).toBe(1);

  const observe = { variable: 'total', location: 'calc.py:2' };
  const hypotheses = ['== -2', '== 6'].map((expectation) => ({
    hypothesis_id: expectation,
    claim: '',
    observe,
    expectation,
  }));
  const set = { schema: 'h/hypothesis-set/1', data: { debugging_question: '', hypotheses } };
  writeFileSync(at('hypotheses'), JSON.stringify(set));
  const judging = ['evidence', '--pack', at('pack'), '--hypotheses', at('hypotheses')];
  const verdictsOf = async (...more: string[]) =>
    (await h([...judging, ...more])).lines.map((line) => {
      const { verdict, why } = read('HypothesisVerdict', line);
      return why ?? verdict;
    });
  const told = vi.mocked(process.stderr.write).mock.calls.length;
  expect(await verdictsOf()).toEqual(['consistent', 'run_not_given']);
  expect(vi.mocked(process.stderr.write).mock.calls.slice(told).join('')).toContain('Give its runs with --runs');
  expect(await verdictsOf('--runs', at('f0'), at('p0'))).toEqual(['consistent', 'eliminated']);

  const { lines: batches } = await h(['templates', ...session, '--points', at('points'), '--limit', '40']);
  const candidates = batches.flatMap((line) => read('CandidateBatch', line).candidates);
  expect(candidates.length).toBeGreaterThan(10);
  const fix = { path: 'calc.py', op: 'edit', blocks: [{ search: 'a - b', replace: 'a + b' }] };
  writeFileSync(at('fix'), JSON.stringify({ schema: 'h/edit-package/1', data: { files: [fix] } }));
  const applied = await h(['apply', ...session, '--candidates', at('fix')]);
  expect(read('AppliedCandidate', applied.lines[0]).unified_diff.data).toContain('+    total = a + b');
  writeFileSync(at('batch'), JSON.stringify(batches[0]));
  expect((await h(['dedup', ...session, '--candidates', at('batch')], 'set')).code).toBe(0);
  expect(read('CandidateSet', load('set')).candidates.length).toBeGreaterThan(0);

  const validated = await h(
    ['validate', ...session, '--candidates', at('fix'), '--results', at('report')],
    'validation',
  );
  expect(read('CandidateValidation', validated.lines[0]).status).toBe('plausible');

  const { code: diagnosed, lines: answer } = await h(['diagnose', ...session, '--no-observe', '--json']);
  expect(diagnosed).toBe(0);
  const run = (answer[0] as { dir: string }).dir;
  const unchanged = await h(['select', ...session, '--since', run]);
  expect(read('RegressionSelection', unchanged.lines[0]).selected.map(({ test }) => test)).toEqual([FAILING]);
  writeFileSync(join(repo, 'calc.py'), readFileSync(join(repo, 'calc.py'), 'utf8').replace('a - b', 'a + b'));
  const changed = await h(['select', ...session, '--since', run]);
  expect(read('RegressionSelection', changed.lines[0]).selected).toHaveLength(2);

  expect((await h(['test', ...session], 'after')).code).toBe(0);
  const reports = ['--baseline', at('report'), '--candidate', at('after'), '--patch-id', 'a'.repeat(64)];
  expect((await h(['ledger', ...reports, '--changed', 'calc.py'], 'entry')).code).toBe(0);
  expect(read('LedgerEntry', load('entry')).ledger.regression_status).toBe('UNPROVEN');
}, 120_000);

it('says which record it wanted', async () => {
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  writeFileSync(at('other'), JSON.stringify({ schema: schemaName('Claim'), data: {} }));
  expect((await h(['slice', '--failing', at('other')])).code).toBe(64);
  expect(said.join('')).toContain('h/observed-run/1');
});
