import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLinearly, findMatches } from '../../src/locate/find-matches.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function check(text: string, pattern: string, expected: number[], limit = 100): void {
  expect(findMatches(bytes(text), bytes(pattern), 0, text.length, limit)).toEqual(expected);
  expect(findLinearly(bytes(text), bytes(pattern), 0, text.length, limit)).toEqual(expected);
}

test('lists every place, overlapping ones too', () => {
  check('aaa', 'aa', [0, 1]);
  check('abcabc', 'abc', [0, 3]);
  check('abababab', 'abab', [0, 2, 4]);
  check('abc', 'abcd', []);
  check('', 'a', []);
  check('xay', 'a', [1]);
});

test('stops at the limit', () => {
  check('aaaaaa', 'a', [0, 1], 2);
});

test('looks only between the bounds', () => {
  expect(findMatches(bytes('abcabc'), bytes('abc'), 1, 6, 10)).toEqual([3]);
  expect(findMatches(bytes('abcabc'), bytes('abc'), 0, 5, 10)).toEqual([0]);
  expect(findMatches(bytes('abc'), bytes(''), 0, 3, 10)).toEqual([]);
});

test('agrees with a slow search, also where it has to change its method', () => {
  const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 400 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(words, fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 }), (text, letters) => {
      const pattern = letters.join('');
      const slow = [...text].flatMap((_, i) => (text.startsWith(pattern, i) ? [i] : []));
      check(text, pattern, slow, 1000);
    }),
    { numRuns: 300 },
  );
  const many = 'a'.repeat(20_000);
  const half = `${'a'.repeat(500)}b${'a'.repeat(500)}`;
  expect(findMatches(bytes(many), bytes(half), 0, many.length, 10)).toEqual([]);
  expect(findMatches(bytes(many + half), bytes(half), 0, many.length + half.length, 10)).toEqual([many.length]);
});
