// What reading a report, detecting runners and starting our agents costs. Processor time of this process, and of its
// children where a runner is started. One JSON line per row. H_BENCH_PYTHON names another interpreter.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionResult, SourceReader } from '@h/contracts';
import { buildReport, commandDetection, detectRunners, planTestRun } from '../src/index.ts';

const python = process.env.H_BENCH_PYTHON ?? 'python3';

const NODE_MAP = JSON.stringify({ total: 1, files: [{ file: 'a.js', first: 0, lines: [2], top: [] }] });
const ONE_TEST = 'import unittest\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n';
const FORKS = `import os, unittest
import app
class A(unittest.TestCase):
    def test_a(self):
        for n in range(100):
            pid = os.fork()
            if pid == 0:
                app.half(n)
                os._exit(0)
            os.waitpid(pid, 0)
`;
const plain = { cwd: '', reason: '', evidence: [], source_roots: [], start_dirs: [] } as const;

benchReport();
await benchDetection();
benchStart('unittest', 'start and one test', ONE_TEST);
if (hasPytest()) benchStart('pytest', 'start and one test', ONE_TEST);
benchStart('unittest', '100 forks', FORKS);
benchNodeTest();
benchCommand();

function row(work: string, ours: number, peer: string, theirs: number): void {
  const round = (value: number) => Number(value.toFixed(2));
  console.log(
    JSON.stringify({ work, ours_ms: round(ours), peer, peer_ms: round(theirs), ratio: round(ours / theirs) }),
  );
}

/** 10,000 tests, a tenth failing, each with the lines of eight files. */
function benchReport(): void {
  const coverage = Array.from({ length: 8 }, (_, file) => ({
    file: `src/module_${file}.py`,
    lines: '3-9,12,15-20,31,44-48',
  }));
  const failure = {
    class: 'AssertionError',
    message: 'assert 1 == 2',
    location: 't.py:9',
    frames: ['t.py:9', 'src/a.py:3'],
  };
  const events: object[] = [{ event: 'run-start', protocol: 1, runner: 'pytest' }];
  const tests = Array.from({ length: 10_000 }, (_, index) => ({
    test: `tests/test_${index % 200}.py::test_${index}`,
    file: `tests/test_${index % 200}.py`,
  }));
  events.push({ event: 'collected', tests });
  for (const [index, test] of tests.entries()) {
    events.push({ event: 'test-start', ...test });
    const failed = index % 10 === 0;
    events.push({
      event: 'test-end',
      ...test,
      outcome: failed ? 'failed' : 'passed',
      duration_ms: 1.25,
      coverage,
      ...(failed ? { failure, last_lines: ['src/a.py:3'] } : {}),
    });
  }
  events.push({ event: 'run-end' });
  const lines = events.map((event) => JSON.stringify(event));
  const text = `${lines.join('\n')}\n`;
  const stream = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };
  const execution: ExecutionResult = {
    execution_id: '0'.repeat(64),
    ended_by: 'exit',
    exit_code: 0,
    stdout: stream,
    stderr: stream,
    files: [],
  };
  const ours = best(() => buildReport(text, { runner: 'pytest', environment: '0'.repeat(64), execution }));
  row(
    'build the report of 10,000 tests',
    ours,
    'JSON.parse of each line',
    best(() => lines.map((line) => JSON.parse(line))),
  );
}

async function benchDetection(): Promise<void> {
  const files = new Map<string, Uint8Array>();
  const source = new TextEncoder().encode('import os\n\n\ndef f(a):\n    return a\n'.repeat(50));
  const test = new TextEncoder().encode('import unittest\n\n\nclass A(unittest.TestCase):\n    pass\n'.repeat(50));
  for (let index = 0; index < 20_000; index += 1) files.set(`pkg_${index % 300}/module_${index}.py`, source);
  for (let index = 0; index < 2000; index += 1) files.set(`tests/test_${index}.py`, test);
  const reader: SourceReader = {
    read: async (path) => files.get(path) ?? new Uint8Array(),
    async *list() {
      yield* files.keys();
    },
  };
  const walk = async () => {
    for await (const _ of reader.list('**/*'));
  };
  row(
    'detect the runner of 22,000 files',
    await bestAsync(() => detectRunners(reader)),
    'listing them',
    await bestAsync(walk),
  );
}

