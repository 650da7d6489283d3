import { Divergence, type TestOutcome } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTestRuns } from '../src/index.ts';
import { type Outcomes, runOf } from './test-runs.ts';

const outcomes = [
  'passed',
  'xpassed',
  'failed',
  'error',
  'timeout',
  'xfailed',
  'skipped',
  'not_run',
  'missing',
] as const;

/** Rows: before; columns: after, as above. `=` same, `R` regression evidence, `i` intended change, `u` unproven. */
const other: Record<(typeof outcomes)[number], string> = {
  passed: '=uRRRRRRR',
  xpassed: '==RRRRRRR',
  failed: 'iu=iiuuuu',
  error: 'iui=iuuuu',
  timeout: 'iuii=uuuu',
  xfailed: 'iiRRR=uuu',
  skipped: '==uuu====',
  not_run: '==uuu====',
  missing: '==uuu====',
};
/** A failing test differs only here: what had no result before and passes now is what the patch is for. */
const target = { ...other, skipped: 'i=uuu====', not_run: 'i=uuu====', missing: 'i=uuu====' };

function letter(before: string, after: string, failing: string[]): string {
  const compared = compareTestRuns({
    baseline: runOf({ t: before } as Outcomes),
    candidate: runOf({ t: after } as Outcomes),
    failing,
  });
  expect(compared.divergences.length + compared.unproven.length).toBeLessThanOrEqual(1);
  if (compared.unproven.length > 0) return 'u';
  const [divergence] = compared.divergences;
  if (divergence === undefined) return '=';
  return divergence.classification === 'regression_evidence' ? 'R' : 'i';
}

describe('compareTestRuns', () => {
  it('takes a skipped test for unrun, by its reason, and for what it showed if it ran all the same', () => {
    const compared = compareTestRuns({
      baseline: runOf({ a: 'passed', b: 'passed', c: 'passed', d: 'passed' }),
      candidate: runOf({ c: 'failed' }),
      failing: [],
      skipped: [
        { test: 'a', reason: 'unrun-by-reachability' },
        { test: 'b', reason: 'unrun-by-budget' },
        { test: 'c', reason: 'unrun-by-reachability' },
      ],
    });
    expect(compared.unproven).toEqual([
      { test: 'b', baseline: 'passed', candidate: 'missing', rule: 'unrun_by_budget' },
    ]);
    expect(compared.divergences.map(({ behavior, rule }) => `${behavior} ${rule}`)).toEqual([
      'c passed_then_failed',
      'd passed_then_missing',
    ]);
  });

  it.each(outcomes)('classifies a test that was %s', (before) => {
    expect(outcomes.map((after) => letter(before, after, [])).join('')).toBe(other[before]);
  });

  it.each(outcomes)('classifies a failing test that was %s', (before) => {
    expect(outcomes.map((after) => letter(before, after, ['t'])).join('')).toBe(target[before]);
  });

  it('names the rule', () => {
    const { divergences } = compareTestRuns({
      baseline: runOf({ bug: 'failed', a: 'passed', b: 'error', c: 'xfailed', d: 'failed' }),
      candidate: runOf({ bug: 'passed', a: 'missing', b: 'passed', c: 'xpassed', d: 'timeout' }),
      failing: ['bug'],
    });
    expect(divergences).toEqual([
      {
        divergence_id: 'test:a',
        behavior: 'a',
        kind: 'test',
        baseline: 'passed',
        candidate: 'missing',
        classification: 'regression_evidence',
        rule: 'passed_then_missing',
      },
      {
        divergence_id: 'test:b',
        behavior: 'b',
        kind: 'test',
        baseline: 'error',
        candidate: 'passed',
        classification: 'intended_change',
        rule: 'other_failure_passes',
      },
      {
        divergence_id: 'test:bug',
        behavior: 'bug',
        kind: 'test',
        baseline: 'failed',
        candidate: 'passed',
        classification: 'intended_change',
        rule: 'failing_test_passes',
      },
      {
        divergence_id: 'test:c',
        behavior: 'c',
        kind: 'test',
        baseline: 'xfailed',
        candidate: 'xpassed',
        classification: 'intended_change',
        rule: 'expected_failure_passes',
      },
      {
        divergence_id: 'test:d',
        behavior: 'd',
        kind: 'test',
        baseline: 'failed',
        candidate: 'timeout',
        classification: 'intended_change',
        rule: 'failure_changed',
      },
    ]);
    for (const divergence of divergences) expect(Divergence.parse(divergence)).toEqual(divergence);
  });

  it('never holds a flaky test against a patch, and says that it proves nothing', () => {
    const compared = compareTestRuns({
      baseline: runOf({ t: 'flaky' }),
      candidate: runOf({ t: 'failed' }),
      failing: [],
    });
    expect(compared).toEqual({
      divergences: [],
      unproven: [{ test: 't', baseline: 'passed', candidate: 'failed', rule: 'flaky' }],
    });
  });

  it('takes the worse of two results of one test', () => {
    const [good, bad] = [runOf({ t: 'passed' }), runOf({ t: 'failed' })];
    for (const tests of [
      [...good.tests, ...bad.tests],
      [...bad.tests, ...good.tests],
    ])
      expect(compareTestRuns({ baseline: good, candidate: { ...good, tests }, failing: [] }).divergences).toHaveLength(
        1,
      );
  });

  it('finds nothing between a run and itself', () => {
    const run = fc.dictionary(
      fc.stringMatching(/^[a-e]$/),
      fc.constantFrom<TestOutcome>('passed', 'failed', 'skipped', 'error', 'timeout', 'xfailed'),
    );
    fc.assert(
      fc.property(run, (tests) => {
        const report = runOf(tests);
        expect(compareTestRuns({ baseline: report, candidate: report, failing: [] })).toEqual({
          divergences: [],
          unproven: [],
        });
      }),
    );
  });
});
