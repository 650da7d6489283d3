import { CandidateBatch, checkRecord, hashRecord } from '@h/contracts';
import { noModel, proposeCandidates, scriptedModel } from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { candidatesAnswer, candidatesInput, intentPackage } from './examples.ts';

const block = { search: 'total * 0.9', replace: 'total * 0.8' };
const target = { file: 'cart.py', span: [5, 9] };

describe('proposeCandidates', () => {
  it('makes a batch of what the model wrote, in its order', async () => {
    const model = scriptedModel([
      {
        kind: 'ok',
        value: { candidates: [block, { search: 'a', replace: '' }] },
        usage: { prompt_tokens: 9, completion_tokens: 3 },
      },
    ]);
    const { batch } = await proposeCandidates(candidatesInput, model.call);
    checkRecord(CandidateBatch, batch);
    expect(batch).toMatchObject({
      target,
      format: 'search_replace',
      regenerate: false,
      origin: 'model',
      usage: { prompt_tokens: 9 },
    });
    expect(batch.candidates.map(({ blocks }) => blocks)).toEqual([[block], [{ search: 'a', replace: '' }]]);
    const { candidate_id, provenance } = batch.candidates[0] ?? {};
    expect(candidate_id).toBe(
      hashRecord({ file: 'cart.py', before: candidatesInput.before, span: [5, 9], blocks: [block] }),
    );
    expect(provenance).toBe(`candidates.search_replace/1 ${hashRecord(model.requests[0])}`);
  });

  it('asks for four at 0.8 with 4096 tokens, and for what it is told', async () => {
    const model = scriptedModel(['', '']);
    await proposeCandidates(candidatesInput, model.call);
    await proposeCandidates(candidatesInput, model.call, { nCandidates: 10, temperature: 0, seed: 7 });
    const [first, second] = model.requests.map(({ requested, messages }) => ({
      ...requested,
      n: JSON.parse(messages[1]?.content ?? '').n_candidates,
    }));
    expect(first).toEqual({ temperature: 0.8, max_tokens: 4096, seed: 0, n: 4 });
    expect(second).toEqual({ temperature: 0, max_tokens: 4096, seed: 7, n: 10 });
  });

  it('shows the text of the target where it has it, within the edit format', async () => {
    const { targetText, ...without } = candidatesInput;
    const model = scriptedModel(['', '']);
    await proposeCandidates(candidatesInput, model.call);
    await proposeCandidates(without, model.call);
    const shown = model.requests.map(({ messages }) => JSON.parse(messages[1]?.content ?? '').edit_format);
    expect(shown).toEqual([{ format: 'search_replace', target_text: targetText }, { format: 'search_replace' }]);
  });

  it('takes lists of blocks with multi_edit, and whole files', async () => {
    const blocks = [block, { search: 'x', replace: 'y' }];
    const several = await proposeCandidates(
      { ...candidatesInput, form: 'multi_edit' },
      scriptedModel([{ kind: 'ok', value: { candidates: [blocks] } }]).call,
    );
    expect(several.batch).toMatchObject({ format: 'search_replace', candidates: [{ span: [5, 9], blocks }] });
    const whole = await proposeCandidates(
      { ...candidatesInput, form: 'whole_file' },
      scriptedModel([{ kind: 'ok', value: { candidates: [{ content: 'x = 1\n' }] } }]).call,
    );
    expect(whole.batch).toMatchObject({ format: 'whole_file', candidates: [{ content: 'x = 1\n' }] });
    expect(whole.batch.candidates[0]).not.toHaveProperty('blocks');
    expect(whole.batch.candidates[0]).not.toHaveProperty('span');
    checkRecord(CandidateBatch, several.batch);
    checkRecord(CandidateBatch, whole.batch);
  });

  it.each([
    ['garbage', '%&/('],
    ['prose', 'Change the factor to 0.8.'],
    ['eleven candidates', JSON.stringify(candidatesAnswer(11))],
    ['nothing', ''],
    ['one malformed among good ones', JSON.stringify({ candidates: [block, { search: 'a' }] })],
    ['a whole file where blocks were asked for', JSON.stringify({ candidates: [{ content: 'x' }] })],
  ])('voids %s: one request, no candidate, regenerate', async (_what, answer) => {
    const model = scriptedModel([answer]);
    const { batch } = await proposeCandidates(candidatesInput, model.call);
    expect(batch).toEqual({ target, format: 'search_replace', candidates: [], regenerate: true, origin: 'model' });
    expect(model.requests).toHaveLength(1);
  });

  it('takes ten where four were asked for, and an empty list as it is', async () => {
    const ten = await proposeCandidates(candidatesInput, scriptedModel([JSON.stringify(candidatesAnswer(10))]).call);
    expect(ten.batch.candidates).toHaveLength(10);
    const none = await proposeCandidates(candidatesInput, scriptedModel(['{"candidates":[]}']).call);
    expect(none.batch).toMatchObject({ candidates: [], regenerate: false });
  });

  it('asks nobody without a requirement: no candidate, and nothing to regenerate', async () => {
    const intent = { ...intentPackage, requirement: '' };
    const { batch, call } = await proposeCandidates({ ...candidatesInput, intent }, noModel());
    expect(batch).toMatchObject({ candidates: [], regenerate: false });
    expect(call).toMatchObject({ status: 'not_fired', missing: ['intent_package.requirement'] });
  });

  it.each([0, 11, 1.5, Number.NaN, -1])('refuses to ask for %s candidates', async (nCandidates) => {
    await expect(proposeCandidates(candidatesInput, noModel(), { nCandidates })).rejects.toMatchObject({
      code: 'invalid_count',
    });
  });

  it('marks what came from a recording', async () => {
    const { batch } = await proposeCandidates(
      candidatesInput,
      scriptedModel([JSON.stringify(candidatesAnswer(1))]).call,
      { origin: 'recorded' },
    );
    expect([batch.origin, batch.candidates[0]?.origin]).toEqual(['recorded', 'recorded']);
  });
});
