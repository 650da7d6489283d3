import type { TestRunReport } from '@h/contracts';
import { defaultPolicy } from '@h/sandbox';
import { expect, it } from 'vitest';
import { candidatePolicy } from '../src/protect-patches.ts';

const limitOf = (baselineMs: number, longest?: number, wall_ms = 300_000) => {
  const durations = longest === undefined ? {} : { duration_ms: longest };
  const tests = [{ test: 't', file: 'f', outcome: 'passed' as const, ...durations }];
  return candidatePolicy(defaultPolicy({ wall_ms }), { baseline: { tests } as unknown as TestRunReport, baselineMs })
    .wall_ms;
};

it.each([
  ['a quick suite', 900, 200, 15_000],
  ['six seconds of many tests', 6000, 1000, 15_000],
  ['six seconds of one test, which may take a quarter of a run', 6000, 5800, 60_000],
  ['more', 6100, 1000, 60_000],
  ['much more', 24_100, 1000, 300_000],
  ['one long test', 16_000, 15_500, 300_000],
  ['a suite that tells no durations', 6000, undefined, 15_000],
])('a candidate may take 2.5 times what the baseline took: %s', (_, baselineMs, longest, limit) => {
  expect(limitOf(baselineMs, longest)).toBe(limit);
});
it('never takes more than the run may', () => {
  expect(limitOf(900, 200, 10_000)).toBe(10_000);
  expect(limitOf(9000, 200, 20_000)).toBe(20_000);
});
