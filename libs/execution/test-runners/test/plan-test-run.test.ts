import { describe, expect, it } from 'vitest';
import { type Detection, planTestRun } from '../src/index.ts';
import { readPlan } from '../src/plan-test-run.ts';

const detection = (overrides: Partial<Detection> = {}): Detection => ({
  runner: 'pytest',
  cwd: '',
  reason: '',
  evidence: [],
  source_roots: [],
  start_dirs: [],
  ...overrides,
});

describe('planTestRun', () => {
  it('plans pytest', () => {
    const { command, collect, agent_files, notes } = planTestRun(detection(), {
      mode: 'run',
      python: '/usr/bin/python3',
    });
    expect(command).toMatchInlineSnapshot(`
      {
        "agent_entry": ".h-agent/h_agent_pytest.py",
        "argv": [
          "/usr/bin/python3",
          "-m",
          "pytest",
          "-p",
          "h_agent_pytest",
          "--continue-on-collection-errors",
          "-o",
          "cache_dir=.h-agent/pytest-cache",
        ],
        "cwd": "",
        "env_set": {
          "H_AGENT_PLAN": "{"mode":"run","coverage":false,"root":".","report":".h-agent/report.ndjson"}",
          "PYTHONPATH": ".h-agent",
        },
        "report_path": ".h-agent/report.ndjson",
      }
    `);
    expect([collect, notes]).toEqual([['.h-agent/report.ndjson'], []]);
    expect(agent_files.map(({ path }) => path)).toContain(command.agent_entry);
  });

  it('plans unittest in a folder, with what the agent has to know', () => {
    const project = detection({ runner: 'unittest', cwd: 'a/b', source_roots: ['a/b/src'], start_dirs: ['.'] });
    const { command, agent_files } = planTestRun(project, { mode: 'list', coverage: true, tests: ['t.py::A::b'] });
    expect(command.argv).toEqual(['python3', '.h-agent/h_agent_unittest.py']);
    expect([command.cwd, command.report_path]).toEqual(['a/b', 'a/b/.h-agent/report.ndjson']);
    expect(readPlan(command)).toEqual({
      mode: 'list',
      coverage: true,
      root: '../..',
      report: 'a/b/.h-agent/report.ndjson',
      tests: ['t.py::A::b'],
      source_roots: ['a/b/src'],
      start_dirs: ['.'],
    });
    expect(agent_files.every(({ path }) => path.startsWith('a/b/.h-agent/'))).toBe(true);
  });

  it('plans vitest for the files of the wanted tests', () => {
    const tests = ['web/b.test.ts > b', 'web/a.test.ts > a > x', 'web/a.test.ts > c'];
    const { command } = planTestRun(detection({ runner: 'vitest', cwd: 'web' }), {
      mode: 'run',
      tests,
      testTimeoutMs: 900,
    });
    expect(command.argv).toEqual([
      'node',
      '.h-agent/vitest-entry.mjs',
      'run',
      '--coverage.enabled=false',
      '--testTimeout=900',
      'a.test.ts',
      'b.test.ts',
    ]);
  });

  it('passes a long list in parts that the kernel takes', () => {
    const tests = Array.from({ length: 5000 }, (_, index) => `tests/test_é_${index}.py::test`);
    const { command } = planTestRun(detection(), { mode: 'run', tests });
    const parts = Object.values(command.env_set);
    expect(parts.length).toBeGreaterThan(4);
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThan(128 * 1024);
    expect(readPlan(command)?.tests).toEqual(tests);
  });

  it('runs everything, and says so, when the list is longer than an environment may be', () => {
    const tests = Array.from({ length: 20_000 }, (_, index) => `tests/${'測試'.repeat(10)}_${index}.py::test`);
    const { command, notes } = planTestRun(detection(), { mode: 'run', tests });
    expect(readPlan(command)?.tests).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining('every test runs')]);
  });

  it('tells an empty list from none', () => {
    expect(readPlan(planTestRun(detection(), { mode: 'run', tests: [] }).command)?.tests).toEqual([]);
    expect(readPlan(planTestRun(detection(), { mode: 'run' }).command)).not.toHaveProperty('tests');
  });

  it('is pure', () => {
    const plan = () => JSON.stringify(planTestRun(detection(), { mode: 'run', coverage: true }));
    expect(plan()).toBe(plan());
  });

  it.each([-5, 0, Number.NaN, Number.POSITIVE_INFINITY])('refuses a limit of %s ms per test', (testTimeoutMs) => {
    expect(() => planTestRun(detection(), { mode: 'run', testTimeoutMs })).toThrow(/testTimeoutMs is .*from 1/);
  });
});
