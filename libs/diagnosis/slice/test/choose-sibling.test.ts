import type { TestResult, TestRunReport } from '@h/contracts';
import { expect, it } from 'vitest';
import { chooseSibling, type PlannedPlace } from '../src/index.ts';
import { shaOf } from './build-run.ts';

const result = (test: string, lines: string | undefined, more: Partial<TestResult> = {}): TestResult => ({
  test,
  file: 'test_a.py',
  outcome: 'passed',
  ...(lines === undefined ? {} : { coverage: [{ file: 'a.py', lines }] }),
  ...more,
});
const report = (...tests: TestResult[]): TestRunReport => ({
  runner: 'pytest',
  environment: shaOf('environment'),
  execution_ids: [],
  tests,
  collection_errors: [],
});
const failing = result('t::bad', '2-6', { outcome: 'failed' });
const place: PlannedPlace = { file: 'a.py', line: 4, first: 1, last: 6 };

function check(tests: TestResult[], expected: string, plan: readonly PlannedPlace[] = [place]): void {
  const chosen = chooseSibling(failing, report(failing, ...tests), plan);
  expect('none' in chosen ? chosen.none : chosen.test).toBe(expected);
}

it('takes the nearest by shared statements', () => check([result('t::a', '2-3'), result('t::b', '2-5')], 't::b'));
it('counts statements that only the other executes against it', () =>
  check([result('t::a', '2-6,10-40'), result('t::b', '2-5')], 't::b'));
it('prefers the same test file among equals', () =>
  check([result('t::a', '2-5', { file: 'test_b.py' }), result('t::b', '2-5')], 't::b'));
it('then the first id by code unit', () => check([result('t::b', '2-5'), result('t::B', '2-5')], 't::B'));
it('ignores files that are not planned', () =>
  check(
    [
      result('t::a', '2-4', {
        coverage: [
          { file: 'a.py', lines: '2-4' },
          { file: 'z.py', lines: '1-99' },
        ],
      }),
      result('t::b', '2'),
    ],
    't::a',
  ));
it('takes only tests that execute a planned function, not its definition', () => {
  check([result('t::a', '1')], 'No passing test executes a function that is observed.');
  check([result('t::a', '2')], 't::a');
  check([result('t::a', '2')], 'No passing test executes a function that is observed.', [{ file: 'a.py', line: 4 }]);
  check([result('t::a', '4')], 't::a', [{ file: 'a.py', line: 4 }]);
});
it('says why there is none', () => {
  check([], 'No test passes in every run.');
  check([result('t::a', '2', { outcome: 'xpassed' })], 'No test passes in every run.');
  check([result('t::a', '2', { flaky: true })], 'No test passes in every run.');
  check([result('t::a', undefined)], 'No passing test executes a function that is observed.');
  check([result('t::a', '2')], 'Nothing is planned to be observed.', []);
  const blind = result('t::bad', undefined, { outcome: 'failed' });
  expect(chooseSibling(blind, report(blind), [place])).toEqual({ none: 'No coverage is recorded for t::bad.' });
});
it('says why it was chosen', () => {
  expect(chooseSibling(failing, report(failing, result('t::a', '2-4')), [place])).toEqual({
    test: 't::a',
    why: 'Of the passing tests that reach a suspicious statement it executes most of the same statements (3 of 5 in the observed files), in the same test file.',
  });
});
it('takes one that reaches a suspicious statement before a nearer one that does not (issue 5, clause 11)', () => {
  check([result('t::near', '2-3,5-6'), result('t::far', '4')], 't::far');
  check([result('t::near', '2-3,5-6'), result('t::far', '5')], 't::near');
});
it('takes the same test on a version known to be good, where it passes there (issue 5, clause 11)', () => {
  const here = report(failing, result('t::a', '2-6'));
  const choose = (outcome: TestResult['outcome'], more: Partial<TestResult> = {}) =>
    chooseSibling(failing, here, [place], { knownGood: report(result('t::bad', undefined, { outcome, ...more })) });
  const why = 'The same test passes on the version known to be good.';
  expect(choose('passed')).toEqual({ test: 't::bad', why, version: 'known_good' });
  expect(choose('failed')).toMatchObject({ test: 't::a' });
  expect(choose('passed', { flaky: true })).toMatchObject({ test: 't::a' });
});
it('does not depend on the order of the tests', () => {
  const tests = [result('t::c', '2-5'), result('t::a', '2-5'), result('t::b', '2-6')];
  const both = [tests, [...tests].reverse()].map((given) =>
    JSON.stringify(chooseSibling(failing, report(...given), [place])),
  );
  expect(both[0]).toBe(both[1]);
});
