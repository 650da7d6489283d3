import { describe, expect, it } from 'vitest';
import { judgeRun } from '../src/index.ts';
import { type Outcomes, reportOf } from './scripted-suite.ts';

/** `b*` tests failed before, `n*` tests passed. */
function check(after: Outcomes, status: string, broken: string[] = []) {
  const before = ['b1', 'b2', 'n1', 'n2'];
  const expected = {
    failing: ['b1', 'b2'],
    passing: ['n1', 'n2'],
    fileOf: new Map(before.map((test) => [test, `${test.replace(/\d/, '')}.py`])),
  };
  expect(judgeRun(reportOf(after), expected)).toEqual({ status, broken });
}
const good: Outcomes = { b1: 'passed', b2: 'passed', n1: 'passed', n2: 'passed' };

describe('judgeRun', () => {
  it('is plausible when every expected test passes', () => check(good, 'plausible'));
  it('does not look at other tests', () => check({ ...good, other: 'failed' }, 'plausible'));
  it.each(['failed', 'error', 'skipped', 'xfailed', 'xpassed'] as const)(
    'is failing when a failing test is %s',
    (outcome) => check({ ...good, b2: outcome }, 'failing', ['b2']),
  );
  it('is failing when a failing test is gone', () => check({ ...good, b1: 'gone' }, 'failing', ['b1']));
  it('is a timeout before anything else', () =>
    check({ ...good, b1: 'failed', b2: 'timeout', n1: 'not_run' }, 'timeout', ['b1', 'b2', 'n1']));
  it('is a crash when the runner died at a failing test', () =>
    check({ ...good, b1: 'failed', b2: 'not_run' }, 'crash', ['b1', 'b2']));
  it("is a crash when a failing test's file cannot be collected", () =>
    check({ ...good, b1: 'uncollected', b2: 'gone' }, 'crash', ['b1', 'b2']));
  it('is a crash when a failing test is gone and something unnamed could not be collected', () => {
    const report = { ...reportOf({ n1: 'passed' }), collection_errors: [{ message: 'plugin failed' }] };
    const expected = { failing: ['b1'], passing: [], fileOf: new Map([['b1', 'b.py']]) };
    expect(judgeRun(report, expected)).toEqual({ status: 'crash', broken: ['b1'] });
  });
  it('is a crash when nothing was reported at all', () => check({}, 'crash', ['b1', 'b2', 'n1', 'n2']));
  it.each(['failed', 'error', 'skipped', 'timeout', 'xfailed', 'gone', 'uncollected'] as const)(
    'is neighbour_broken when a passing test is %s',
    (outcome) => check({ ...good, n1: outcome }, 'neighbour_broken', ['n1']),
  );
  it('is a crash when the runner died at a passing test and no other is broken', () =>
    check({ ...good, n2: 'not_run' }, 'crash', ['n2']));
  it('is neighbour_broken when one is broken and the runner died later', () =>
    check({ ...good, n1: 'failed', n2: 'not_run' }, 'neighbour_broken', ['n1', 'n2']));
  it('lists broken tests in the order of the report', () =>
    check({ n2: 'failed', b2: 'passed', b1: 'passed', n1: 'failed' }, 'neighbour_broken', ['n2', 'n1']));

  it('is neighbour_broken when a file breaks outside its tests that did not before', () => {
    const broken = { ...reportOf(good), collection_errors: [{ file: 'n.py', message: 'afterAll failed' }] };
    const expected = { failing: ['b1'], passing: ['n1'], fileOf: new Map([['n1', 'n.py']]) };
    expect(judgeRun(broken, expected)).toEqual({ status: 'neighbour_broken', broken: [] });
    expect(judgeRun(broken, { ...expected, erringFiles: new Set(['n.py']) }).status).toBe('plausible');
    expect(judgeRun(broken, { ...expected, erringFiles: new Set(['b.py']) }).status).toBe('neighbour_broken');
  });

  it('does not count a passing test that the run marks as flaky', () => {
    const report = reportOf({ n1: 'failed' });
    const flaky = { ...report, tests: report.tests.map((result) => ({ ...result, flaky: true })) };
    expect(judgeRun(flaky, { failing: [], passing: ['n1'], fileOf: new Map() }).status).toBe('plausible');
  });
});
