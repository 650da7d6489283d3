// From ranked edits to distinct candidates: every proposal is a candidate, a duplicate of one, or a rejection with its reason.
import { memoryArtifacts, type ProposedEdit, type SourceReader } from '@h/contracts';
import { createParser } from '@h/syntax';
import { afterAll, expect, test } from 'vitest';
import { candidateQuestion } from '../src/ask-model.ts';
import { settle } from '../src/propose-candidates.ts';
import { rankEdits } from '../src/rank-edits.ts';
import type { Repository } from '../src/read-repository.ts';

const PATH = 'a.py';
const TEXT = `def total(rows):
    sum = 1
    for row in rows:
        sum -= row
    return sum


def worst(rows):
    if not rows:
        raise ValueError("none")
${'    # far apart\n'.repeat(40)}    return max(rows)
`;
const parser = await createParser({ languages: ['python'] });
afterAll(() => parser.dispose());

const reader: SourceReader = {
  read: async () => new TextEncoder().encode(TEXT),
  list: async function* () {
    yield PATH;
  },
};
const sources = {
  repository: { reader, tree: '0'.repeat(64) } as unknown as Repository,
  parser,
  artifacts: memoryArtifacts(),
};

function ranked(options: { multiEdit?: boolean; limit?: number } = {}) {
  return rankEdits({
    sources: new Map([[PATH, TEXT]]),
    targets: [2, 4, 51].map((line, index) => ({ file: PATH, first: line, last: line, score: 1, rank: index + 1 })),
    failures: [{ class: 'AssertionError', message: 'assert 1 == 6', frames: [], expected: '6', actual: '1' }],
    parser,
    limit: 2_000,
    ...options,
  });
}

test('all that templates propose applies exactly once; what is left out is told with its reason', async () => {
  // Every fifth, since the gate reads each result.
  const proposals = ranked({ multiEdit: true }).proposals.filter((_, index) => index % 5 === 0);
  const { set } = await settle(sources, proposals);
  const told = new Set([
    ...set.candidates.map(({ candidate_id }) => candidate_id),
    ...set.collapsed.flatMap(({ dropped }) => dropped),
    ...set.rejected.flatMap(({ candidate_id }) => candidate_id ?? []),
  ]);
  expect(proposals.length).toBeGreaterThan(100);
  expect(proposals.filter(({ candidate_id }) => !told.has(candidate_id))).toEqual([]);
  // The gate may refuse what names nothing; nothing is refused because its text was not found, or found twice.
  expect(set.rejected.filter(({ stage }) => stage === 'locate')).toEqual([]);
});

test('a rejected edit is in the record with its reason, beside the candidates', async () => {
  const edit = (search: string, replace: string): ProposedEdit => ({
    candidate_id: (search.length + replace.length * 7).toString(16).padStart(64, 'a'),
    origin: 'external',
    file: PATH,
    span: [1, 5],
    blocks: [{ search, replace }],
    provenance: 'by hand',
  });
  const { set } = await settle(sources, [
    edit('sum -= row', 'sum += row'),
    edit('nowhere', 'x'),
    edit('row', 'line'),
    edit('return sum', 'return ('),
  ]);
  expect(set.candidates).toHaveLength(1);
  expect(set.rejected.map(({ stage, reason }) => `${stage}: ${reason}`)).toEqual([
    'locate: not_found',
    'locate: ambiguous_match',
    'parse: syntax_error',
  ]);
});

test('two changes at once come late, as one block; lists of blocks where they are allowed', () => {
  const plain = ranked().proposals;
  const first = plain.findIndex(({ template }) => template?.startsWith('pair/'));
  expect(first).toBeGreaterThan(50);
  expect(plain.every(({ blocks }) => blocks?.length === 1)).toBe(true);
  const lists = ranked({ multiEdit: true }).proposals.filter(({ blocks = [] }) => blocks.length === 2);
  expect(lists.length).toBeGreaterThan(0);
});

test('a model is asked for lists of blocks where they are allowed', () => {
  const intent = {
    target: { entity: 'total', file: PATH, span: [1, 5] as [number, number] },
    requirement: '',
    dependencies: [],
    constraints: [],
    validation: [],
  } as unknown as Parameters<typeof candidateQuestion>[0];
  expect(candidateQuestion(intent, TEXT).form).toBe('search_replace');
  expect(candidateQuestion(intent, TEXT, { multiEdit: true }).form).toBe('multi_edit');
  const long = { ...intent, target: { ...intent.target, span: [1, 51] as [number, number] } };
  expect(candidateQuestion(long, TEXT, { multiEdit: true }).form).toBe('whole_file');
});
