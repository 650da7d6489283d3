// A masked secret was not observed: nothing is equal to it, nothing is told from it, and what stands beside it can still be read.
import type { EvidencePack, ValueText } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { compareValues } from '../src/compare-values.ts';
import { checkClaim, judgeHypotheses } from '../src/index.ts';
import { buildRun, shaOf } from './build-run.ts';

const secret: ValueText = { type: 'str', text: '‹masked: name "password"›', truncated: true, masked: true };
const user: ValueText = {
  type: 'User',
  text: 'User{name: \'bob\', password: ‹masked: name "password"›, age: 3}',
  truncated: true,
  masked: true,
};
const pack: EvidencePack = {
  evidence_pack: [
    {
      ...{ execution_id: shaOf('run'), location: 'a.py:1', path_index: 0, return_values: {}, branch_taken: '' },
      variables: { password: secret, user },
    },
  ],
  ...{ primary_suspects: [], execution_ids: [shaOf('run')], gated: true },
};

const runs = [buildRun({ name: 'run', rows: [{ at: 1, values: { password: secret, user } }] })];

describe('a masked secret', () => {
  it('is equal to nothing, itself included, and different from nothing', () => {
    expect(compareValues(secret, secret)).toBe('unknown');
    expect(compareValues({ type: 'str', text: "'x'", truncated: false }, secret)).toBe('unknown');
    expect(compareValues({ type: 'int', text: '3', truncated: false }, secret)).toBe('unknown');
  });

  it.each([
    ['password', "== 'hunter2'", 'unobserved'],
    ['password', "!= 'hunter2'", 'unobserved'],
    ['password', 'is type str', 'consistent'],
    ['user.password', "== 'hunter2'", 'unobserved'],
    ['user.name', "== 'bob'", 'consistent'],
    ['user.age', '== 4', 'eliminated'],
  ])('hypothesis %s %s: %s', (variable, expectation, verdict) => {
    const hypothesis = { hypothesis_id: 'H1', claim: '', observe: { variable, location: 'a.py:1' }, expectation };
    const [judged] = judgeHypotheses(pack, { debugging_question: '', hypotheses: [hypothesis] }, { runs });
    expect(judged?.verdict).toBe(verdict);
  });

  it('supports no claim and contradicts none', () => {
    const value = { type: 'str', text: "'hunter2'", truncated: false };
    const claim = { kind: 'variable' as const, location: 'a.py:1', name: 'password', value };
    expect(checkClaim(pack, claim).verdict).toBe('absent');
  });
});
