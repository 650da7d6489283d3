// Seed 09, the clauses that bind whatever proposes candidates, here without a model: §3.2, §3.4 and §4's record, read clause by clause.
import { hashRecord, ProposedEdit, sha256Hex } from '@h/contracts';
import { expect, test } from 'vitest';
import { orderProposals, proposeEdits } from '../src/index.ts';
import { sharedParser } from './results-of.ts';

const parser = await sharedParser();
const filler = Array.from({ length: 60 }, (_, i) => `        ${i},\n`).join('');
const SOURCES = {
  'm.py': `def f(a, b):\n    if a < b:\n        return a\n    c = [\n${filler}    ]\n    return c[a - 1]\n\n\ndef g(a, b):\n    if a < b:\n        return a\n`,
  'm.ts': 'export function f(a: number, b: number) {\n  if (a < b) return a;\n  return b - 1;\n}\n',
};
const files = Object.entries(SOURCES).map(([path, text]) => ({ path, text }));
const targets = [
  { file: 'm.py', first: 2, last: 2, score: 1 },
  { file: 'm.py', first: 4, last: 65, score: 0.9 },
  { file: 'm.py', first: 66, last: 66, score: 0.8 },
  { file: 'm.ts', first: 2, last: 2, score: 0.7 },
];
const batches = () => [...proposeEdits({ files, targets, parser })];
const edits = batches().flatMap(({ candidates }) => candidates);

test('§3.2 format selection (exact): search/replace over the scoped span, never the whole file; one representation a batch', () => {
  expect(edits.length).toBeGreaterThan(50);
  for (const { format } of batches()) expect(format).toBe('search_replace');
  for (const edit of edits) expect([edit.content, edit.blocks?.length]).toEqual([undefined, 1]);
});

test('§3.2 scope classification (exact): a span is at most 40 contiguous lines, also in a statement of 62', () => {
  const sizes = edits.map(({ span: [first, last] = [0, 99] }) => last - first + 1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(40);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(batches()[1]?.candidates.length).toBeGreaterThan(0);
});

test('§3.4 steps 1 and 2: the search block is exact source text that stands once in its span', () => {
  for (const { file, span: [first, last] = [1, 1], blocks } of edits) {
    const lines = SOURCES[file as keyof typeof SOURCES].split('\n').slice(first - 1, last);
    expect(`${lines.join('\n')}\n`.split(blocks?.[0]?.search ?? '')).toHaveLength(2);
  }
});

test('§4 candidate record: search and replace and nothing outside them; the id is that of the snapshot and the change', () => {
  for (const edit of edits) {
    const { candidate_id, file, span, blocks } = ProposedEdit.parse(edit);
    expect(Object.keys(blocks?.[0] ?? {})).toEqual(['search', 'replace']);
    const before = sha256Hex(SOURCES[file as keyof typeof SOURCES]);
    expect(candidate_id).toBe(hashRecord({ file, before, span, blocks }));
  }
});

test('§3.4 caps: candidates are independent: each is a change of the snapshot, not of what another made of it', () => {
  const known = new Set(edits.map(({ candidate_id }) => candidate_id));
  for (const target of targets) {
    const [alone] = proposeEdits({ files, targets: [target], parser });
    expect(alone?.candidates.length).toBeGreaterThan(0);
    for (const { candidate_id } of alone?.candidates ?? []) expect(known).toContain(candidate_id);
  }
});

test('§8 invariants 3 and 4: no model is consulted, nothing is asked again, and the set is rebuilt for every generation', () => {
  for (const { origin, regenerate, usage } of batches())
    expect({ origin, regenerate, usage }).toEqual({ origin: 'templates', regenerate: false });
  expect(JSON.stringify(batches())).toBe(JSON.stringify(batches()));
});

test('design/seeds.md row 4: the order of templates is a budget order, a prefix whatever the limit', () => {
  const order = (limit: number) => orderProposals(batches(), { limit }).map(({ candidate_id }) => candidate_id);
  expect(order(1000)).toHaveLength(new Set(order(1000)).size);
  expect(order(10)).toEqual(order(1000).slice(0, 10));
});
