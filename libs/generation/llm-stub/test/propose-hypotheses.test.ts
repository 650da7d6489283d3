import { noModel, proposeHypotheses, scriptedModel } from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { hypothesesAnswer, hypothesisInput } from './examples.ts';

describe('proposeHypotheses', () => {
  it('asks once and gives the hypotheses', async () => {
    const model = scriptedModel([JSON.stringify(hypothesesAnswer)]);
    const { hypotheses, call } = await proposeHypotheses(hypothesisInput, model.call);
    expect(hypotheses).toEqual(hypothesesAnswer);
    expect(call.status).toBe('answered');
    const [request] = model.requests;
    expect(request?.requested).toEqual({ temperature: 0, max_tokens: 2048, seed: 0 });
    expect(Object.keys(JSON.parse(request?.messages[1]?.content ?? ''))).toEqual([
      'failure',
      'candidate_points',
      'existing_tests',
    ]);
  });

  it('gives no hypothesis for a bad answer, and does not ask again', async () => {
    const five = { ...hypothesesAnswer, hypotheses: Array.from({ length: 5 }, () => hypothesesAnswer.hypotheses[0]) };
    for (const answer of ['', 'I think rate is wrong.', JSON.stringify(five), '{"hypotheses":[]}']) {
      const model = scriptedModel([answer]);
      const result = await proposeHypotheses(hypothesisInput, model.call);
      expect(result).not.toHaveProperty('hypotheses');
      expect(result.call.status).toBe('no_op');
      expect(model.requests).toHaveLength(1);
    }
  });

  it('sends of the failure what the entry names, and at most fifty points', async () => {
    const failure = { ...hypothesisInput.failure, frames: ['secret.py:1'], expected: 'x' };
    const candidatePoints = Array.from({ length: 70 }, (_, n) => ({
      rank: n + 1,
      location: `cart.py:${n + 1}`,
      suspiciousness: 0.5,
      failed_runs: 1,
      passed_runs: 1,
    }));
    const model = scriptedModel(['']);
    await proposeHypotheses({ ...hypothesisInput, failure, candidatePoints }, model.call);
    const user = JSON.parse(model.requests[0]?.messages[1]?.content ?? '');
    expect(Object.keys(user.failure).sort()).toEqual(['class', 'location', 'message', 'test']);
    expect(user.candidate_points).toHaveLength(50);
    expect(user.candidate_points[0]).toEqual(candidatePoints[0]);
  });

  it('asks nobody when it is cancelled before', async () => {
    const { call } = await proposeHypotheses(hypothesisInput, noModel(), { signal: AbortSignal.abort() });
    expect(call).toEqual({ status: 'cancelled' });
  });
});
