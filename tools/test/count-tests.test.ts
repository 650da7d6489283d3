import { describe, expect, it } from 'vitest';
import { countTests } from '../count-tests.ts';

const test = (status: string) => ({ status, fullName: status });
const file = (status: string, tests: ReturnType<typeof test>[], message = '') => ({
  name: '/repo/a.test.ts',
  status,
  message,
  assertionResults: tests,
});
const report = (...testResults: ReturnType<typeof file>[]) => ({ success: true, testResults });

describe('countTests', () => {
  it('counts passed, failed and skipped tests', () => {
    const counted = countTests(report(file('failed', [test('passed'), test('failed'), test('skipped')])), 1);
    expect(counted).toEqual({ passed: 1, failed: 1, skipped: 1, broken: [] });
  });

  it('counts a file that could not be loaded as one failure', () => {
    const counted = countTests(
      report(file('passed', [test('passed')]), file('failed', [], 'no such module\nstack')),
      1,
    );
    expect(counted).toEqual({ passed: 1, failed: 1, skipped: 0, broken: ['/repo/a.test.ts: no such module'] });
  });

  it('counts a hook that failed after tests that passed', () => {
    expect(countTests(report(file('failed', [test('passed')], 'afterAll threw')), 1).failed).toBe(1);
  });

  it('counts an error outside any test, which shows in the exit code alone', () => {
    expect(countTests(report(file('passed', [test('passed')])), 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts a run that wrote no report as one failure', () => {
    expect(countTests(undefined, null)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('counts nothing where nothing ran', () => {
    expect(countTests(report(), 0)).toEqual({ passed: 0, failed: 0, skipped: 0, broken: [] });
  });
});
