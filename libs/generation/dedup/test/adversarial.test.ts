// The families of the field guide (shared/field/edit-apply-dedup-generation.md §7): issue 6, clause 10, "zero false merges".
import { createParser, type Parser } from '@h/syntax';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deduplicate } from '../src/index.ts';
import { JAVASCRIPT } from './adversarial/javascript.ts';
import { JAVASCRIPT_NAMES, OTHER, TSX, TYPESCRIPT } from './adversarial/javascript-names.ts';
import { type Pair, PYTHON } from './adversarial/python.ts';
import { PYTHON_VALUES } from './adversarial/python-values.ts';
import { candidate } from './candidates.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const FAMILIES: readonly (readonly [extension: string, families: Readonly<Record<string, readonly Pair[]>>])[] = [
  ['py', { ...PYTHON, ...PYTHON_VALUES }],
  ['js', { ...JAVASCRIPT, ...JAVASCRIPT_NAMES }],
  ['tsx', TSX],
  ['ts', TYPESCRIPT],
];
const flat = FAMILIES.flatMap(([extension, families]) =>
  Object.entries(families).map(([family, pairs]) => [extension, family, pairs] as const),
);

test.each(flat)('%s, %s: ten pairs, all different on every rung', (extension, _family, pairs) => {
  expect(pairs.length).toBeGreaterThanOrEqual(10);
  const merged = pairs.filter(([a, b]) => areMerged(`f.${extension}`, a, b));
  expect(merged).toEqual([]);
});

test('layout of other languages: ten pairs, compared by their bytes', () => {
  const pairs = Object.entries(OTHER).flatMap(([extension, all]) =>
    all.map((pair) => [`f.${extension}`, ...pair] as const),
  );
  expect(pairs.length).toBeGreaterThanOrEqual(10);
  expect(pairs.filter(([path, a, b]) => areMerged(path, a, b))).toEqual([]);
});

describe('line ends alone are no difference', () => {
  const texts = Object.values({ ...PYTHON, ...JAVASCRIPT }).flatMap((pairs) => pairs.slice(0, 2).map(([a]) => a));
  test.each([
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('%s', (_name, end) => {
    const lines = texts.filter((text) => text.includes('\n') && !/[\r\\]/.test(text) && !text.startsWith('#!'));
    expect(lines.length).toBeGreaterThanOrEqual(10);
    const apart = lines.filter((text) => {
      const path = Object.values(PYTHON).some((pairs) => pairs.some(([a]) => a === text)) ? 'f.py' : 'f.js';
      return !areMerged(path, text, text.replaceAll('\n', end), 'tokens');
    });
    expect(apart).toEqual([]);
  });
});

/** The pairs are written with § for the dollar of a template, which a linter takes for a mistake in a plain string. */
const plain = (text: string) => text.replaceAll('§', '$');

/** Whether two texts fall into one class; both stand at the end of a longer file too, so that they are read by their change alone. */
function areMerged(path: string, givenA: string, givenB: string, rung: 'tokens' | 'names' = 'names'): boolean {
  const [a, b] = [plain(givenA), plain(givenB)];
  const before = path.endsWith('.py') ? 'zz = 0\nzy = 1\nzx = 2\n' : 'zz = 0;\nzy = 1;\nzx = 2;\n';
  const both = ['', before].map((head) => {
    const [one, other] = [head + a, head + b];
    const result = deduplicate([candidate('a', path, before, one), candidate('b', path, before, other)], {
      parser,
      rung,
    });
    return result.kept.length < 2;
  });
  if (/^(?:#|<!--|\/\*\*? @|\/\/ @|\/\/\/)/.test(a) || /^['"(]/.test(a)) return both[0] === true; // speaks of the start of a file
  expect(both[1], `${a} / ${b} after other statements`).toBe(both[0]);
  return both[0] === true;
}
