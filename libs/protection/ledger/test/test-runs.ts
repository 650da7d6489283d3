// Reports from a few letters: { a: 'passed' } is one test `a` of file `a.py`.
import { sha256Hex, type TestOutcome, type TestRunReport } from '@h/contracts';

export type Outcomes = Record<string, TestOutcome | 'missing' | 'flaky'>;

export const environment = sha256Hex('environment');

/** `flaky` is a pass marked as flaky. */
export function runOf(outcomes: Outcomes, where = environment): TestRunReport {
  return {
    runner: 'scripted',
    environment: where,
    execution_ids: [],
    tests: Object.entries(outcomes).flatMap(([test, outcome]) => {
      if (outcome === 'missing') return [];
      const result = { test, file: `${test}.py`, duration_ms: 1 };
      return [outcome === 'flaky' ? { ...result, outcome: 'passed' as const, flaky: true } : { ...result, outcome }];
    }),
    collection_errors: [],
  };
}
