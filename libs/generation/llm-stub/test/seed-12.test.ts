// Seed 12 §4, the one hypothesis call, clause by clause.
import { HypothesisSet } from '@h/contracts';
import { hypothesisEntry, proposeHypotheses, scriptedModel } from '@h/llm-stub';
import { describe, expect, test } from 'vitest';
import { hypothesesAnswer, hypothesisInput } from './examples.ts';

const ask = async (answer: string, input = hypothesisInput) => {
  const model = scriptedModel([answer, JSON.stringify(hypothesesAnswer)]);
  return { ...(await proposeHypotheses(input, model.call)), requests: model.requests };
};
const [one] = hypothesesAnswer.hypotheses;
const several = (count: number) => ({
  ...hypothesesAnswer,
  hypotheses: Array.from({ length: count }, (_, n) => ({ ...one, hypothesis_id: `H${n}` })),
});

describe('§4 prompt inputs', () => {
  test('exactly failure, candidate_points, existing_tests, in this order', async () => {
    const { requests } = await ask('');
    expect(Object.keys(JSON.parse(requests[0]?.messages[1]?.content ?? ''))).toEqual([
      'failure',
      'candidate_points',
      'existing_tests',
    ]);
  });

  test('candidate_points are the top 50, the failure is bounded', async () => {
    const point = hypothesisInput.candidatePoints[0];
    if (point === undefined) throw new Error('no point');
    const candidatePoints = Array.from({ length: 51 }, (_, n) => ({ ...point, rank: n + 1 }));
    const failure = { ...hypothesisInput.failure, message: 'x'.repeat(100_000) };
    const { requests } = await ask('', { ...hypothesisInput, candidatePoints, failure });
    const sent = JSON.parse(requests[0]?.messages[1]?.content ?? '');
    expect(sent.candidate_points.map(({ rank }: { rank: number }) => rank)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    expect(sent.failure.message.replace(/[^x]/g, '').length).toBeLessThanOrEqual(2_000);
  });
});

describe('§4 caps', () => {
  test('one call, temperature = 0, max_completion_tokens = 2048', async () => {
    const { requests } = await ask(JSON.stringify(hypothesesAnswer));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.requested).toMatchObject({ temperature: 0, max_tokens: 2048 });
  });

  test('at most 4 hypotheses a firing: four are taken', async () =>
    expect((await ask(JSON.stringify(several(4)))).hypotheses?.hypotheses).toHaveLength(4));

  test('output schema: question, and of each hypothesis id, claim, observe { variable, location }, expectation', async () => {
    const { hypotheses } = await ask(JSON.stringify(hypothesesAnswer));
    expect(HypothesisSet.parse(hypotheses)).toEqual(hypothesesAnswer);
    expect(hypothesisEntry.schema).toMatchObject({
      required: ['debugging_question', 'hypotheses'],
      additionalProperties: false,
      properties: { hypotheses: { maxItems: 4, items: { additionalProperties: false } } },
    });
  });
});

describe('§4 parse-failure fallback: no hypothesis, never a re-prompt, never a second call', () => {
  const { claim, ...unclaimed } = one ?? { claim: '' };
  test.each([
    ['JSON that does not parse', '{"debugging_question": '],
    ['a schema violation', JSON.stringify({ ...hypothesesAnswer, hypotheses: [unclaimed] })],
    ['more than 4 hypotheses', JSON.stringify(several(5))],
    ['an oversized payload', JSON.stringify({ ...hypothesesAnswer, debugging_question: 'x'.repeat(70_000) })],
    ['an empty answer', ''],
    ['prose', `I think that ${claim}.`],
  ])('%s', async (_, answer) => {
    const { requests, ...result } = await ask(answer);
    expect(result.call.status).toBe('no_op');
    expect(result).not.toHaveProperty('hypotheses');
    expect(requests).toHaveLength(1);
  });
});

test('§4 re-invocation: an invocation uses nothing of a prior one', async () => {
  const model = scriptedModel([JSON.stringify(hypothesesAnswer), '']);
  await proposeHypotheses(hypothesisInput, model.call);
  await proposeHypotheses(hypothesisInput, model.call);
  expect(JSON.stringify(model.requests[1])).toBe(JSON.stringify(model.requests[0]));
});
