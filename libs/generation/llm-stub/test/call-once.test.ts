import { getEventListeners } from 'node:events';
import { hashRecord, type ModelCall, type ModelOutcome } from '@h/contracts';
import {
  callOnce,
  hypothesisEntry,
  type ModelEntry,
  noModel,
  scriptedModel,
  searchReplaceEntry,
  textModel,
} from '@h/llm-stub';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidatesAnswer, intentPackage } from './examples.ts';

const values = { intent_package: intentPackage, edit_format: { format: 'search_replace' }, n_candidates: 4 };

async function check(
  answer: Parameters<typeof scriptedModel>[0][number],
  expected: object,
  entry: ModelEntry = searchReplaceEntry,
) {
  const model = scriptedModel([answer]);
  const result = await callOnce(entry, values, { call: model.call });
  expect(result).toMatchObject(expected);
  expect(model.requests).toHaveLength(1);
  return result;
}

describe('callOnce', () => {
  it('gives the answer, with the request and the outcome to keep', async () => {
    const answer = candidatesAnswer(2);
    const result = await check(JSON.stringify(answer), { status: 'answered', answer, omissions: [] });
    if (result.status !== 'answered') return;
    expect(result.outcome.value).toEqual(answer);
    expect(result.outcome.request_digest).toBe(hashRecord(result.request));
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it('takes a value that came parsed as well', async () => {
    await check({ kind: 'ok', value: candidatesAnswer(1) }, { status: 'answered' });
  });

  it.each([
    ['asdf', 'json'],
    ['', 'json'],
    ['I would change line 7 to return total * 0.8.', 'json'],
    [`Here you are:\n${JSON.stringify(candidatesAnswer(1))}`, 'json'],
    [`\`\`\`json\n${JSON.stringify(candidatesAnswer(1))}\n\`\`\``, 'json'],
    ['{"candidates": [{"search": "a", "replace": "b"}], "candidates": []}', 'json'],
    [JSON.stringify(candidatesAnswer(11)), 'schema'],
    ['{"candidates": [{"search": "a", "replace": "b"}, {"search": "a"}]}', 'schema'],
    ['{"candidates": [{"search": "a", "replace": "b", "why": "c"}]}', 'schema'],
    ['{}', 'schema'],
    ['null', 'schema'],
    [JSON.stringify({ candidates: [{ search: 'a', replace: 'x'.repeat(300_000) }] }), 'budget'],
  ])('makes %.60s a no-op', async (text, kind) => {
    const result = await check(text, { status: 'no_op', kind, outcome: { kind } });
    expect(result).not.toHaveProperty('outcome.value');
  });

  it.each([
    'truncated',
    'refusal',
    'tool_call',
    'transport',
    'timeout',
    'rate',
    'auth',
    'budget',
    'replay_miss',
    'schema',
    'json',
  ] as const)('passes on that a call ended with %s, whatever else it says', async (kind) => {
    await check({ kind, value: candidatesAnswer(1) }, { status: 'no_op', kind, outcome: { kind } });
  });

  it('is a no-op where the call says ok without an answer', async () => {
    await check({ kind: 'ok' }, { status: 'no_op', kind: 'json' });
  });

  it('never asks twice and never rejects, whatever text comes back', async () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '"candidates"',
      ':',
      '[',
      ']',
      '"search"',
      '"a"',
      ',',
      '"replace"',
      'null',
      '1',
    );
    const noise = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(noise, async (text) => {
        const model = scriptedModel([text]);
        const result = await callOnce(searchReplaceEntry, values, { call: model.call });
        expect(['no_op', 'answered']).toContain(result.status);
        expect(model.requests).toHaveLength(1);
      }),
    );
  });

  it('asks nobody where the entry does not fire or the payload is too large', async () => {
    const empty = { ...values, intent_package: { ...intentPackage, requirement: '' } };
    expect(await callOnce(searchReplaceEntry, empty, { call: noModel() })).toEqual({
      status: 'not_fired',
      missing: ['intent_package.requirement'],
      fallback: { candidates: [], regenerate: true },
    });
    const tight = { ...searchReplaceEntry, max_payload_bytes: 10 };
    expect(await callOnce(tight, values, { call: noModel() })).toMatchObject({ status: 'no_op', kind: 'budget' });
  });

  it('lets misuse through: a model where none may be, a script that ran out, no outcome at all', async () => {
    await expect(callOnce(searchReplaceEntry, values, { call: noModel() })).rejects.toMatchObject({
      code: 'model_forbidden',
    });
    await expect(callOnce(searchReplaceEntry, values, { call: scriptedModel([]).call })).rejects.toMatchObject({
      code: 'script_exhausted',
    });
    const wrong = [undefined, {}, 7, { kind: 'good', sent: {}, request_digest: '0'.repeat(64) }];
    for (const outcome of wrong) {
      const model: ModelCall = async () => outcome as ModelOutcome;
      await expect(callOnce(searchReplaceEntry, values, { call: model })).rejects.toMatchObject({
        code: 'invalid_outcome',
      });
    }
  });

  it('takes no answer that belongs to another request', async () => {
    const model: ModelCall = async () => ({
      kind: 'ok',
      value: candidatesAnswer(1),
      sent: {},
      request_digest: '0'.repeat(64),
    });
    expect(await callOnce(searchReplaceEntry, values, { call: model })).toMatchObject({
      status: 'no_op',
      kind: 'transport',
    });
  });

  it('makes a client that rejects or throws a no-op that quotes nothing of it', async () => {
    const secret = 'sk-canary-1234';
    const failing = [
      textModel(async () => Promise.reject(new TypeError(`fetch failed with ${secret}`))),
      textModel(() => {
        throw new RangeError(secret);
      }),
      () => Promise.reject(secret),
    ];
    for (const model of failing) {
      const result = await callOnce(searchReplaceEntry, values, { call: model });
      expect(result).toMatchObject({ status: 'no_op', kind: 'transport' });
      const { cause, ...recorded } = result as { cause?: unknown };
      expect(JSON.stringify(recorded)).not.toContain(secret);
      expect(String(cause)).toContain(secret);
    }
  });

  it('gives the same bytes for the same input and answer', async () => {
    const run = async () =>
      JSON.stringify(await callOnce(searchReplaceEntry, values, { call: scriptedModel(['{"candidates":[]}']).call }));
    expect(await run()).toBe(await run());
  });

  it('takes the text of a client as an answer, and unfences where the entry says so', async () => {
    const text = `\`\`\`json\n${JSON.stringify(candidatesAnswer(1))}\n\`\`\``;
    const fenced = { ...searchReplaceEntry, unfence: true as const };
    expect(await callOnce(fenced, values, { call: async () => text })).toMatchObject({ status: 'answered' });
    expect(await callOnce(searchReplaceEntry, values, { call: async () => text })).toMatchObject({ kind: 'json' });
  });

  it('hands back the fallback of the entry with every no-op', async () => {
    const { fallback } = searchReplaceEntry;
    expect(fallback).toEqual({ candidates: [], regenerate: true });
    const failing = async () => Promise.reject(new Error('no network'));
    const tight = { ...searchReplaceEntry, max_payload_bytes: 10 };
    const ends = [
      await callOnce(searchReplaceEntry, values, { call: async () => 'prose' }),
      await callOnce(searchReplaceEntry, values, { call: failing }),
      await callOnce(tight, values, { call: failing }),
    ];
    for (const end of ends) expect(end).toMatchObject({ status: 'no_op', fallback });
  });

  it('sends the seed of the entry unless the call names another', async () => {
    const model = scriptedModel(['', '']);
    const seeded = { ...searchReplaceEntry, seed: 7 };
    await callOnce(seeded, values, { call: model.call });
    await callOnce(seeded, values, { call: model.call, seed: 8 });
    expect(model.requests.map(({ requested }) => requested.seed)).toEqual([7, 8]);
  });

  it('says what was left out of the question', async () => {
    const result = await callOnce(
      hypothesisEntry,
      {
        failure: { test: 't', message: 'm'.repeat(5000) },
        candidate_points: Array.from({ length: 60 }, () => 1),
        existing_tests: [],
      },
      { call: scriptedModel(['']).call },
    );
    expect(result).toMatchObject({
      omissions: [
        { input: 'failure', items: 0, texts: 1 },
        { input: 'candidate_points', items: 10, texts: 0 },
      ],
    });
  });
});

