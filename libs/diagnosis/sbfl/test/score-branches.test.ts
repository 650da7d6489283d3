import type { Spectrum, TestOutcome } from '@h/contracts';
import { createParser, type Outline } from '@h/syntax';
import { beforeAll, describe, expect, test } from 'vitest';
import { ochiai, rankStatements, scoreBranches, spectrumFromReport } from '../src/index.ts';

const source = `def mid(a):
    low = a
    if a > 3:
        low = 3
        other = 4
    else:
        low = 1
    for i in low:
        use(i)
    return low
`;
let outline: Outline;
beforeAll(async () => {
  const parser = await createParser({ languages: ['python'] });
  outline = parser.outline(source, 'python');
  parser.dispose();
});

/** `F2-10 P2-3,…`: outcome and the lines that the test executed. */
function draw(runs: string): Spectrum {
  const tests = runs.split(' ').map((run, index) => ({
    test: `t${index}`,
    outcome: (run.startsWith('F') ? 'failed' : 'passed') as TestOutcome,
    coverage: [{ file: 'a.py', lines: run.slice(1) }],
  }));
  return spectrumFromReport({ tests, collection_errors: [] }, { 'a.py': outline });
}

const score = (failed: number, passed: number) => ochiai({ failed, passed, totalFailed: 2, totalPassed: 2 });

describe('clause 1: the best adjacent branch', () => {
  // Two fail: both skip the loop, one takes the else. Of the two that pass both enter the loop, one takes each side.
  const runs = 'F2-3,7-8,10 F2-5,8,10 P2-5,8-10 P2-3,7-10';

  test('the one into its block; of a compound statement also into its blocks and past them', () => {
    const branches = scoreBranches(draw(runs), { 'a.py': outline });
    expect(branches).toEqual({
      'a.py:2': score(2, 2),
      // into either side 1 and 1, into the block it stands in 2 and 2
      'a.py:3': score(2, 2),
      'a.py:4': score(1, 1),
      'a.py:5': score(1, 1),
      'a.py:7': score(1, 1),
      // into the loop 0 failing and 2 passing, past it 2 failing and 0 passing
      'a.py:8': score(2, 0),
      'a.py:9': score(0, 2),
      'a.py:10': score(2, 2),
    });
    expect(branches['a.py:8']).toBe(1);
  });

  test('it orders what score and recency leave equal: the loop that failing tests skip comes first', () => {
    const spectrum = draw(runs);
    const places = (options: object) => rankStatements(spectrum, options).statements.map(({ location }) => location);
    const adjacentBranch = scoreBranches(spectrum, { 'a.py': outline });
    const reserve = ['a.py:2', 'a.py:3', 'a.py:8', 'a.py:10'];
    expect(places({}).filter((at) => reserve.includes(at))).toEqual(reserve);
    expect(places({ adjacentBranch }).filter((at) => reserve.includes(at))).toEqual([
      'a.py:8',
      'a.py:2',
      'a.py:3',
      'a.py:10',
    ]);
    // Recency is asked first.
    const lastLines = { t0: ['a.py:10', 'a.py:8', 'a.py:3', 'a.py:2'] };
    expect(places({ adjacentBranch, lastLines }).filter((at) => reserve.includes(at))).toEqual([
      'a.py:10',
      'a.py:8',
      'a.py:3',
      'a.py:2',
    ]);
  });

  test('the order by formula never changes', () => {
    const spectrum = draw('F2-5,8,10 P2-3,7-10 P2-3,7-8,10');
    const scores = (options: object) =>
      rankStatements(spectrum, options).statements.map(({ tier, score: value }) => [tier, value]);
    expect(scores({ adjacentBranch: scoreBranches(spectrum, { 'a.py': outline }) })).toEqual(scores({}));
  });

  test('no outline, no blocks, a block that ran without its owner: no branch', () => {
    const spectrum = draw(runs);
    expect(scoreBranches(spectrum, {})).toEqual({});
    expect(scoreBranches(spectrum, { 'a.py': { statements: outline.statements, blocks: [] } })).toEqual({});
    const odd = draw('F9 P2');
    expect(scoreBranches(odd, { 'a.py': outline })['a.py:8']).toBe(
      ochiai({ failed: 1, passed: 0, totalFailed: 1, totalPassed: 1 }),
    );
  });
});
