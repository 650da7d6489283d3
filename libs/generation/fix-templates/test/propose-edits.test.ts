import { hashRecord, sha256Hex } from '@h/contracts';
import type { Parser } from '@h/syntax';
import { describe, expect, test } from 'vitest';
import { type CandidateBatch, orderProposals, proposeEdits, type RepairTarget, type Template } from '../src/index.ts';
import { appliedTo, sharedParser } from './results-of.ts';

const parser = await sharedParser();
const target = (file: string, first: number, last = first, score = 1): RepairTarget => ({ file, first, last, score });

/** A parser that counts how often it is asked. */
function counting(): { parser: Parser; calls: () => number } {
  let calls = 0;
  const counted = new Proxy(parser, {
    get(inner, key: keyof Parser) {
      if (key === 'outline' || key === 'names' || key === 'withTree') calls += 1;
      return inner[key];
    },
  });
  return { parser: counted, calls: () => calls };
}

function allOf(batches: Iterable<CandidateBatch>) {
  return [...batches].flatMap(({ candidates }) => candidates);
}

describe('proposeEdits', () => {
  test('gives one batch a target, in their order, best candidate first', () => {
    const text = 'def f(a, b):\n    if a < b:\n        return a\n    return b + 1\n';
    const targets = [target('m.py', 4), target('m.py', 2, 2, 0.5)];
    const batches = [...proposeEdits({ files: [{ path: 'm.py', text }], targets, parser })];
    expect(batches.map((batch) => batch.target)).toEqual([
      { file: 'm.py', span: [4, 4] },
      { file: 'm.py', span: [2, 2] },
    ]);
    for (const { candidates, format, origin, regenerate } of batches) {
      expect({ format, origin, regenerate }).toEqual({
        format: 'search_replace',
        origin: 'templates',
        regenerate: false,
      });
      const scores = candidates.map(({ score = 0 }) => score);
      expect(scores).toEqual([...scores].sort((left, right) => right - left));
      expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    }
  });

  test('fills the record as the contract says', () => {
    const text = 'if a < b:\n    pass\n';
    const files = [{ path: 'src/m.py', text }];
    const targets = [{ ...target('src/m.py', 1), function: 'C.f' }];
    const [first] = allOf(proposeEdits({ files, targets, parser }));
    const blocks = [{ search: '<', replace: '<=' }];
    expect(first).toEqual({
      candidate_id: hashRecord({ file: 'src/m.py', before: sha256Hex(text), span: [1, 1], blocks }),
      origin: 'templates',
      file: 'src/m.py',
      span: [1, 1],
      blocks,
      template: 'comparison-operator/boundary',
      score: expect.any(Number),
      provenance: 'comparison-operator/boundary at src/m.py:1:5 in C.f: < → <=',
    });
  });

  test('takes the hash of bytes that the text does not show', () => {
    const sha = sha256Hex('other bytes');
    const [first] = allOf(
      proposeEdits({ files: [{ path: 'm.py', text: 'x = a < b', sha }], targets: [target('m.py', 1)], parser }),
    );
    expect(first?.candidate_id).toBe(hashRecord({ file: 'm.py', before: sha, span: [1, 1], blocks: first?.blocks }));
  });

  test('parses a file when its first target is reached, and not again', () => {
    const files = Array.from({ length: 1000 }, (_, index) => ({
      path: `m${index}.py`,
      text: 'x = a < b and c\ny = x + 1\n',
    }));
    const targets = files.flatMap(({ path }) => [target(path, 1), target(path, 2)]);
    const counted = counting();
    const batches = proposeEdits({ files, targets, parser: counted.parser })[Symbol.iterator]();
    expect(counted.calls()).toBe(0);
    const taken = Array.from({ length: 10 }, () => batches.next().value as CandidateBatch);
    expect(taken.every(({ candidates }) => candidates.length > 5)).toBe(true);
    expect(counted.calls()).toBe(5 * 3);
  });

  test('never leads to one text twice, also across targets', () => {
    const text = 'def f(a, b):\n    return [a, a] if a < b else not b\n';
    const targets = [target('m.py', 2), target('m.py', 1, 2), target('m.py', 2)];
    const [first, ...others] = [...proposeEdits({ files: [{ path: 'm.py', text }], targets, parser })];
    const results = [first, ...others].flatMap((batch) => batch?.candidates ?? []).map((edit) => appliedTo(text, edit));
    expect(new Set(results).size).toBe(results.length);
    expect(results).not.toContain(text);
    expect(first?.candidates.length).toBeGreaterThan(10);
    expect(others.map(({ candidates }) => candidates)).toEqual([[], []]);
  });

  test('gives an empty batch for other languages, imports, blank lines and broken text', () => {
    const files = [
      { path: 'a.txt', text: 'a < b' },
      { path: 'b.py', text: 'import os\n\n# a < b\n' },
      { path: 'c.py', text: '((((' },
      { path: 'd.py', text: '' },
    ];
    const targets = [
      target('a.txt', 1),
      target('b.py', 1),
      target('b.py', 2),
      target('b.py', 3),
      target('c.py', 1),
      target('d.py', 9),
    ];
    const batches = [...proposeEdits({ files, targets, parser })];
    expect(batches.map(({ candidates }) => candidates)).toEqual([[], [], [], [], [], []]);
  });

  test('works in the sound part of a broken file', () => {
    const text = 'def f(a, b):\n    return a < b\n\ndef g(:\n';
    expect(
      allOf(proposeEdits({ files: [{ path: 'm.py', text }], targets: [target('m.py', 2)], parser })).length,
    ).toBeGreaterThan(3);
  });

  test('runs templates of the caller', () => {
    const shout: Template = {
      name: 'shout',
      prior: 0.5,
      *propose({ nodes, text }) {
        for (const node of nodes.filter(({ type }) => type === 'string')) {
          yield { start: node.start, end: node.end, text: text(node).toUpperCase(), variant: 'case' };
        }
      },
    };
    const files = [{ path: 'm.py', text: 'x = "a"\n' }];
    const [edit] = allOf(proposeEdits({ files, targets: [target('m.py', 1)], parser, templates: [shout] }));
    expect(edit).toMatchObject({ template: 'shout/case', score: 0.5, blocks: [{ search: '"a"', replace: '"A"' }] });
  });

  test('drops what changes nothing and what is too long to search for', () => {
    const odd: Template = {
      name: 'odd',
      *propose({ nodes: [statement], source }) {
        const { start = 0, end = 0 } = statement ?? {};
        yield { start, end, text: source.slice(start, end), variant: 'same' };
        yield { start, end, text: 'y'.repeat(5_000), variant: 'long' };
        yield { start, end, text: 'y', variant: 'short' };
      },
    };
    const files = [{ path: 'm.py', text: 'x = "a"\n' }];
    const found = allOf(proposeEdits({ files, targets: [target('m.py', 1)], parser, templates: [odd] }));
    expect(found.map(({ template }) => template)).toEqual(['odd/short']);
  });

  test('lets every kind have its turn', () => {
    const renaming = (name: string, texts: string[]): Template => ({
      name,
      prior: 0.5,
      propose: ({ nodes: [statement] }) =>
        texts.map((text) => ({ start: statement?.start ?? 0, end: statement?.end ?? 0, text, variant: 'to' })),
    });
    const files = [{ path: 'm.py', text: 'x = "a"\n' }];
    const templates = [renaming('one', ['a', 'b', 'c']), renaming('two', ['d'])];
    const found = allOf(proposeEdits({ files, targets: [target('m.py', 1)], parser, templates }));
    expect(found.map(({ blocks }) => blocks?.[0]?.replace).join('')).toBe('adbc');
  });

  test('keeps the best of a target', () => {
    const files = [{ path: 'm.py', text: 'x = a < b and c[i + 1] == d(e, f) or g\n' }];
    const all = allOf(proposeEdits({ files, targets: [target('m.py', 1)], parser }));
    const few = allOf(proposeEdits({ files, targets: [target('m.py', 1)], parser, limits: { perTarget: 7 } }));
    expect(all.length).toBeGreaterThan(20);
    expect(few).toEqual(all.slice(0, 7));
  });

  test('refuses misuse at once', () => {
    const files = [{ path: 'm.py', text: 'x = 1\n' }];
    const codeOf = (targets: RepairTarget[]) => {
      try {
        proposeEdits({ files, targets, parser });
        return 'accepted';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeOf([target('other.py', 1)])).toBe('file_missing');
    expect(codeOf([target('m.py', 0)])).toBe('bad_target');
    expect(codeOf([target('m.py', 3, 2)])).toBe('bad_target');
    expect(codeOf([target('m.py', 1.5)])).toBe('bad_target');
    expect(codeOf([target('m.py', 1)])).toBe('accepted');
  });

  test('gives the same bytes twice, and can be iterated twice', () => {
    const text = 'def f(a, b):\n    return a[b - 1] < 3 and not b.c("x")\n';
    const options = { files: [{ path: 'm.py', text }], targets: [target('m.py', 2)], parser };
    const batches = proposeEdits(options);
    const first = JSON.stringify([...batches]);
    expect(JSON.stringify([...batches])).toBe(first);
    expect(JSON.stringify([...proposeEdits(options)])).toBe(first);
    expect(JSON.stringify(orderProposals(batches, { limit: 5 }))).toBe(
      JSON.stringify(orderProposals(batches, { limit: 5 })),
    );
  });
});
