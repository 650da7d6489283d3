import { parseRecord, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { buildReport, type ReportContext } from '../src/index.ts';

const stream = (text = '') => ({ text, observed_bytes: text.length, retained_bytes: text.length, dropped_bytes: 0 });
const sha = '0'.repeat(64);
type Execution = ReportContext['execution'];
const exited = (overrides: Partial<Execution> = {}): Execution => ({
  execution_id: sha,
  ended_by: 'exit',
  exit_code: 0,
  stdout: stream(),
  stderr: stream(),
  files: [],
  ...overrides,
});

function build(events: object[] | undefined, execution = exited(), tests?: string[], tail = '') {
  const text = events === undefined ? undefined : events.map((event) => `${JSON.stringify(event)}\n`).join('') + tail;
  const context = { runner: 'pytest', environment: sha, execution, ...(tests === undefined ? {} : { tests }) };
  return parseRecord(TestRunReport, buildReport(text, context));
}

const start = { event: 'run-start', protocol: 1, runner: 'pytest' };
const collected = (...tests: string[]) => ({
  event: 'collected',
  tests: tests.map((test) => ({ test, file: 'a.py' })),
});
const started = (test: string) => ({ event: 'test-start', test, file: 'a.py' });
const ended = (test: string, outcome = 'passed', more = {}) => ({
  event: 'test-end',
  test,
  file: 'a.py',
  outcome,
  duration_ms: 1,
  ...more,
});
const outcomes = (report: TestRunReport) => report.tests.map(({ test, outcome }) => `${test} ${outcome}`);

describe('buildReport', () => {
  it('reports tests in the order they were found', () => {
    const report = build([
      start,
      collected('a', 'b'),
      started('b'),
      ended('b', 'failed'),
      started('a'),
      ended('a'),
      { event: 'run-end' },
    ]);
    expect(outcomes(report)).toEqual(['a passed', 'b failed']);
    expect(report.notes).toBeUndefined();
  });

  it('tells a file that did not load once, however many processes looked for tests', () => {
    const begin = { ...start, language: 'python', language_version: '3.12.1' };
    const error = (file: string, at: string) => ({
      event: 'collection-error',
      file,
      failure: { class: 'ValueError', message: `<A object at ${at}>`, frames: [] },
    });
    const first = [begin, error('a.py', '0x7f0123456789'), error('a.py', '0x7f0123456780')];
    const again = [begin, error('a.py', '0x7f9999999999'), error('b.py', '0x7f0123456789'), { event: 'run-end' }];
    const { collection_errors } = build([...first, ...again]);
    expect(collection_errors.map(({ file }) => file)).toEqual(['a.py', 'a.py', 'b.py']);
  });

  it('lets the later end of a test stand', () => {
    const report = build([start, collected('a'), ended('a'), ended('a', 'error'), { event: 'run-end' }]);
    expect(outcomes(report)).toEqual(['a error']);
  });

  it.each([
    ['wall_limit', 'timeout', 'Timeout'],
    ['cpu_limit', 'timeout', 'Timeout'],
    ['memory_limit', 'error', 'ProcessEnded'],
    ['signal', 'error', 'ProcessEnded'],
    ['exit', 'error', 'ProcessEnded'],
  ] as const)('says which test ran when the run ended by %s', (ended_by, outcome, name) => {
    const execution = exited({ ended_by, ...(ended_by === 'exit' ? {} : { signal: 'SIGKILL' }) });
    const report = build(
      [start, collected('a', 'b', 'c'), started('a'), ended('a'), started('b')],
      execution,
      undefined,
      '{"event":"te',
    );
    expect(outcomes(report)).toEqual(['a passed', `b ${outcome}`, 'c not_run']);
    expect(report.tests[1]?.failure?.class).toBe(name);
    expect(report.notes?.length).toBe(1);
  });

  it('says what a runner that did not start said', () => {
    const execution = exited({ exit_code: 1, stderr: stream('/usr/bin/python3: No module named pytest\n') });
    const report = build(undefined, execution);
    expect(report.tests).toEqual([]);
    expect(report.collection_errors[0]?.message).toMatchInlineSnapshot(`
      "The test runner did not start: exit code 1.
      /usr/bin/python3: No module named pytest"
    `);
    const stopped = build([start], exited({ exit_code: 4, stdout: stream('ERROR: conftest\n') }));
    expect(stopped.collection_errors[0]?.message).toContain('stopped before it found tests');
  });

  it('keeps to the tests that were asked for', () => {
    const loading = {
      event: 'collection-error',
      file: 'b.py',
      failure: { class: 'SyntaxError', message: 'bad', frames: ['b.py:3'], location: 'b.py:3' },
    };
    const events = [
      start,
      loading,
      collected('a.py::x', 'a.py::y'),
      ended('a.py::x'),
      ended('a.py::y'),
      { event: 'run-end' },
    ];
    const report = build(events, exited(), ['a.py::y', 'b.py::z', 'c.py::w']);
    expect(outcomes(report)).toEqual(['a.py::y passed', 'b.py::z error', 'c.py::w not_run']);
    expect(report.tests[1]?.failure?.class).toBe('SyntaxError');
    expect(report.collection_errors).toEqual([{ file: 'b.py', message: 'SyntaxError: bad (b.py:3)' }]);
  });

  it('unites what was loaded, and sorts it', () => {
    const files = (...list: [string, string][]) => ({
      event: 'import-coverage',
      files: list.map(([file, lines]) => ({ file, lines })),
    });
    const report = build([
      start,
      files(['b.py', '1-2'], ['a.py', '9']),
      files(['b.py', '2-4,8'], ['c.py', 'nonsense']),
      { event: 'run-end' },
    ]);
    expect(report.import_coverage).toEqual([
      { file: 'a.py', lines: '9' },
      { file: 'b.py', lines: '1-4,8' },
      { file: 'c.py', lines: '' },
    ]);
  });

  it('takes out of messages what differs from run to run, and what is no text', () => {
    const failure = {
      class: 'E',
      message: '<X at 0x7f3a5c2b1d90> \uD800 1',
      frames: [],
      expected: '<Y object at 0x10ffab>',
      actual: '0x7f3a5c2b1d90',
    };
    const report = build([start, ended('a', 'failed', { failure }), { event: 'run-end' }]);
    expect(report.tests[0]?.failure).toEqual({
      class: 'E',
      message: '<X at 0x…> \uFFFD 1',
      frames: [],
      expected: '<Y object at 0x…>',
      actual: '0x7f3a5c2b1d90',
    });
  });

  it('notes files without coverage and lines that are not the agent’s', () => {
    const skipped = { event: 'skipped-instrumentation', file: 'x.py', reason: 'SyntaxError' };
    const report = build([start, skipped, { event: 'note', message: 'n' }, { event: 'odd' }, { event: 'run-end' }]);
    expect(report.notes).toEqual([
      'n',
      'No coverage of x.py: SyntaxError',
      "1 lines of the agent's report were not its own and were left out.",
    ]);
  });

  it('gives the same bytes for the same events', () => {
    const events = [start, collected('a'), ended('a', 'failed', { coverage: [{ file: 'a.py', lines: '1' }] })];
    expect(JSON.stringify(build(events))).toBe(JSON.stringify(build(events)));
  });
});
