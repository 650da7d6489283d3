import type { TestOutcome, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { compareReports } from '../src/compare-reports.ts';

function report(outcomes: Record<string, TestOutcome>): TestRunReport {
  const tests = Object.entries(outcomes).map(([test, outcome]) => ({ test, file: 'test_a.py', outcome }));
  return { runner: 'pytest', environment: '0'.repeat(64), execution_ids: [], tests, collection_errors: [] };
}

describe('compareReports', () => {
  it('takes two ways of failing as agreement, and keeps what neither passes nor fails out', () => {
    const first = report({ a: 'passed', b: 'failed', c: 'timeout', d: 'skipped', e: 'xfailed' });
    const second = report({ a: 'passed', b: 'error', c: 'timeout', d: 'skipped', e: 'xfailed' });
    expect(compareReports(first, second)).toEqual({ failing: ['b', 'c'], passing: ['a'], disagreeing: [] });
  });

  it('names tests that only one run passed, or has', () => {
    const first = report({ a: 'passed', b: 'failed', c: 'passed', d: 'skipped' });
    const second = report({ a: 'failed', b: 'passed', d: 'passed', f: 'failed' });
    expect(compareReports(first, second)).toEqual({
      failing: [],
      passing: [],
      disagreeing: [
        { test: 'a', first: 'passed', second: 'failed' },
        { test: 'b', first: 'failed', second: 'passed' },
        { test: 'c', first: 'passed', second: 'missing' },
        { test: 'd', first: 'skipped', second: 'passed' },
        { test: 'f', first: 'missing', second: 'failed' },
      ],
    });
  });
});
