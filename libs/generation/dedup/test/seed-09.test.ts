// Seed 09, row 6 (§3.6), clause by clause, with contradiction 2 of design/seeds.md: the seed's own rule is a profile, the default is the one that is exact.
import { createParser, type Parser } from '@h/syntax';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deduplicate } from '../src/index.ts';
import { candidate } from './candidates.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const BASE = 'def f(a):\n    return a\n';
const of = (name: string, after: string) => candidate(name, 'a.py', BASE, after);
const PLUS = 'def f(a):\n    return a + 1\n';
const profiles = ['seed', 'tokens'] as const;
const kept = (texts: readonly string[], profile: (typeof profiles)[number]) => {
  const candidates = texts.map((text, index) => of(String(index), text));
  const ids = deduplicate(candidates, { parser, profile }).kept.map(({ candidate_id }) => candidate_id);
  return ids.map((id) => candidates.findIndex(({ candidate_id }) => candidate_id === id));
};

describe('§3.6 normalization rule: equivalent iff the normalized forms are identical', () => {
  test.each<[string, string]>([
    ['leading and trailing whitespace per line', 'def f(a):   \n    return a + 1\t\n'],
    ['internal runs of whitespace', 'def f(a):\n    return  a  +   1\n'],
    ['comment lines', 'def f(a):\n    # one more\n    return a + 1\n'],
    ['empty lines', 'def f(a):\n\n    return a + 1\n\n'],
  ])('%s make no difference, in either profile', (_, text) => {
    for (const profile of profiles) expect(kept([PLUS, text], profile), profile).toEqual([0]);
  });

  test('the exact rule: indentation is stripped, so a statement moved out of its block is the same to the seed, and only to it', () => {
    const inside = 'def f(a):\n    if a:\n        a = 1\n        b = 2\n    return a\n';
    const outside = 'def f(a):\n    if a:\n        a = 1\n    b = 2\n    return a\n';
    expect(kept([inside, outside], 'seed')).toEqual([0]);
    expect(kept([inside, outside], 'tokens')).toEqual([0, 1]);
  });
});

describe('§3.6 deduplication rule', () => {
  const texts = ['def f(a):\n    return a - 1\n', PLUS, 'def f(a):\n    return a  + 1\n', PLUS];

  test('one representative per normalized form, the first in the applied order', () => {
    for (const profile of profiles) expect(kept(texts, profile)).toEqual([0, 1]);
    for (const profile of profiles) expect(kept([...texts].reverse(), profile)).toEqual([0, 3]);
  });

  test('candidates of distinct forms stay distinct', () => {
    const distinct = ['+', '-', '*', '//'].map((operator) => `def f(a):\n    return a ${operator} 1\n`);
    for (const profile of profiles) expect(kept(distinct, profile)).toEqual([0, 1, 2, 3]);
  });

  test('the kept set is the input without the collapsed, and each collapsed one names its representative', () => {
    const candidates = texts.map((text, index) => of(String(index), text));
    const { kept: left, collapsed } = deduplicate(candidates, { parser });
    expect(left.length + collapsed.length).toBe(candidates.length);
    const ids = new Set(left.map(({ candidate_id }) => candidate_id));
    for (const one of collapsed) expect(ids.has(one.kept) && !ids.has(one.dropped)).toBe(true);
  });
});

test('§3 deterministic: same input, same bytes', () => {
  const text = () => JSON.stringify(deduplicate([of('a', PLUS), of('b', `${PLUS}\n`)], { parser }));
  expect(text()).toBe(text());
});
