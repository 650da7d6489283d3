import { expect, test } from 'vitest';
import { orderProposals, type ProposedEdit, pairEdits, proposeEdits } from '../src/index.ts';
import { sharedParser } from './results-of.ts';

const TEXT = `def total(rows):
    sum = 1
    for row in rows:
        sum -= row
    return sum
${'\n# far\n'.repeat(30)}
def count(rows):
    found = 1
    return found
`;

async function pairsOf(text: string, lines: readonly number[], multiEdit: boolean) {
  const files = [{ path: 'a.py', text }];
  const targets = lines.map((line) => ({ file: 'a.py', first: line, last: line, score: 1 }));
  const singles = orderProposals(proposeEdits({ files, targets, parser: await sharedParser() }), { limit: 60 });
  return { singles, pairs: pairEdits(singles, { files, multiEdit }).flatMap(({ candidates }) => candidates) };
}

test('two changes of neighbouring statements become one block of whole lines', async () => {
  const { singles, pairs } = await pairsOf(TEXT, [2, 4], false);
  const both = pairs.find(
    ({ blocks }) => blocks?.[0]?.replace === '    sum = 0\n    for row in rows:\n        sum += row',
  );
  expect(both?.span).toEqual([2, 4]);
  expect(both?.blocks?.[0]?.search).toBe('    sum = 1\n    for row in rows:\n        sum -= row');
  expect(both?.template).toBe('pair/joined');
  expect(both?.provenance).toContain(', and ');
  expect(pairs.every(({ score = 0 }) => score < (singles[0]?.score ?? 0) / 10)).toBe(true);
});

test('changes that 40 lines cannot hold are paired only where lists are allowed', async () => {
  expect((await pairsOf(TEXT, [2, 68], false)).pairs.filter(({ blocks = [] }) => blocks.length > 1)).toEqual([]);
  const { pairs } = await pairsOf(TEXT, [2, 68], true);
  const list = pairs.find(({ blocks = [] }) => blocks.length === 2);
  expect(list?.span).toBeUndefined();
  expect(list?.template).toBe('pair/listed');
  for (const { search } of list?.blocks ?? []) expect(TEXT.split(search)).toHaveLength(2);
});

test('pairs are the same for the same singles, none twice, and never of one place', async () => {
  const { pairs } = await pairsOf(TEXT, [2, 4, 5], false);
  const again = await pairsOf(TEXT, [2, 4, 5], false);
  expect(again.pairs).toEqual(pairs);
  expect(new Set(pairs.map(({ candidate_id }) => candidate_id)).size).toBe(pairs.length);
  expect(pairs.length).toBeGreaterThan(20);
});

test('a file that starts with an empty line', async () => {
  const text = '\nfirst = 1\nsecond = 2\n';
  const { pairs } = await pairsOf(text, [2, 3], false);
  expect(pairs.map(({ span }) => span)).toContainEqual([2, 3]);
  const search = '\nfirst = 1';
  const edit = {
    ...(await pairsOf(text, [2, 3], false)).singles[0],
    span: [1, 2],
    blocks: [{ search, replace: `${search}0` }],
  };
  const other = { ...edit, span: [3, 3], blocks: [{ search: 'second', replace: 'third' }] };
  const [batch] = pairEdits([edit, other] as ProposedEdit[], { files: [{ path: 'a.py', text }] });
  expect(batch?.candidates[0]?.blocks).toEqual([
    { search: '\nfirst = 1\nsecond = 2', replace: '\nfirst = 10\nthird = 2' },
  ]);
});

test('a byte order mark stays out of the blocks', async () => {
  const { pairs } = await pairsOf('\ufefffirst = 1\nsecond = 2\n', [1, 2], true);
  expect(pairs.length).toBeGreaterThan(5);
  for (const { blocks = [] } of pairs)
    for (const { search, replace } of blocks) expect(search + replace).not.toContain('\ufeff');
});
