import { describe, expect, it } from 'vitest';
import { type AgentEvent, AgentsError, readAgentEvents } from '../src/index.ts';

const start = { event: 'run-start', protocol: 1, runner: 'pytest' };
const lines = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const failure = { class: 'E', message: 'm', frames: ['a.py:1'] };
const end = { event: 'test-end', test: 't', file: 'a.py', outcome: 'failed', duration_ms: 1 };

function check(text: string, expected: readonly object[]) {
  expect(readAgentEvents(text)).toEqual(expected);
}

describe('readAgentEvents', () => {
  it('gives the events in order', () => {
    const events = [
      start,
      { event: 'collected', tests: [{ test: 't', file: 'a.py' }] },
      { event: 'test-start', test: 't', file: 'a.py' },
      { ...end, failure, coverage: [{ file: 'a.py', lines: '1-2' }], last_lines: ['a.py:2'], flaky: true },
      { event: 'collection-error', file: 'b.py', failure },
      { event: 'collection-error', failure },
      { event: 'import-coverage', files: [{ file: 'a.py', lines: '' }] },
      { event: 'skipped-instrumentation', file: 'c.py', reason: 'r' },
      { event: 'note', message: 'n' },
      { event: 'run-end' },
    ];
    check(lines(...events), events);
  });

  it('has nothing to say of nothing', () => check('', []));

  it('marks a last line that was cut', () => {
    check(`${lines(start)}{"event":"test-e`, [start, { event: 'unreadable', line: 2, cut: true }]);
  });

  it('takes a whole last line without its newline', () => check(JSON.stringify(start), [start]));

  it('marks lines that the target wrote, with their number, and reads on', () => {
    const noise = 'hello\n\n\0\0\n[]\nnull\n{"event":"constructor"}\n{"event":"toString"}\n{"event":"unknown"}\n';
    const events = readAgentEvents(lines(start) + noise + lines({ event: 'run-end' }));
    const bad = events.filter((event) => event.event === 'unreadable').map((event) => 'line' in event && event.line);
    expect(bad).toEqual([2, 4, 5, 6, 7, 8, 9]);
    expect(events.at(-1)).toEqual({ event: 'run-end' });
  });

  it.each<[string, object]>([
    ['an unknown outcome', { ...end, outcome: 'great' }],
    ['no duration', { ...end, duration_ms: null }],
    ['a negative duration', { ...end, duration_ms: -1 }],
    ['a failure without frames', { ...end, failure: { class: 'E', message: 'm' } }],
    ['a frame that is no location', { ...end, failure: { ...failure, frames: ['a.py'] } }],
    ['a location at line 0', { ...end, last_lines: ['a.py:0'] }],
    ['coverage that is no list', { ...end, coverage: {} }],
    ['a test without a name', { ...end, test: '' }],
    ['a start without a runner', { event: 'run-start', protocol: 1 }],
    ['tests that are no list', { event: 'collected', tests: 'all' }],
  ])('does not take an event with %s', (_, event) => {
    check(lines(event), [{ event: 'unreadable', line: 1, cut: false }]);
  });

  it('refuses another major, and only in the first event', () => {
    const other = { ...start, protocol: 2 };
    expect(() => readAgentEvents(lines(other))).toThrowError(AgentsError);
    expect(readAgentEvents(lines(start, other))).toHaveLength(2);
  });

  it('gives the same for the same', () => {
    const text = lines(start, end as AgentEvent);
    expect(JSON.stringify(readAgentEvents(text))).toBe(JSON.stringify(readAgentEvents(text)));
  });
});
