import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../src/commands/main.ts';

let out = '';
let err = '';

beforeEach(() => {
  out = '';
  err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

describe('h', () => {
  it('has help with examples and exit codes', async () => {
    expect(await main(['run', '--help'])).toBe(0);
    expect(out).toContain('$ h run --repo ../shop');
    out = '';
    expect(await main(['--help'])).toBe(0);
    expect(out).toMatch(/2 +DIVERGENT/);
  });

  it.each([[['run', '--budget', '-1']], [['run', '--time-budget', '0']], [['run', '--nonsense']], [['nonsense']]])(
    'refuses %j with 64',
    async (argv) => {
      expect(await main(argv)).toBe(64);
      expect(err).not.toBe('');
    },
  );

  it('says what is wrong and what to do, also as JSON', async () => {
    expect(await main(['run', '--repo', '/no/such', '--json', '--quiet'])).toBe(64);
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'repository_missing',
        message: 'No repository at /no/such: there is no such folder.',
        hint: 'Either name an existing folder with --repo or run h inside one.',
        exit_code: 64,
      },
    });
    expect(err).toContain('h: No repository at /no/such');
  });

  it('runs tests with the Python, the build step, the command and the JUnit file that it is given', async () => {
    const repo = mkdtempSync(join(tmpdir(), 'h-main-'));
    writeFileSync(join(repo, 'calc.in'), 'def add(a, b):\n    return a + b\n');
    writeFileSync(
      join(repo, 'test_calc.py'),
      'import sys, unittest, calc\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(calc.add(1, 2), 3)\n',
    );
    writeFileSync(
      join(repo, 'it.py'),
      'import calc\nopen("r.xml", "w").write(\'<testsuite name="s"><testcase classname="c" name="n"/></testsuite>\')\n',
    );
    const project = ['--repo', repo, '--quiet', '--prepare', 'cp calc.in calc.py'];
    const given = ['--test-command', 'it=python it.py', '--junit', 'it=r.xml', '--python', 'python3'];
    expect(await main(['test', ...project, ...given])).toBe(0);
    const { data } = JSON.parse(out) as { data: { tests: { test: string; outcome: string }[] } };
    expect(data.tests.map(({ test, outcome }) => `${test} ${outcome}`)).toEqual([
      'test_calc.py::A::test_a passed',
      'it > c > n passed',
    ]);
    expect(await main(['test', ...project, '--junit', 'it=r.xml'])).toBe(64);
    expect(err).toContain('No command for the JUnit file "it=r.xml".');
    expect(await main(['test', ...project, '--python', '/no/python'])).toBe(69);
    expect(err).toContain('/no/python');
    rmSync(repo, { recursive: true });
  });

  it('ranks from files that other tools wrote', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'h-main-'));
    const results = join(dir, 'results.json');
    const coverage = join(dir, 'c.lcov');
    writeFileSync(results, '{"t.py::a":"passed","t.py::b":"failed"}');
    const record = (test: string, line: number) => `TN:${test}\nSF:m.py\nDA:1,1\nDA:${line},1\nend_of_record\n`;
    writeFileSync(coverage, record('t.py::a', 3) + record('t.py::b', 2));
    expect(await main(['sbfl', '--results', results, '--coverage', coverage])).toBe(0);
    expect(out).toMatch(/1 {2}1\.000 {5}1 tied {2}m\.py:2\nevery test executes:\n +2 {2}0\.000 .* m\.py:1\n/);
    out = '';
    expect(await main(['sbfl', '--results', results, '--coverage', coverage, '--json'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ schema: 'h/spectrum-report/1', data: { total_failed: 1 } });
    out = '';
    const before = join(dir, 'before.json');
    writeFileSync(before, '{"t.py::b":"failed"}');
    expect(await main(['sbfl', '--results', results, '--coverage', coverage, '--before', before])).toBe(3);
    expect(out).toContain('left out: t.py::b: fails without the change too');
    writeFileSync(results, '{"t.py::a":"maybe"}');
    expect(await main(['sbfl', '--results', results, '--coverage', coverage])).toBe(64);
    expect(err).toContain('is no result list');
    rmSync(dir, { recursive: true });
  });

  it('ranks a plain spectrum, by any formula, for each failing test, as SARIF', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'h-main-'));
    const spectrum = join(dir, 'm.csv');
    writeFileSync(spectrum, 'test,outcome,m.py:2,m.py:3\nlow,passed,1,0\nmid,failed,1,1\n');
    expect(await main(['sbfl', '--spectrum', spectrum, '--formula', 'op2', '--per-test', '--json'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      data: { formula: 'op2', per_test: [{ test: 'mid' }], merged: [{ location: 'm.py:3' }, {}] },
    });
    out = '';
    expect(await main(['sbfl', '--spectrum', spectrum, '--sarif'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ version: '2.1.0', runs: [{ results: [{ rank: 100 }, { rank: 0 }] }] });
    writeFileSync(spectrum, 'location,ef,ep,nf,np\na:1,1,0,0,0\na:2,1,1,0,0\n');
    expect(await main(['sbfl', '--spectrum', spectrum])).toBe(64);
    expect(err).toContain('contradict');
    expect(await main(['sbfl'])).toBe(64);
    rmSync(dir, { recursive: true });
  });

  it('says that a folder without tests has none', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'h-main-'));
    expect(await main(['diagnose', '--repo', dir, '--quiet'])).toBe(64);
    expect(err).toContain('No tests found');
    rmSync(dir, { recursive: true });
  });

  it('examines the host', async () => {
    const code = await main(['doctor', '--json']);
    const { findings } = JSON.parse(out) as { findings: { what: string; state: string; remedy?: string }[] };
    expect(findings.map(({ what }) => what)).toEqual(expect.arrayContaining(['node', 'isolation', 'python']));
    expect(code).toBe(findings.some(({ state }) => state === 'missing') ? 69 : 0);
    for (const { state, remedy } of findings) expect(remedy !== undefined).toBe(state !== 'ok');
  });
});
