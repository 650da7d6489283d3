import { expect, test } from 'vitest';
import { orderProposals, pairEdits, proposeEdits } from '../src/index.ts';
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
