import type { CandidateBatch, ProposedEdit } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { orderProposals, proposeEdits } from '../src/index.ts';
import { sharedParser } from './results-of.ts';

const edit = (name: string, score?: number): ProposedEdit => ({
  candidate_id: name.padEnd(64, '0'),
  origin: 'templates',
  file: 'm.py',
  provenance: name,
  ...(score === undefined ? {} : { score }),
});
const batch = (...candidates: ProposedEdit[]): CandidateBatch => ({
  target: { file: 'm.py', span: [1, 1] },
  format: 'search_replace',
  candidates,
  regenerate: false,
  origin: 'templates',
});
const names = (edits: readonly ProposedEdit[]) => edits.map(({ provenance }) => provenance).join('');

describe('orderProposals', () => {
  test('merges by score, ties in the order given, edits without a score last', () => {
    const batches = [batch(edit('a', 0.5), edit('b', 0.2), edit('c')), batch(edit('d', 0.9), edit('e', 0.2))];
    expect(names(orderProposals(batches, { limit: 10 }))).toBe('dabec');
  });

  test('keeps the limit and drains nothing it need not', () => {
    const batches = [batch(edit('a', 0.5), edit('b', 0.2)), batch(edit('d', 0.9))];
    expect(names(orderProposals(batches, { limit: 2 }))).toBe('da');
    expect(orderProposals(batches, { limit: 0 })).toEqual([]);
    expect(orderProposals([], { limit: 5 })).toEqual([]);
  });

  test('gives every suspicious statement its likeliest changes before the far ones of the first', async () => {
    const text = [
      'def f(a, b, c, d, e, g):',
      '    h = max(a, b, c, d, e, g) + a * b',
      '    if h > a and not b:',
      '        return c[d] + e',
      '    return h < g',
    ].join('\n');
    const targets = [2, 3, 4, 5].map((first, index) => ({ file: 'm.py', first, last: first, score: 1 - index / 10 }));
    const parser = await sharedParser();
    const ordered = orderProposals(proposeEdits({ files: [{ path: 'm.py', text }], targets, parser }), {
      limit: 1_000,
    });
    const firstOf = (line: number) => ordered.findIndex(({ span }) => span?.[0] === line);
    const farVariables = ordered.findIndex(({ template }) => template === 'variable/value-far');
    for (const line of [2, 3, 4, 5]) {
      expect(firstOf(line)).toBeGreaterThanOrEqual(0);
      expect(firstOf(line)).toBeLessThan(farVariables);
    }
    expect(ordered.slice(0, 40).filter(({ template = '' }) => template.startsWith('variable/')).length).toBeLessThan(
      25,
    );
    expect(new Set(ordered.slice(0, 20).map(({ template = '' }) => template.split('/')[0])).size).toBeGreaterThan(4);
  });
});
