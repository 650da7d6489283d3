import { callOnce, limitCalls, noModel, scriptedModel, searchReplaceEntry } from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { intentPackage } from '../examples.ts';

const values = { intent_package: intentPackage, edit_format: {}, n_candidates: 4 };

describe('limitCalls', () => {
  it('lets so many calls through and ends the others with budget', async () => {
    const model = scriptedModel(['{"candidates":[]}', '{"candidates":[]}']);
    const limited = limitCalls(model.call, 2);
    const results = [];
    for (let n = 0; n < 4; n += 1) results.push(await callOnce(searchReplaceEntry, values, { call: limited }));
    expect(results.map((result) => (result.status === 'no_op' ? result.kind : result.status))).toEqual([
      'answered',
      'answered',
      'budget',
      'budget',
    ]);
    expect(model.requests).toHaveLength(2);
  });

  it('counts calls that are under way', async () => {
    const model = scriptedModel(['{"candidates":[]}']);
    const limited = limitCalls(model.call, 1);
    const both = await Promise.all([1, 2].map(() => callOnce(searchReplaceEntry, values, { call: limited })));
    expect(both.map(({ status }) => status)).toEqual(['answered', 'no_op']);
  });

  it('allows none, and refuses a limit that is none', async () => {
    expect(await callOnce(searchReplaceEntry, values, { call: limitCalls(noModel(), 0) })).toMatchObject({
      kind: 'budget',
    });
    for (const most of [-1, 1.5, Number.NaN])
      expect(() => limitCalls(noModel(), most)).toThrow(expect.objectContaining({ code: 'invalid_provider' }));
  });
});
