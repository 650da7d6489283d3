import { existsSync, readFileSync } from 'node:fs';
import { sha256Hex } from '@h/contracts';
import { createParser, type Parser } from '@h/syntax';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DedupError, type DedupResult, deduplicate } from '../src/index.ts';
import { candidate } from './candidates.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

interface Case {
  readonly language: string;
  readonly a: string;
  readonly b: string;
  readonly same: boolean;
  readonly why: string;
}
const own = new URL('cases/dedup.json', import.meta.url);
const shared = new URL('../../../../../shared/cases/dedup.json', import.meta.url);
const cases: Case[] = JSON.parse(readFileSync(own, 'utf8'));
const EXTENSIONS: Record<string, string> = { python: 'py', javascript: 'js', typescript: 'ts', tsx: 'tsx' };

function isSame(language: string, a: string, b: string): boolean {
  const path = `f.${EXTENSIONS[language]}`;
  const snapshot = language === 'python' ? 'other = 0\n' : 'let other = 0;\n';
  const result = deduplicate([candidate('a', path, snapshot, a), candidate('b', path, snapshot, b)], { parser });
  expect(result.compared_as_bytes, 'both texts parse').toEqual([]);
  expect(result.no_ops).toEqual([]);
  return result.kept.length === 1;
}

describe('cases', () => {
  test.runIf(existsSync(shared))('are those of ../shared', () => {
    expect(readFileSync(own, 'utf8')).toBe(readFileSync(shared, 'utf8'));
  });

  test.each(cases)('$language: $why ($same)', ({ language, a, b, same }) => {
    expect(isSame(language, a, b)).toBe(same);
  });
});

describe('classes', () => {
  const base = 'def f(a):\n    return a\n';
  const name = (result: DedupResult<ReturnType<typeof candidate>>) =>
    result.kept.map(({ candidate_id }) => candidate_id);
  const x = candidate('x', 'a.py', base, 'def f(a):\n    return a + 1\n');
  const commented = candidate('commented', 'a.py', base, 'def f(a):  # one more\n    return (a\n        + 1)\n');
  const spaced = candidate('spaced', 'a.py', base, 'def f(a):\n    return a+1\n');
  const again = candidate('again', 'a.py', base, 'def f(a):\n    return a + 1\n');
  const other = candidate('other', 'a.py', base, 'def f(a):\n    return a - 1\n');

  test('keep the first member, count the others as votes and name the rung', () => {
    const result = deduplicate([other, x, spaced, again, commented], { parser });
    expect(name(result)).toEqual([other, x, commented].map(({ candidate_id }) => candidate_id));
    expect(result.votes).toEqual({ [other.candidate_id]: 1, [x.candidate_id]: 3, [commented.candidate_id]: 1 });
    expect(result.collapsed).toMatchObject([
      { kept: x.candidate_id, dropped: spaced.candidate_id, rung: 'tokens' },
      { kept: x.candidate_id, dropped: again.candidate_id, rung: 'bytes' },
    ]);
    expect(result.dropped).toEqual({ [x.candidate_id]: [spaced, again] });
    const [{ witness } = { witness: '' }] = deduplicate([commented, x, spaced], { parser }).collapsed;
    expect(result.collapsed.map((one) => one.witness === witness)).toEqual([true, false]);
  });

  test('do not depend on the order of the candidates', () => {
    const all = [x, commented, spaced, again, other];
    const classesOf = (order: typeof all) => {
      const { kept, collapsed } = deduplicate(order, { parser });
      const classes = kept.map(({ candidate_id }) => [
        candidate_id,
        ...collapsed.filter((one) => one.kept === candidate_id).map(({ dropped }) => dropped),
      ]);
      return classes.map((members) => members.sort()).sort();
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
        expect(classesOf(order)).toEqual(classesOf(all));
      }),
      { numRuns: 50 },
    );
  });

  test('are the same when their members are deduplicated again', () => {
    const { kept } = deduplicate([other, x, spaced, again, commented], { parser });
    const second = deduplicate(kept, { parser });
    expect(second.kept).toEqual(kept);
    expect(second.collapsed).toEqual([]);
  });

  test('have the same bytes on a second run', () => {
    const run = () => JSON.stringify(deduplicate([other, x, spaced, again, commented], { parser }));
    expect(run()).toBe(run());
  });

  test('tell the same tokens in another file, or elsewhere in one, apart', () => {
    const text = 'a = 1\nb = 1\na = 1\nb = 1\n';
    const first = candidate('first', 'a.py', text, 'a = 2\nb = 1\na = 1\nb = 1\n');
    const second = candidate('second', 'a.py', text, 'a = 1\nb = 1\na = 2\nb = 1\n');
    const elsewhere = candidate('elsewhere', 'b.py', text, 'a = 2\nb = 1\na = 1\nb = 1\n');
    expect(deduplicate([first, second, elsewhere], { parser }).kept).toEqual([first, second, elsewhere]);
  });

  test('take an inserted twin before and after a statement as the one program it is', () => {
    const text = 'f()\ng()\n';
    const before = candidate('before', 'a.py', text, 'f()\nf()\ng()\n');
    const after = candidate('after', 'a.py', text, 'f()\n# again\nf()\ng()\n');
    expect(deduplicate([before, after], { parser }).kept).toEqual([before]);
  });

  test('join files: a comment changed in one more file is no difference', () => {
    const one = { candidate_id: sha256Hex('one'), files: [{ path: 'a.py', before: 'a = 1\n', after: 'a = 2\n' }] };
    const two = {
      candidate_id: sha256Hex('two'),
      files: [...one.files, { path: 'b.py', before: 'b\n', after: 'b  # b\n' }],
    };
    const reversed = { candidate_id: sha256Hex('reversed'), files: [...two.files].reverse() };
    const three = {
      candidate_id: sha256Hex('three'),
      files: [...one.files, { path: 'b.py', before: 'b\n', after: 'c\n' }],
    };
    const result = deduplicate([one, two, reversed, three], { parser });
    expect(result.kept).toEqual([one, three]);
    expect(result.collapsed.map(({ rung }) => rung)).toEqual(['tokens', 'tokens']);
  });

  test('tell created, emptied and deleted files apart', () => {
    const create = candidate('create', 'b.py', undefined, 'b = 1\n');
    const created = candidate('created', 'b.py', undefined, 'b = 1  # one\n');
    const emptied = candidate('emptied', 'a.py', 'a = 1\n', '');
    const deleted = candidate('deleted', 'a.py', 'a = 1\n', undefined);
    const result = deduplicate([create, created, emptied, deleted], { parser });
    expect(result.kept).toEqual([create, emptied, deleted]);
  });
});

