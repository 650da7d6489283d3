import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../load-fixtures.ts';
import { hashes } from '../run-fixture.ts';
import { runH, startH, summaryOf, withTemporary } from '../run-h.ts';

const [unittest] = loadFixtures().filter(({ runner }) => runner === 'unittest');
if (unittest === undefined) throw new Error('no unittest fixture');

/** Writes a project and runs `h`; the project must be byte-identical afterwards but for `.h/`, and nothing of it may be left running. */
async function check(
  files: Record<string, string | Uint8Array>,
  args: readonly string[],
  expected: { exitCode: number; says: RegExp },
) {
  await withTemporary(async (dir) => {
    const repo = join(dir, 'repo');
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(repo, path)), { recursive: true });
      writeFileSync(join(repo, path), content);
    }
    const before = hashes(repo);
    const { exitCode, stdout, stderr } = await runH(['run', '--repo', repo, ...args]);
    expect(`${stdout}${stderr}`).toMatch(expected.says);
    expect(exitCode, stderr).toBe(expected.exitCode);
    expect(withoutRuns(hashes(repo))).toEqual(before);
    expect(processesMentioning(dir)).toEqual([]);
  });
}

function withoutRuns(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('.h/')));
}

/** Command lines of living processes that hold a text. */
function processesMentioning(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));
}

const GOOD =
  'import unittest\nfrom calc import add\n\nclass AddTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n';
const FAULTY = 'def add(a, b):\n    return a - b\n';

describe('h run on bad input', () => {
  it('refuses a folder that does not exist', async () => {
    const { exitCode, stderr } = await runH(['run', '--repo', '/no/such/folder']);
    expect(exitCode).toBe(64);
    expect(stderr).toContain('No repository at /no/such/folder: there is no such folder.');
  });

  it('refuses a file in place of a folder', async () => {
    const { exitCode, stderr } = await runH(['run', '--repo', import.meta.filename]);
    expect(exitCode).toBe(64);
    expect(stderr).toContain('it is not a folder');
  });

  it('refuses an unknown option and an option value that is no number', async () => {
    expect((await runH(['run', '--bugdet', '3'])).exitCode).toBe(64);
    expect((await runH(['run', '--budget', 'many'])).exitCode).toBe(64);
    expect((await runH(['fix'])).exitCode).toBe(64);
  });

  it('says when there is no test', () => check({ 'calc.py': FAULTY }, [], { exitCode: 64, says: /No tests found/ }));

  it('names near ids for an unknown test', () =>
    check({ 'calc.py': FAULTY, 'test_calc.py': GOOD }, ['--test', 'test_calc.py::AddTests::test_add'], {
      exitCode: 64,
      says: /Did you mean "test_calc.py::AddTest::test_add"/,
    }));

  it('says when nothing fails', () =>
    check({ 'calc.py': 'def add(a, b):\n    return a + b\n', 'test_calc.py': GOOD }, [], {
      exitCode: 3,
      says: /Nothing fails/,
    }));

  it('names the test that hangs and still diagnoses', () =>
    check(
      {
        'calc.py': FAULTY,
        'test_calc.py': `${GOOD}    def test_zz_hangs(self):\n        import time\n        time.sleep(600)\n`,
      },
      ['--run-limit', '6', '--budget', '0'],
      { exitCode: 1, says: /test_zz_hangs/ },
    ));

  it('names the test that kills its process and still diagnoses', () =>
    check(
      {
        'calc.py': FAULTY,
        'test_calc.py': `${GOOD}    def test_zz_dies(self):\n        import os, signal\n        os.kill(os.getpid(), signal.SIGKILL)\n`,
      },
      ['--budget', '0'],
      { exitCode: 1, says: /test_zz_dies/ },
    ));

  it('ranks a source that is not UTF-8, and says that it gets no candidates', () =>
    check(
      {
        'calc.py': Buffer.from(
          '# -*- coding: latin-1 -*-\nNAME = "caf\xe9"\ndef add(a, b):\n    return a - b\n',
          'latin1',
        ),
        'test_calc.py': GOOD,
      },
      [],
      { exitCode: 1, says: /calc\.py is not UTF-8/ },
    ));

  it(
    'takes a source of 5 MB',
    () =>
      check(
        {
          'calc.py': `${FAULTY}ROWS = [\n${`    "${'x'.repeat(80)}",\n`.repeat(60_000)}]\n`,
          'test_calc.py': GOOD,
        },
        ['--budget', '10', '--no-observe'],
        { exitCode: 0, says: /A plausible patch/ },
      ),
    240_000,
  );

  it('refuses malformed JSON on stdin', async () => {
    for (const input of [
      '{"schema":',
      '[]',
      '{"schema":"h/candidate-batch/9","data":{}}',
      '{"schema":"h/edit-package/1","data":{"files":[]}}',
    ]) {
      const { exitCode, stderr } = await runH(['run', '--repo', unittest.repo, '--candidates', '-'], { input });
      expect(exitCode, stderr).toBe(64);
      expect(stderr).toMatch(/stdin (is not JSON|cannot be used)/);
    }
  });

  it('keeps runs elsewhere when the repository is read-only', async () =>
    withTemporary(async (dir) => {
      const repo = join(dir, 'repo');
      cpSync(unittest.repo, repo, { recursive: true });
      writeFileSync(join(dir, 'is-a-file'), '');
      symlinkSync(join(dir, 'is-a-file'), join(repo, '.h'));
      chmodSync(repo, 0o555);
      const before = hashes(repo);
      const result = await runH(['diagnose', '--repo', repo, '--json'], {
        env: { PATH: process.env.PATH ?? '', HOME: dir, XDG_STATE_HOME: join(dir, 'state') },
      });
      chmodSync(repo, 0o755);
      expect(result.exitCode, result.stderr).toBe(0);
      const { summary, dir: run } = summaryOf(result);
      expect(run.startsWith(join(dir, 'state', 'h'))).toBe(true);
      expect(summary.warnings.join()).toContain('is read-only');
      expect(hashes(repo)).toEqual(before);
    }));
});

describe('h run, interrupted', () => {
  it('exits 130, marks the partial run, and leaves no process and no temporary folder', () =>
    withTemporary(async (dir) => {
      const repo = join(dir, 'repo');
      cpSync(unittest.repo, repo, { recursive: true });
      writeFileSync(
        join(repo, 'tests', 'test_slow.py'),
        'import time, unittest\n\nclass SlowTest(unittest.TestCase):\n    def test_slow(self):\n        time.sleep(20)\n',
      );
      const temporary = join(dir, 'tmp');
      mkdirSync(temporary);
      const { PATH, HOME } = process.env;
      const running = startH(['run', '--repo', repo], {
        env: { PATH: PATH ?? '', HOME: HOME ?? '', TMPDIR: temporary },
      });
      await new Promise<void>((resolve) => {
        running.stderr?.on('data', (chunk) => String(chunk).includes('running the tests') && resolve());
      });
      await sleep(1_000);
      running.kill('SIGINT');
      const { exitCode, stderr } = await running;
      expect(exitCode, String(stderr)).toBe(130);
      expect(readdirSync(join(repo, '.h', 'runs')).filter((name) => name.endsWith('.partial'))).toHaveLength(1);
      expect(readdirSync(temporary).filter((name) => !name.startsWith('tsx-'))).toEqual([]);
      expect(processesMentioning(repo)).toEqual([]);
      expect(existsSync(join(repo, '.h', '.gitignore'))).toBe(true);
    }));
});

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
