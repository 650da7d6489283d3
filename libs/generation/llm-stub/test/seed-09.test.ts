// Seed 09 §3.3 and §4, the one candidate call, clause by clause.
import { proposeCandidates, scriptedModel, searchReplaceEntry, wholeFileEntry } from '@h/llm-stub';
import { describe, expect, test } from 'vitest';
import { candidatesAnswer, candidatesInput, intentPackage } from './examples.ts';

type Input = typeof candidatesInput;
const ask = async (answer: string, input: Input = candidatesInput) => {
  const model = scriptedModel([answer, JSON.stringify(candidatesAnswer(2))]);
  return { ...(await proposeCandidates(input, model.call)), requests: model.requests };
};
const good = { search: 'total * 0.9', replace: 'total * 0.8' };

describe('§4 firing condition: iff the requirement is not empty and the span is valid', () => {
  test('it fires with both', async () => expect((await ask('')).requests).toHaveLength(1));

  test.each<[string, Partial<typeof intentPackage>, string]>([
    ['requirement', { requirement: '' }, 'intent_package.requirement'],
    ['blank requirement', { requirement: ' \n' }, 'intent_package.requirement'],
    ['span', { target: { ...intentPackage.target, span: [9, 5] } }, 'intent_package.target.span'],
  ])('without a valid %s no call is made, and what is missing is reported', async (_, part, missing) => {
    const { requests, call, batch } = await ask('', { ...candidatesInput, intent: { ...intentPackage, ...part } });
    expect(requests).toEqual([]);
    expect(call).toMatchObject({ status: 'not_fired', missing: [missing] });
    expect(batch.candidates).toEqual([]);
  });
});

test('§4 prompt inputs: exactly intent_package (verbatim), edit_format, n_candidates, in this order', async () => {
  const { requests } = await ask('');
  const sent = JSON.parse(requests[0]?.messages[1]?.content ?? '');
  expect(Object.keys(sent)).toEqual(['intent_package', 'edit_format', 'n_candidates']);
  expect(sent.intent_package).toEqual(intentPackage);
  expect(sent.edit_format.format).toBe('search_replace');
});

describe('§3.3 and §4 caps', () => {
  test('one call, temperature = 0.8, max_completion_tokens = 4096, four candidates by default', async () => {
    const { requests } = await ask(JSON.stringify(candidatesAnswer(4)));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.requested).toMatchObject({ temperature: 0.8, max_tokens: 4096 });
    expect(JSON.parse(requests[0]?.messages[1]?.content ?? '').n_candidates).toBe(4);
  });

  test('temperature and N are configurable; N is never more than 10, and refused before any call', async () => {
    const model = scriptedModel([JSON.stringify(candidatesAnswer(2))]);
    for (const nCandidates of [0, 11, 2.5])
      await expect(proposeCandidates(candidatesInput, model.call, { nCandidates })).rejects.toThrow();
    expect(model.requests).toEqual([]);
    await proposeCandidates(candidatesInput, model.call, { nCandidates: 10, temperature: 0.3 });
    expect(model.requests[0]?.requested).toMatchObject({ temperature: 0.3, max_tokens: 4096 });
    expect(JSON.parse(model.requests[0]?.messages[1]?.content ?? '').n_candidates).toBe(10);
  });

  test('N ≤ 10: ten are taken, eleven are a violation', async () => {
    expect((await ask(JSON.stringify(candidatesAnswer(10)))).batch.candidates).toHaveLength(10);
    expect((await ask(JSON.stringify(candidatesAnswer(11)))).batch).toMatchObject({ candidates: [], regenerate: true });
  });
});

describe('§4 candidate record: exactly search and replace', () => {
  test('replace may be empty, for a deletion', async () =>
    expect((await ask(JSON.stringify({ candidates: [{ ...good, replace: '' }] }))).batch.candidates).toHaveLength(1));

  test('nothing outside it is taken, and the representation fixes the shape', async () => {
    for (const one of [{ ...good, why: 'x' }, { search: 'a' }, { replace: 'a' }, { content: 'x = 1\n' }, [good]])
      expect((await ask(JSON.stringify({ candidates: [one] }))).batch.candidates).toEqual([]);
    expect(searchReplaceEntry.schema).not.toEqual(wholeFileEntry.schema);
  });
});

test('§4 input → output schema (exact), whole_file: each candidate is the complete replacement, in the shape of seeds.md contradiction 4', async () => {
  const input = { ...candidatesInput, form: 'whole_file' as const };
  const { batch } = await ask(JSON.stringify({ candidates: [{ content: 'x = 1\n' }] }), input);
  expect(batch).toMatchObject({ format: 'whole_file', candidates: [{ content: 'x = 1\n' }], regenerate: false });
  const { batch: none, requests } = await ask(JSON.stringify({ candidates: [good] }), input);
  expect(none).toMatchObject({ candidates: [], regenerate: true });
  expect(JSON.parse(requests[0]?.messages[1]?.content ?? '').edit_format.format).toBe('whole_file');
});

describe('§4 parse-failure fallback: an empty set with regenerate, never a re-prompt, never a second call', () => {
  test.each([
    ['JSON that does not parse', '{"candidates": ['],
    ['a schema violation', JSON.stringify({ candidates: good })],
    ['one malformed block', JSON.stringify({ candidates: [good, { search: 1, replace: '' }] })],
    ['prose', 'Change 0.9 to 0.8.'],
    ['nothing', ''],
  ])('%s', async (_, answer) => {
    const { batch, requests } = await ask(answer);
    expect(batch).toMatchObject({ candidates: [], regenerate: true });
    expect(requests).toHaveLength(1);
  });
});

test('§3.3: generation does not rank: candidates keep the order of the answer', async () => {
  const { batch } = await ask(JSON.stringify(candidatesAnswer(5)));
  expect(batch.candidates.map(({ blocks }) => blocks?.[0]?.replace)).toEqual(['0.0', '0.1', '0.2', '0.3', '0.4']);
});

test('§4 re-invocation: an invocation uses nothing of a prior one', async () => {
  const model = scriptedModel([JSON.stringify(candidatesAnswer(2)), '']);
  await proposeCandidates(candidatesInput, model.call);
  await proposeCandidates(candidatesInput, model.call);
  expect(JSON.stringify(model.requests[1])).toBe(JSON.stringify(model.requests[0]));
});