/** A run of one test with the agent, without and with coverage, against the runner alone. */
function benchStart(runner: 'unittest' | 'pytest', work: string, test: string): void {
  inFolder((folder, write) => {
    const detection = { ...plain, runner } as const;
    write('app.py', 'def half(n):\n    return n / 2\n');
    write('test_a.py', test);
    const start = (coverage: boolean) => {
      const { command, agent_files } = planTestRun(detection, { mode: 'run', coverage, python });
      for (const { path, text } of agent_files) write(path, text);
      return childCpu(folder, command.argv, command.env_set);
    };
    const own = runner === 'pytest' ? ['pytest', '-q'] : ['unittest', 'discover'];
    const alone = childCpu(folder, [python, '-m', ...own], {});
    row(`${runner}: ${work}`, start(false), 'the runner alone', alone);
    row(`${runner}: ${work}, with coverage`, start(true), 'the runner alone', alone);
  });
}

/** A file of one test that imports one module, without and with coverage, against `node --test`. */
function benchNodeTest(): void {
  inFolder((folder, write) => {
    write('package.json', '{"type":"module"}');
    write('a.js', 'export function half(n) {\n  return n / 2;\n}\n');
    write(
      'a.test.js',
      "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { half } from './a.js';\ntest('a', () => assert.equal(half(2), 1));\n",
    );
    const detection = { ...plain, runner: 'node:test', test_files: ['a.test.js'] } as const;
    const alone = childCpu(folder, [process.execPath, '--test'], {});
    const start = (coverage: boolean) => {
      const { command, agent_files } = planTestRun(detection, { mode: 'run', coverage, node: process.execPath });
      for (const { path, text } of agent_files) write(path, text);
      if (coverage) write('.h-agent/coverage-map.json', NODE_MAP);
      return childCpu(folder, command.argv, command.env_set);
    };
    row('node:test: start and one test', start(false), 'node --test', alone);
    write('a.js', 'export function half(n) {\n  globalThis.__h?.(0);return n / 2;\n}\n');
    row('node:test: start and one test, with coverage', start(true), 'node --test', alone);
  });
}

/** A program that imports one module, as a command with coverage, against the program alone. */
function benchCommand(): void {
  inFolder((folder, write) => {
    write('a.py', 'def half(n):\n    return n / 2\n');
    write('r.py', 'import a\na.half(2)\n');
    write('a.mjs', 'export function half(n) {\n  globalThis.__h?.(0);return n / 2;\n}\n');
    write('r.mjs', "import { half } from './a.mjs';\nhalf(2);\n");
    for (const argv of [
      [python, 'r.py'],
      [process.execPath, 'r.mjs'],
    ]) {
      const detection = commandDetection({ label: 'r', argv });
      const { command, agent_files } = planTestRun(detection, { mode: 'run', coverage: true });
      const alone = childCpu(folder, argv, {});
      for (const { path, text } of agent_files) write(path, text);
      write('.h-agent/coverage-map.json', NODE_MAP.replace('a.js', 'a.mjs'));
      const name = argv[1] === 'r.py' ? 'Python' : 'Node';
      row(
        `command: a ${name} program, with coverage`,
        childCpu(folder, command.argv, command.env_set),
        'the program alone',
        alone,
      );
    }
  });
}

function inFolder(use: (folder: string, write: (path: string, text: string) => void) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  try {
    use(folder, (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Least processor milliseconds of a command in nine runs, as it says itself. */
function childCpu(folder: string, argv: readonly string[], env: Record<string, string>): number {
  const timing =
    'import resource as r,sys,subprocess as s\nfor _ in range(9):\n  a=r.getrusage(-1);s.run(sys.argv[1:],stdout=s.DEVNULL,stderr=s.DEVNULL);b=r.getrusage(-1);print(b[0]+b[1]-a[0]-a[1])';
  const output = execFileSync(python, ['-c', timing, ...argv], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return Math.min(...output.trim().split('\n').map(Number)) * 1000;
}

function hasPytest(): boolean {
  try {
    execFileSync(python, ['-c', 'import pytest'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function best(action: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      action();
      return spentSince(before);
    }),
  );
}

async function bestAsync(action: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    await action();
    least = Math.min(least, spentSince(before));
  }
  return least;
}

function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
