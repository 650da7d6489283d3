import type { EditPackage } from '@h/contracts';
import { expect, test } from 'vitest';
import { applyEdits, type SourceFiles } from '../../src/index.ts';

function diffs(files: SourceFiles, ...entries: EditPackage['files']): [diff: string, inverse: string] {
  const result = applyEdits(files, { files: entries });
  if (result.status === 'rejected') throw new Error(JSON.stringify(result.rejection));
  return [result.record.unified_diff.data, result.record.inverse_diff.data];
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('');
const replaceLines = (...lines: number[]): EditPackage['files'][number] => ({
  path: 'a',
  op: 'edit',
  blocks: lines.map((line) => ({ search: `${line}\n`, replace: 'x\n', expected_count: 1 })),
});

test('hunks have three lines of context and share it when at most six lines lie between', () => {
  const hunksOf = (first: number, second: number) =>
    [...diffs({ a: numbers(40) }, spanned(first), spanned(second))[0].matchAll(/^@@.*@@$/gm)].map(([header]) => header);
  const spanned = (line: number): EditPackage['files'][number] => ({ ...replaceLines(line), span: [line, line] });
  expect(hunksOf(10, 17)).toEqual(['@@ -7,14 +7,14 @@']);
  expect(hunksOf(10, 18)).toEqual(['@@ -7,7 +7,7 @@', '@@ -15,7 +15,7 @@']);
  expect(hunksOf(1, 40)).toEqual(['@@ -1,4 +1,4 @@', '@@ -37,4 +37,4 @@']);
});

test('an empty side names the line before it', () => {
  expect(diffs({}, { path: 'a', op: 'create', content: 'x\ny' })).toEqual([
    'diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n',
    'diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n\\ No newline at end of file\n',
  ]);
  expect(diffs({ a: 'x\n' }, { path: 'a', op: 'edit', content: '' })[0]).toContain('@@ -1,1 +0,0 @@\n-x\n');
  expect(diffs({ a: '' }, { path: 'a', op: 'edit', content: 'x\n' })[0]).toContain('@@ -0,0 +1,1 @@\n+x\n');
});

test('a missing line end is said on the side that lacks it', () => {
  expect(diffs({ a: 'x' }, { path: 'a', op: 'edit', content: 'x\n' })[0]).toContain(
    '-x\n\\ No newline at end of file\n+x\n',
  );
  expect(diffs({ a: 'x\ny' }, { path: 'a', op: 'edit', blocks: [{ search: 'x', replace: 'z' }] })[0]).toContain(
    '-x\n+z\n y\n\\ No newline at end of file\n',
  );
});

test('bytes that are not UTF-8 make the diff base64', () => {
  const result = applyEdits(
    { a: new Uint8Array([0xe9, 10, 97, 10]) },
    { file: 'a', blocks: [{ search: 'a', replace: 'b' }] },
  );
  const diff = result.status === 'applied' ? result.record.unified_diff : undefined;
  expect(diff?.encoding).toBe('base64');
  expect(Buffer.from(diff?.data ?? '', 'base64').toString('latin1')).toContain(' \u00e9\n-a\n+b\n');
});

test('a move keeps both names, a name with a blank ends with a tab, one with a quote is written as a C string', () => {
  expect(diffs({ 'a b': 'x\n' }, { path: 'a b', op: 'move', to: 'c "d"', content: 'y\n' })[0]).toBe(
    'diff --git a/a b "b/c \\"d\\""\nrename from a b\nrename to "c \\"d\\""\n--- a/a b\t\n+++ "b/c \\"d\\""\n@@ -1,1 +1,1 @@\n-x\n+y\n',
  );
});
