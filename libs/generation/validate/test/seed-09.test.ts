// Seed 09, what generation promises to the validation that follows it (§3.4, §3.6, §8), checked from this side.
import { sha256Hex } from '@h/contracts';
import { expect, it } from 'vitest';
import { candidateOf, changeTo, type Outcomes, suiteOf, validate } from './scripted-suite.ts';

const before: Outcomes = { b1: 'failed', n1: 'passed' };
const good: Outcomes = { b1: 'passed', n1: 'passed' };
const bad: Outcomes = { b1: 'failed', n1: 'passed', z: 'passed' };

it('§3.4 caps: each candidate is run on the same snapshot, never on a prior candidate’s state', async () => {
  const verdicts = async (given: Outcomes[]) => {
    const { validations } = await validate(
      await suiteOf(before),
      given.map((one) => candidateOf(one)),
    );
    return new Map(validations.map(({ candidate_id, ...verdict }) => [candidate_id, verdict]));
  };
  const forwards = await verdicts([bad, good]);
  expect([...forwards.values()].map(({ status }) => status)).toEqual(['failing', 'plausible']);
  expect(await verdicts([good, bad])).toEqual(forwards);
});

it('§3.6 caps: validation never pays N times for one effective edit', async () => {
  const suite = await suiteOf(before);
  const again = Array.from({ length: 5 }, (_, i) => ({ candidate_id: sha256Hex(`${i}`), changes: changeTo(good) }));
  const { executions, validations } = await validate(suite, again);
  expect(validations.map(({ status }) => status)).toEqual(Array(5).fill('plausible'));
  expect([executions, suite.runs.length]).toEqual([2, 2]);
});

it('§8 invariant 4: the set arrives in the order of generation and is judged in it; nothing is dropped or chosen before it ran', async () => {
  const given = [bad, { ...bad, y: 'passed' as const }, good].map((one) => candidateOf(one));
  const { validations, not_validated } = await validate(await suiteOf(before), given);
  expect(validations.map(({ candidate_id }) => candidate_id)).toEqual(given.map(({ candidate_id }) => candidate_id));
  expect(not_validated).toEqual([]);
});
