import type { TestResult } from '@h/contracts';
import { expect, it } from 'vitest';
import { chooseFailing } from '../src/index.ts';

const failed = (test: string, lines: string | undefined, more: Partial<TestResult> = {}): TestResult => ({
  test,
  file: 'test_a.py',
  outcome: 'failed',
  ...(lines === undefined ? {} : { coverage: [{ file: 'a.py', lines }] }),
  ...more,
});
const statement = (line: number, score: number) => ({
  ...{ location: `a.py:${line}`, score, tier: 'discriminating' as const, failed_runs: 1, passed_runs: 0 },
  ...{ rank: 1, tie_size: 1, worst_rank: 1, group: 0 },
});
function check(tests: TestResult[], expected: string | undefined, failing = tests.map(({ test }) => test)): void {
  const report = { runner: 'pytest', environment: 'a'.repeat(64), execution_ids: [], tests, collection_errors: [] };
  const chosen = chooseFailing(report, failing, { statements: [statement(3, 1), statement(4, 1), statement(9, 0.5)] });
  expect(chosen?.test).toBe(expected);
}

it('takes the one that executes fewest statements', () => check([failed('a', '1-9'), failed('b', '1-5')], 'b'));
it('of those that execute a statement of the highest score', () => {
  check([failed('a', '1-9'), failed('b', '1-2,9')], 'a');
  check([failed('a', '1-9'), failed('b', '4')], 'b');
});
it('takes the first of equals', () => check([failed('a', '3'), failed('b', '4')], 'a'));
it('takes one without coverage last, one of a child process that executed nothing too', () => {
  check([failed('a', undefined), failed('b', '3-90')], 'b');
  check([failed('a', undefined, { coverage: [] }), failed('b', '90')], 'b');
});
it('takes no test that hangs, and none that is not to be explained', () => {
  check([failed('a', '3', { outcome: 'timeout' }), failed('b', '3-9')], 'b');
  check([failed('a', '3'), failed('b', '3-9')], 'b', ['b']);
  check([failed('a', '3', { outcome: 'timeout' })], undefined);
});