describe('candidates that are the snapshot again', () => {
  test('are listed with the rung and kept by nobody', () => {
    const same = candidate('same', 'a.py', 'a = 1\n', 'a = 1\n');
    const commented = candidate('commented', 'a.py', 'a = 1\n', 'a = 1  # one\n');
    const result = deduplicate([same, commented], { parser });
    expect(result.kept).toEqual([]);
    expect(result.votes).toEqual({});
    expect(result.no_ops).toMatchObject([
      { candidate_id: same.candidate_id, rung: 'bytes' },
      { candidate_id: commented.candidate_id, rung: 'tokens' },
    ]);
  });
});

describe('texts that no parser reads whole', () => {
  const check = (path: string, before: string, a: string, b: string) =>
    deduplicate([candidate('a', path, before, a), candidate('b', path, before, b)], { parser });

  test('of an unknown language are equal only by their bytes, and that is said', () => {
    const different = check('a.rb', 'x = 1\n', 'x = 2\n', 'x = 2 # two\n');
    expect(different.kept).toHaveLength(2);
    expect(different.compared_as_bytes.map(({ path, why }) => [path, why])).toEqual([
      ['a.rb', 'unknown_language'],
      ['a.rb', 'unknown_language'],
    ]);
    expect(check('a.rb', 'x = 1\n', 'x = 2\n', 'x = 2\n').collapsed).toMatchObject([{ rung: 'bytes' }]);
  });

  test('with errors in them likewise', () => {
    const result = check('a.py', 'x = 1\n', 'x = (\n', 'x = ( # open\n');
    expect(result.kept).toHaveLength(2);
    expect(result.compared_as_bytes.map(({ why }) => why)).toEqual(['partial_tree', 'partial_tree']);
  });

  test('of a language that was not loaded likewise', async () => {
    const python = await createParser({ languages: ['python'] });
    const one = candidate('a', 'a.js', 'f();\n', 'g();\n');
    expect(deduplicate([one], { parser: python }).compared_as_bytes).toMatchObject([{ why: 'language_not_loaded' }]);
    python.dispose();
  });

  test('that are not UTF-8 are never taken for the UTF-8 text they look like', () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('# coding: latin-1\ns = "'), 0xe9, 0x22, 10]);
    const latin = { candidate_id: sha256Hex('latin'), files: [{ path: 'a.py', before: 's = 1\n', after: bytes }] };
    const utf8 = candidate('utf8', 'a.py', 's = 1\n', '# coding: latin-1\ns = "é"\n');
    expect(deduplicate([latin, utf8], { parser }).kept).toHaveLength(2);
  });
});

describe('profile seed', () => {
  test('merges by the letter of the seed, comment lines and all white space aside', () => {
    const before = 'x = 0\n';
    const a = candidate('a', 'a.py', before, 'if a:\n    b()\n    c()\n');
    const b = candidate('b', 'a.py', before, 'if a:\n    b()\n# c next\nc()\n\n');
    expect(deduplicate([a, b], { parser }).kept).toHaveLength(2);
    const { kept, collapsed } = deduplicate([a, b], { parser, profile: 'seed' });
    expect(kept).toEqual([a]);
    expect(collapsed).toMatchObject([{ rung: 'seed' }]);
  });
});

describe('misuse', () => {
  test('candidates of two snapshots are refused', () => {
    const one = candidate('one', 'a.py', 'a = 1\n', 'a = 2\n');
    const two = candidate('two', 'a.py', 'a = 3\n', 'a = 2\n');
    const caught = (() => {
      try {
        return deduplicate([one, two], { parser });
      } catch (error) {
        return error;
      }
    })();
    expect(caught).toBeInstanceOf(DedupError);
    expect(caught).toMatchObject({ code: 'mixed_snapshots', retryable: false });
  });
});

test('a file of more than 1 MiB is compared by its bytes, and that is said', () => {
  const large = 'x = 1\n'.repeat(200_000);
  const result = deduplicate(
    [candidate('a', 'f.py', 'y = 0\n', large), candidate('b', 'f.py', 'y = 0\n', `${large}# z\n`)],
    {
      parser,
    },
  );
  expect(result.kept).toHaveLength(2);
  expect(result.compared_as_bytes.map(({ why }) => why)).toEqual(['too_large', 'too_large']);
});
