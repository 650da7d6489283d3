import { describe, expect, it } from 'vitest';
import { compareTrees } from '../src/compare-trees.ts';
import { changed, treeOf } from './draw-baseline.ts';

const files = { 'a/x': '1', 'a/y': '1', 'b/c/z': '1', 'root.txt': '1' };
const compare = (edits: Record<string, string | null>) => compareTrees(treeOf(files), changed(files, edits));

describe('compareTrees', () => {
  it('lists what changed, came and went, by path', () => {
    const { changes } = compare({ 'root.txt': '2', 'a/x': null, new: '1' });
    expect([...changes]).toEqual([
      ['a/x', 'removed'],
      ['new', 'added'],
      ['root.txt', 'changed'],
    ]);
  });

  it.each<[string, Record<string, string | null>, string[]]>([
    ['a changed file', { 'a/x': '2' }, []],
    ['an added file', { 'a/w': '1' }, ['a']],
    ['a removed file', { 'a/x': null }, ['a']],
    ['a folder that came', { 'b/d/w': '1' }, ['b', 'b/d']],
    ['folders that went with their last file', { 'b/c/z': null }, ['', 'b', 'b/c']],
    ['a folder whose files were all replaced', { 'b/c/z': null, 'b/c/w': '1' }, ['', 'b', 'b/c']],
    ['a file of the root', { 'root.txt': null }, ['']],
  ])('knows the listings that %s changes', (_, edits, expected) => {
    const difference = compare(edits);
    expect(['', 'a', 'b', 'b/c', 'b/d'].filter(difference.listingChanged)).toEqual(expected);
  });

  it('knows files and folders that came', () => {
    const difference = compare({ 'd/e/f': '1', 'a/w': '1' });
    const asked = ['d', 'd/e', 'd/e/f', 'd/e/f/g', 'a', 'a/w', 'a/x', 'none'];
    expect(asked.filter(difference.appeared)).toEqual(['d', 'd/e', 'd/e/f', 'a/w']);
  });
});
