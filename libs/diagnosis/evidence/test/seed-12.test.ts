// Seed 12, row 8 (§3.8) and what §4 and §8 ask of the pack's use, clause by clause.
import { EvidencePack, StateObservation } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { assemblePack, checkClaim, gatePack, judgeHypotheses } from '../src/index.ts';
import { shaOf, textOf } from './build-run.ts';
import { divergence, failing, packOf, passing, runs, slice } from './tiny-pack.ts';

const pack = packOf();
const claim = (name: string, value: number, location = 'a.py:5') =>
  checkClaim(pack, { kind: 'variable', location, name, value: textOf(value) }).verdict;
const hypotheses = (expectation: string) => ({
  debugging_question: 'observe x at a.py:5',
  hypotheses: [{ hypothesis_id: 'H1', claim: '', observe: { variable: 'x', location: 'a.py:5' }, expectation }],
});

describe('§3.8 StateObservation', () => {
  test('exactly these six fields', () => {
    const fields = ['branch_taken', 'execution_id', 'location', 'path_index', 'return_values', 'variables'];
    for (const observation of pack.evidence_pack) expect(Object.keys(observation).sort()).toEqual(fields);
    const [first] = pack.evidence_pack;
    expect(StateObservation.safeParse({ ...first, inferred: 1 }).success).toBe(false);
    for (const field of fields)
      expect(StateObservation.safeParse({ ...first, [field]: undefined }).success).toBe(false);
  });

  test('execution_id ties the observation to the run that produced it, path_index to the step of its path', () => {
    for (const { execution_id, path_index, location } of pack.evidence_pack) {
      const run = runs.find((one) => one.execution_id === execution_id);
      expect(run?.events[path_index]?.location).toBe(location);
    }
  });

  test('variables, return_values and branch_taken are the values that the step recorded', () => {
    const at = (line: number) => pack.evidence_pack.find(({ location }) => location === `a.py:${line}`);
    expect(at(3)?.variables).toMatchObject({ n: textOf(3), k: textOf(1) });
    expect(at(5)?.return_values).toEqual({ g: textOf(1) });
    expect(at(5)?.branch_taken).toBe('a.py:4 true');
  });
});

describe('§3.8 evidence pack', () => {
  test('exact schema: evidence_pack, primary_suspects, execution_ids, gated: true', () => {
    expect(Object.keys(pack).sort()).toEqual(['evidence_pack', 'execution_ids', 'gated', 'primary_suspects']);
    expect(EvidencePack.parse(JSON.parse(JSON.stringify(pack)))).toEqual(pack);
    expect(pack.primary_suspects).toEqual(divergence.primary_suspects);
    expect(pack.execution_ids).toEqual([failing.execution_id, passing.execution_id].sort());
  });

  test('cap: assembled from the slice, never from the raw event store', () => {
    const steps = pack.evidence_pack.filter(({ execution_id }) => execution_id === failing.execution_id);
    expect(steps.map(({ path_index }) => path_index).sort()).toEqual(
      slice.links.map(({ sequence }) => sequence).sort(),
    );
    expect(failing.events.length).toBeGreaterThan(steps.length);
  });

  test('§3.6: of the passing run it holds the step of the divergence alone', () =>
    expect(
      pack.evidence_pack.filter(({ execution_id }) => execution_id === passing.execution_id).map((one) => one.location),
    ).toEqual([divergence.first_divergence?.location]));

  test('every value is an observed one: a slice that says another value is rejected', () => {
    const invented = slice.slice.map((item, index) => (index === 0 ? { ...item, value: textOf(77) } : item));
    expect(assemblePack({ slice: { ...slice, slice: invented }, divergence, runs })).toMatchObject({
      status: 'rejected',
      violations: [{ code: 'not_observed', path: 'slice/0' }],
    });
  });
});

describe('§3.8 anti-hallucination gate', () => {
  test('rejects any field whose value was not captured by a probe', () => {
    for (const [index, seen] of pack.evidence_pack.entries())
      for (const changed of [
        { variables: { ...seen.variables, made_up: textOf(1) } },
        { return_values: { ...seen.return_values, made_up: textOf(1) } },
        { branch_taken: 'a.py:1 true' },
        { execution_id: shaOf('no run') },
        { path_index: 999 },
        { location: 'a.py:999' },
      ]) {
        const evidence_pack = pack.evidence_pack.map((one, at) => (at === index ? { ...one, ...changed } : one));
        expect(gatePack({ ...pack, evidence_pack }, runs), JSON.stringify(changed)).not.toEqual([]);
      }
  });

  test('no non-causal inclusion: a true observation outside the slice is rejected', () => {
    const [dropped, ...links] = slice.links;
    expect(dropped).toBeDefined();
    expect(gatePack(pack, runs, { divergence, slice: { ...slice, links, slice: slice.slice.slice(1) } })).toMatchObject(
      [{ code: 'not_in_slice' }],
    );
  });

  test('a claim is checkable against the pack; one that is not in it is flagged', () => {
    expect(claim('x', 1)).toBe('supported');
    expect(claim('x', 2)).toBe('contradicted');
    expect(claim('t', 1003, 'a.py:2')).toBe('absent');
    expect(claim('unheard_of', 1)).toBe('absent');
  });
});

describe('§4 gating', () => {
  test('a hypothesis whose expectation contradicts the observed value is eliminated', () =>
    expect(judgeHypotheses(pack, hypotheses('== 2'), { runs })).toMatchObject([{ verdict: 'eliminated' }]));

  test('a hypothesis is never an observed fact: at best it is consistent, and without an observation unobserved', () => {
    expect(judgeHypotheses(pack, hypotheses('== 1'))).toMatchObject([{ verdict: 'consistent' }]);
    const elsewhere = hypotheses('== 1').hypotheses.map((one) => ({
      ...one,
      observe: { variable: 'x', location: 'b.py:1' },
    }));
    expect(judgeHypotheses(pack, { debugging_question: '', hypotheses: elsewhere })).toMatchObject([
      { verdict: 'unobserved' },
    ]);
  });
});

test('§3 deterministic: same input, same bytes', () => expect(JSON.stringify(packOf())).toBe(JSON.stringify(pack)));