describe('callOnce, cancelled', () => {
  const deaf: ModelCall = () => new Promise(() => undefined);

  it('asks nobody after the abort', async () => {
    expect(await callOnce(searchReplaceEntry, values, { call: noModel(), signal: AbortSignal.abort() })).toEqual({
      status: 'cancelled',
    });
  });

  it('settles with the signal, even where the model does not heed it', async () => {
    const stop = new AbortController();
    const pending = callOnce(searchReplaceEntry, values, { call: deaf, signal: stop.signal });
    const start = performance.now();
    stop.abort();
    expect(await pending).toEqual({ status: 'cancelled' });
    expect(performance.now() - start).toBeLessThan(100);
  });

  it('calls a deadline a timeout', async () => {
    const result = await callOnce(searchReplaceEntry, values, { call: deaf, signal: AbortSignal.timeout(5) });
    expect(result).toMatchObject({ status: 'no_op', kind: 'timeout' });
  });

  it('takes nothing that arrives after the abort', async () => {
    const stop = new AbortController();
    const model = textModel(async () => {
      stop.abort();
      return JSON.stringify(candidatesAnswer(1));
    });
    expect(await callOnce(searchReplaceEntry, values, { call: model, signal: stop.signal })).toEqual({
      status: 'cancelled',
    });
  });

  it('hands the signal to the model and leaves no listener behind', async () => {
    const stop = new AbortController();
    let given: AbortSignal | undefined;
    const model = textModel(async (_request, { signal }) => {
      given = signal;
      return '{"candidates":[]}';
    });
    await callOnce(searchReplaceEntry, values, { call: model, signal: stop.signal });
    expect(given).toBe(stop.signal);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});
