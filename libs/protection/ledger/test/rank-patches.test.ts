import { type LedgerEntry, PatchRanking, sha256Hex } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLedger, rankPatches } from '../src/index.ts';
import { type Outcomes, runOf } from './test-runs.ts';

const baseline = runOf({ bug: 'failed', a: 'passed', b: 'passed' });
const impact = {
  obligations: [
    { behavior: 'x', impact_source: 'x -> y', tests: ['a'] },
    { behavior: 'y', impact_source: 'x -> z', tests: ['b'] },
  ],
};
const entryOf = (name: string, after: Outcomes, analysed = true): LedgerEntry =>
  buildLedger({
    patch_id: sha256Hex(name),
    baseline,
    candidate: runOf(after),
    failing: ['bug'],
    impact: analysed ? impact : 'not_analysed',
  });

const good: Outcomes = { bug: 'passed', a: 'passed', b: 'passed' };
const entries = {
  proven: entryOf('proven', good),
  incomplete: entryOf('incomplete', { ...good, bug: 'failed' }),
  unproven: entryOf('unproven', good, false),
  one: entryOf('one', { ...good, a: 'failed' }),
  two: entryOf('two', { ...good, a: 'failed', b: 'error' }),
};
const names = new Map(Object.keys(entries).map((name) => [sha256Hex(name), name]));
const order = ({ ranked }: PatchRanking) => ranked.map(({ patch_id }) => names.get(patch_id) ?? patch_id);

describe('rankPatches', () => {
  it('puts status first, then the fix, then what differs', () => {
    const ranking = rankPatches(Object.values(entries).reverse());
    expect(order(ranking)).toEqual(['proven', 'incomplete', 'unproven', 'one', 'two']);
    expect(ranking).not.toHaveProperty('undecided');
    expect(PatchRanking.parse(ranking)).toEqual(ranking);
  });

  it('says what placed a patch', () => {
    expect(rankPatches([entries.one], { votes: { [sha256Hex('one')]: 3 } }).ranked).toEqual([
      {
        patch_id: sha256Hex('one'),
        regression_status: 'DIVERGENT',
        fix: 'unknown',
        votes: 3,
        evidenced_share: 0.5,
        reasons: [
          'regression status DIVERGENT',
          'fix unknown',
          'accidental differences: 1',
          'obligations with evidence: 50 %',
          'untested obligations: 1',
          'votes: 3',
        ],
      },
    ]);
  });

  it('decides by votes where the ledgers do not, and says when nothing does', () => {
    const [x, y] = [entryOf('x', good), entryOf('y', good)];
    expect(rankPatches([x, y], { votes: { [sha256Hex('y')]: 2 } }).ranked[0]?.patch_id).toBe(sha256Hex('y'));
    const tied = rankPatches([y, x]);
    expect(tied.ranked.map(({ patch_id }) => patch_id)).toEqual([sha256Hex('y'), sha256Hex('x')]);
    expect(tied.undecided).toMatch(/^2 patches share the first place/);
  });

  it('prefers more evidence, then fewer gaps', () => {
    const gaps = (name: string, ...tests: string[][]) =>
      buildLedger({
        patch_id: sha256Hex(name),
        baseline,
        candidate: runOf(good),
        failing: ['bug'],
        impact: { obligations: tests.map((of, n) => ({ behavior: `${n}`, impact_source: 'x -> y', tests: of })) },
      });
    const ranked = rankPatches([
      gaps('none', []),
      gaps('third', ['a'], [], []),
      gaps('half', ['a'], []),
      gaps('many', [], []),
    ]);
    expect(ranked.ranked.map(({ patch_id }) => patch_id)).toEqual(['half', 'third', 'none', 'many'].map(sha256Hex));
  });

  it('ranks nothing', () => expect(rankPatches([])).toEqual({ ranked: [] }));

  it('has no evidence to share where there is no obligation', () => {
    const empty = buildLedger({
      patch_id: sha256Hex('e'),
      baseline,
      candidate: baseline,
      failing: [],
      impact: { obligations: [] },
    });
    expect(rankPatches([empty]).ranked[0]?.evidenced_share).toBe(0);
  });

  it('never puts a worse status first, and is the same whatever the order of patches that differ', () => {
    const rank = { PROTECTED: 0, UNPROVEN: 1, DIVERGENT: 2 };
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.values(entries)), (some) => {
        const ranking = rankPatches(some);
        const ranks = ranking.ranked.map(({ regression_status }) => rank[regression_status]);
        expect(ranks).toEqual([...ranks].sort());
        expect(rankPatches([...some].reverse())).toEqual(ranking);
      }),
    );
  });
});
