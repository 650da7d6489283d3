import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunSummary, readEnvelope } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderSummary, runPipeline } from '../src/index.ts';
import { readmeExample } from './readme-example.ts';

const MODULE = 'def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a + a\n';
const TESTS = `import unittest
from calc import add, double


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_add_nothing(self):
        self.assertEqual(add(5, 0), 5)

    def test_double(self):
        self.assertEqual(double(4), 8)
`;

let dir: string;
let repo: string;
let out: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'h-pipeline-'));
  [repo, out] = [mkdtempSync(join(dir, 'repo-')), join(dir, 'out')];
  writeFileSync(join(repo, 'calc.py'), MODULE);
  writeFileSync(join(repo, 'test_calc.py'), TESTS);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('runPipeline', () => {
  it('takes a failing test to a patch, and writes a readable record per stage', async () => {
    const {
      summary,
      dir: run,
      text,
    } = await runPipeline({
      command: 'run',
      repo,
      out,
      budget: 40,
      environment: process.env,
    });
    expect(summary).toMatchObject({ outcome: 'plausible_patch', exit_code: 0, tests: { total: 3, passed: 2 } });
    expect(summary.localization?.top[0]).toMatchObject({
      location: 'calc.py:2',
      text: 'return a - b',
      spectrum_rank: 1,
    });
    expect(summary.localization?.top[0]?.depth).toBeGreaterThan(0);
    expect(text).toContain('by one observed failure');
    const observation = { ...summary.observation, wavering: ['calc.py:2 now'] };
    expect(renderSummary({ ...summary, observation } as RunSummary)).toContain(
      'nothing is concluded from 1 values that differ between equal runs: calc.py:2 now',
    );
    expect(summary.patches[0]?.diff).toContain('+    return a + b');
    expect(text).toContain('**UNPROVEN** calc.py:2');
    const read = (file: string) => readFileSync(join(run, file), 'utf8');
    const ledger = readEnvelope(
      'LedgerEntry',
      read(summary.patches[0]?.file.replace('.diff', '.ledger-entry.json') ?? ''),
    );
    expect(ledger.ledger.untested_obligations.map(({ behavior }) => behavior)).toContain('consumers not analysed');
    expect(readEnvelope('RunSummary', read('run-summary.json'))).toEqual(summary);
    expect(readEnvelope('RefinedRanking', read('refined-ranking.json')).statements[0]?.location).toBe('calc.py:2');
    for (const file of summary.files) expect(existsSync(join(run, file)), file).toBe(true);
    expect(readEnvelope('CandidateSet', read('candidate-set.json')).candidates.length).toBe(
      summary.candidates?.distinct,
    );
  });

  it('diagnoses and proposes without running candidates', async () => {
    const diagnosed = await runPipeline({ command: 'diagnose', repo, out, environment: process.env });
    expect(diagnosed.summary).toMatchObject({ outcome: 'diagnosed', exit_code: 0, patches: [] });
    expect(diagnosed.summary.candidates).toBeUndefined();
    const proposed = await runPipeline({ command: 'propose', repo, out, budget: 20, environment: process.env });
    expect(proposed.summary).toMatchObject({
      outcome: 'proposed',
      candidates: { executions: 0, stopped: 'not validated' },
    });
    expect(proposed.summary.candidates?.first.map(({ diff }) => diff).join('')).toContain('+    return a + b');
  });

  it('judges a patch that the caller brings: one that breaks a neighbour is DIVERGENT', async () => {
    const blocks = [{ search: 'return a - b', replace: 'return 3' }];
    const candidates = { files: [{ path: 'calc.py', op: 'edit' as const, blocks }] };
    const { summary } = await runPipeline({ command: 'run', repo, out, candidates, environment: process.env });
    expect(summary).toMatchObject({ outcome: 'divergent', exit_code: 2 });
    expect(summary.patches).toMatchObject([
      { validation: 'neighbour_broken', regression_status: 'DIVERGENT', origin: 'external' },
    ]);
  });

  it('judges no patch by tests that it changes itself', async () => {
    const blocks = [{ search: 'self.assertEqual(add(1, 2), 3)', replace: 'pass' }];
    const candidates = { files: [{ path: 'test_calc.py', op: 'edit' as const, blocks }] };
    const { summary } = await runPipeline({ command: 'run', repo, out, candidates, environment: process.env });
    expect(summary).toMatchObject({ outcome: 'no_patch', exit_code: 1, patches: [] });
    expect(summary.warnings.join()).toMatch(/changes tests \(test_calc\.py\): they ran as they were before/);
  });

  it('mends a module that holds doctests, and says that its tests were run as the patch has them', async () => {
    const faulty = 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n';
    const mixed = mkdtempSync(join(tmpdir(), 'h-doctests-'));
    try {
      writeFileSync(join(mixed, 'calc.py'), faulty);
      writeFileSync(
        join(mixed, 'test_calc.py'),
        'import doctest, unittest\nimport calc\n\ndef load_tests(loader, tests, pattern):\n    tests.addTests(doctest.DocTestSuite(calc))\n    return tests\n\nclass CalcTest(unittest.TestCase):\n    def test_zero(self):\n        self.assertEqual(calc.add(2, 0), 2)\n',
      );
      const few = { budget: 40, stopAfterPlausible: 1 };
      const { summary } = await runPipeline({ command: 'run', repo: mixed, out, environment: process.env, ...few });
      expect(summary).toMatchObject({ outcome: 'plausible_patch', exit_code: 0 });
      expect(summary.warnings.join()).toMatch(/changes calc\.py, which hold tests too/);
    } finally {
      rmSync(mixed, { recursive: true });
    }
  }, 60_000);

  it('says why a patch that the caller brings was not applied', async () => {
    const blocks = [{ search: 'return a * b', replace: 'return a + b' }];
    const candidates = { files: [{ path: 'calc.py', op: 'edit' as const, blocks }] };
    const { summary, dir: run } = await runPipeline({
      command: 'run',
      repo,
      out,
      candidates,
      environment: process.env,
    });
    expect(summary).toMatchObject({ outcome: 'no_patch', exit_code: 1 });
    expect(readFileSync(join(run, 'candidate-set.json'), 'utf8')).toContain('"not_found"');
  });

  it('stops validating when the time budget ends, and keeps what it has', async () => {
    const { summary } = await runPipeline({ command: 'run', repo, out, timeBudgetMs: 1, environment: process.env });
    expect(summary.candidates?.stopped).toBe('deadline');
  });

  it('explains no test that passes when it is run again, and names it', async () => {
    writeFileSync(
      join(repo, 'calc.py'),
      'SEEN = []\n\n\ndef add(a, b):\n    SEEN.append(a)\n    return a + b\n\n\ndef double(a):\n    return len(SEEN) and a or a + a\n',
    );
    const { summary, text } = await runPipeline({ command: 'run', repo, out, environment: process.env });
    expect(summary).toMatchObject({ outcome: 'nothing_failing', exit_code: 3, tests: { failing: [] } });
    expect(summary.tests.excluded.map(({ test }) => test)).toEqual(['test_calc.py::CalcTest::test_double']);
    expect(text).toContain('Nothing fails each time');
    const cut = { test: 'test_calc.py::CalcTest::test_add', why: 'failed in the plain run, not_run with coverage' };
    const unsure = renderSummary({ ...summary, tests: { ...summary.tests, excluded: [cut] } });
    expect(unsure).toMatch(/1 of the tests below did not run in both runs .* not known/);
    expect(unsure).not.toContain('Nothing fails each time');
  });

  it('rejects when it is aborted, and leaves no half-written run behind', async () => {
    const abort = new AbortController();
    const running = runPipeline({
      command: 'run',
      repo,
      out,
      environment: process.env,
      signal: abort.signal,
      onEvent: ({ message }) => message.startsWith('validating') && abort.abort(),
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(join(out, 'runs'))).toBe(true);
  });

  it('runs the example of the README', async () => {
    const [location, diff] = await readmeExample(repo, out);
    expect(location).toBe('calc.py:2');
    expect(diff).toContain('+    return a + b');
    const normal = (code: string) => code.replace(/\s+/g, ' ').replace('repo, out,', "repo: 'path/to/project',").trim();
    const shown =
      /```ts\n([\s\S]*?)```/.exec(readFileSync(new URL('../README.md', import.meta.url), 'utf8'))?.[1] ?? '';
    const source = readFileSync(new URL('readme-example.ts', import.meta.url), 'utf8');
    const body = source.slice(source.indexOf('// begin') + 8, source.indexOf('// end'));
    expect(normal(shown.replace(/^import.*\n/, ''))).toBe(normal(body));
  });
});

describe('a command as a test', () => {
  it('is a failing run beside the passing tests', async () => {
    writeFileSync(join(repo, 'test_calc.py'), TESTS.replace(/ {4}def test_add\(self\)[\s\S]*?\n\n/, ''));
    writeFileSync(join(repo, 'repro.py'), 'from calc import add\n\nassert add(1, 2) == 3, add(1, 2)\n');
    const commands = ['repro=python repro.py'];
    const { summary } = await runPipeline({
      command: 'run',
      repo,
      out,
      commands,
      budget: 30,
      environment: process.env,
    });
    expect(summary.tests).toMatchObject({ total: 3, passed: 2, failing: ['repro'] });
    expect(summary.localization?.top[0]).toMatchObject({ location: 'calc.py:2' });
    expect(summary.patches[0]?.diff).toContain('+    return a + b');
  });

  it('is bad input when it cannot be started', async () => {
    const run = runPipeline({
      command: 'diagnose',
      repo,
      out,
      commands: ['x=nosuchprogram -v'],
      environment: process.env,
    });
    await expect(run).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('could not be started'),
    });
  });

  it('needs no other test', async () => {
    rmSync(join(repo, 'test_calc.py'));
    writeFileSync(join(repo, 'repro.py'), 'from calc import add\n\nassert add(1, 2) == 3, add(1, 2)\n');
    const commands = ['repro=python repro.py', 'zero=python -c "from calc import add; assert add(5, 0) == 5"'];
    const { summary } = await runPipeline({ command: 'diagnose', repo, out, commands, environment: process.env });
    expect(summary.tests).toMatchObject({ total: 2, passed: 1, failing: ['repro'] });
    expect(summary.localization?.verdict).toBe('ok');
  });
});

it('says of a test that takes another path each time that it is nondeterministic, and claims no divergence', async () => {
  writeFileSync(
    join(repo, 'calc.py'),
    'import random\n\n\ndef add(a, b):\n    total = a\n    for _ in range(random.randrange(1, 2000)):\n        total = a\n    return total - b\n\n\ndef double(a):\n    return a + a\n',
  );
  const { summary, text } = await runPipeline({ command: 'diagnose', repo, out, environment: process.env });
  expect(summary.observation).toMatchObject({ reason: 'nondeterministic' });
  expect(summary.observation?.first_divergence).toBeUndefined();
  expect(text).toContain('No first divergence: two runs of the same test took different paths.');
});
