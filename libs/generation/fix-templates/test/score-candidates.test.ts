import { describe, expect, test } from 'vitest';
import { PRIOR_TABLE } from '../src/prior-table.ts';
import { scoreReplacements, weighTargets } from '../src/score-candidates.ts';
import type { Template } from '../src/template.ts';

describe('weighTargets', () => {
  test('weighs by suspiciousness beside the highest and by rank', () => {
    expect(weighTargets([{ score: 0.8 }, { score: 0.4 }, { score: 0.2 }])).toEqual([1, 0.5 / 2, 0.25 / 3]);
    expect(
      weighTargets([
        { score: 2, rank: 1 },
        { score: 2, rank: 1 },
      ]),
    ).toEqual([1, 1]);
  });

  test('trusts a rank only half among neighbours of equal suspiciousness', () => {
    const weights = weighTargets([{ score: 0.8 }, { score: 0.8 }, { score: 0.8 }, { score: 0.4 }, { score: 0.4 }]);
    expect(weights).toEqual([1, 1 / 1.5, 1 / 2, 0.5 / 4, 0.5 / 4.5]);
    expect(
      weighTargets([
        { score: 1, rank: 3 },
        { score: 1, rank: 7 },
      ]),
    ).toEqual([1 / 3, 1 / 5]);
    expect(weighTargets([{ score: 1 }, { score: 0.5 }, { score: 1 }])).toEqual([1, 0.5 / 2, 1 / 3]);
  });

  test('bears scores that say nothing', () => {
    expect(weighTargets([{ score: 0 }, { score: 0 }])).toEqual([1, 1 / 1.5]);
    expect(weighTargets([{ score: 1 }, { score: -1 }])).toEqual([1, 0]);
    expect(weighTargets([])).toEqual([]);
  });
});

describe('PRIOR_TABLE', () => {
  test('holds shares', () => {
    const priors = Object.values(PRIOR_TABLE).flatMap((variants) => Object.values(variants));
    expect(priors.length).toBeGreaterThan(60);
    expect(priors.every((prior) => prior > 0 && prior < 1)).toBe(true);
  });

  test('ranks a boundary above an unrelated operator', () => {
    expect(PRIOR_TABLE['comparison-operator']?.boundary).toBeGreaterThan(
      10 * (PRIOR_TABLE['arithmetic-operator']?.distant ?? 1),
    );
  });

  test('knows variants that are named after an operator with a slash', () => {
    expect(PRIOR_TABLE['arithmetic-operator']?.['to//']).toBeLessThan(PRIOR_TABLE['arithmetic-operator']?.['to/'] ?? 0);
    const site = { source: 'a + b' } as Parameters<typeof scoreReplacements>[0];
    const template: Template = {
      name: 'arithmetic-operator',
      prior: 1,
      propose: () => [{ start: 0, end: 1, text: 'c', variant: 'to//' }],
    };
    expect(scoreReplacements(site, [template], { weight: 1 })[0]?.score).toBe(
      PRIOR_TABLE['arithmetic-operator']?.['to//'],
    );
  });
});
