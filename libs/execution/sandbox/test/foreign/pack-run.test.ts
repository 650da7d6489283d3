import picomatch from 'picomatch';
import { expect, it } from 'vitest';
import { canBeDescribed, findPattern } from '../../src/foreign/pack-run.ts';

const PATHS = [
  'a',
  'b.json',
  'a/b',
  'a/b.json',
  'a/c/b.json',
  '.h/e-1.ndjson',
  '.h/e-2.ndjson',
  '.h/x/e-3.ndjson',
  'é/x',
  'a+b/c',
];
const GLOBS = [
  ...['**', '*', '**/*.json', 'a/**', 'a/**/b.json', 'a/*', '.h/e-?.ndjson', '.h/**/e-*.ndjson', './a/b', '?/x'],
  ...['{a,b}/**', 'a/[bc]*', '!(a)', '!a/**', 'a+b/*', 'a/{b,c/b}.json', '@(a|b)/*'],
];

/** As `find -path` reads what is left of a pattern: a star matches anything, also "/". */
function found(pattern: string, path: string): boolean {
  const words = pattern.split('*').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${words.join('.*')}$`, 's').test(`./${path}`);
}

it.each(GLOBS)('finds all that %s names', (glob) => {
  const pattern = findPattern(glob);
  expect(pattern).toMatch(/^\.\/[^?[\]\\]*$/);
  const matches = picomatch(glob, { dot: true });
  const named = PATHS.filter((path) => matches(path));
  expect(PATHS.filter((path) => found(pattern, path))).toEqual(expect.arrayContaining(named));
});

it('finds little besides', () => {
  expect(PATHS.filter((path) => found(findPattern('.h/e-*.ndjson'), path))).toEqual(
    PATHS.filter((path) => /^\.h\/e-/.test(path)),
  );
  expect(PATHS.filter((path) => found(findPattern('a/b'), path))).toEqual(['a/b']);
});

it('leaves what a shell could take for something else to runs apart', () => {
  const entry = (path: string) => [{ path, mode: 0o100644, sha: 'a'.repeat(64) }];
  expect(canBeDescribed(entry("it's $HOME.txt"), ['tool', 'new\nline'])).toBe(true);
  for (const path of ['new\nline', 'back\\slash', 'tab\t']) expect(canBeDescribed(entry(path), ['tool'])).toBe(false);
  for (const program of ['-x', 'A=b']) expect(canBeDescribed(entry('a'), [program])).toBe(false);
  expect(canBeDescribed(entry('a'), ['tool', 'x'.repeat(200_000)])).toBe(false);
});
