import { describe, expect, it } from 'vitest';
import { selectTests, verifySelection } from '../src/index.ts';
import { dependencies, reportOf, result, shaOf, treeOf } from './draw-baseline.ts';

const tree = treeOf({ 'a.py': '1', 'b.py': '2' });
const baseline = reportOf([
  result('ta', { dependencies: dependencies({ files: tree.slice(0, 1), missing: ['c.py'] }) }),
  result('tb', { dependencies: dependencies({ files: tree.slice(1) }) }),
]);
const good = selectTests({ baseline, before: tree, after: tree, tests: baseline.tests });

describe('verifySelection', () => {
  it('has nothing to say of a right selection', () => expect(verifySelection(good, baseline, tree)).toEqual([]));

  it.each([
    ['a test that is not listed', { ...good, skipped: good.skipped.slice(1) }, tree, 'ta is not listed.'],
    ['a test that is listed twice', { ...good, selected: [{ test: 'ta', why: '' }] }, tree, 'A test is listed twice.'],
    [
      'a changed file',
      good,
      treeOf({ 'a.py': 'x', 'b.py': '2' }),
      'ta must not be skipped: a.py is not as it was recorded.',
    ],
    ['a removed file', good, treeOf({ 'a.py': '1' }), 'tb must not be skipped: b.py is not as it was recorded.'],
    [
      'a path that came',
      good,
      treeOf({ 'a.py': '1', 'b.py': '2', 'c.py': '' }),
      'ta must not be skipped: c.py is there now.',
    ],
    [
      'a witness that lacks a file',
      { ...good, skipped: good.skipped.map((skip) => ({ ...skip, witness: [shaOf('1')] })) },
      tree,
      'tb must not be skipped: the witness lacks b.py.',
    ],
  ])('sees %s', (_, selection, after, problem) =>
    expect(verifySelection(selection, baseline, after)).toEqual([problem]),
  );

  it('takes no skip of a test without a stable result or known dependencies', () => {
    const worse = reportOf([
      { ...result('ta'), outcome: 'failed' },
      { ...result('tb'), dependencies: dependencies({ complete: false }) },
    ]);
    expect(verifySelection(good, worse, tree)).toHaveLength(2);
  });
});
