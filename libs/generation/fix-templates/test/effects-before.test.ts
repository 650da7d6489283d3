import { expect, test } from 'vitest';
import { hasEffectBefore } from '../src/effects-before.ts';
import { readSites } from '../src/read-sites.ts';
import { sharedParser } from './results-of.ts';

/** `«…»` marks the part. */
async function isAfterEffect(path: string, marked: string): Promise<boolean> {
  const source = marked.replace(/[«»]/g, '');
  const line = marked.slice(0, marked.indexOf('«')).split('\n').length;
  const file = readSites(path, source, [{ first: line, last: line }], await sharedParser(), 4_000);
  const [site] = file?.sitesOf({ first: line, last: line }) ?? [];
  if (site === undefined) throw new Error(`no statement in ${marked}`);
  return hasEffectBefore(site, [marked.indexOf('«'), marked.indexOf('»') - 1]);
}

test.each([
  ['a.js', 'if («i < n» && i++ < 9) f();', false],
  ['a.js', 'if (i++ < 9 && «i < n») f();', true],
  ['a.js', 'if («i++ < 9 && i < n») f();', true],
  ['a.js', 'f(«i - 1», g(i));', false],
  ['a.js', 'f(g(i), «i - 1»);', true],
  ['a.js', 'const a = «i - 1»;', false],
  ['a.js', 'const a = 1, b = «a - 1»;', true],
  ['a.js', 'const { a = «i - 1» } = f(i);', true],
  ['a.js', 'x = y = «i - 1»;', false],
  ['a.js', 'x = (y = 1) + «y»;', true],
  ['a.py', 'x = «a - 1»', false],
  ['a.py', 'x += «a - 1»', false],
  ['a.py', 'f(x)[«a - 1»] = 1', true],
  ['a.py', 'xs[«a - 1»] = f(a)', true],
  ['a.py', 'x = «a - 1» if f(a) else b', true],
  ['a.py', 'x = 0 if «a < 1» else f(a)', true],
  ['a.py', 'x = (y := 1) + «y»', true],
  ['a.py', 'x = len(xs) > 1 and «xs[0]»', false],
  ['a.py', 'while «a < 1»:\n    a = f(a)', false],
] as const)('%s: %s', async (path, marked, isAfter) => {
  expect(await isAfterEffect(path, marked)).toBe(isAfter);
});
