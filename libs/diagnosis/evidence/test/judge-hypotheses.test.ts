import type { EvidencePack, HypothesisVerdict, ObservedRun, ValueText } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type JudgeOptions, judgeHypotheses, parseExpectation } from '../src/index.ts';
import { buildRun, shaOf } from './build-run.ts';
import { divergence, failing, packOf, runs, sliceOf } from './tiny-pack.ts';

const value = (type: string, text: string, truncated = false): ValueText => ({ type, text, truncated });
function seen(...observed: ValueText[]): EvidencePack {
  const evidence_pack = observed.map((x, path_index) => ({
    ...{ execution_id: shaOf('run'), location: 'a.py:1', path_index, return_values: {}, branch_taken: '' },
    variables: { x },
  }));
  return { evidence_pack, primary_suspects: [], execution_ids: [shaOf('run')], gated: true };
}
/** A run of as many steps, each with what the pack says of it. */
function runsOf({ evidence_pack }: EvidencePack): ObservedRun[] {
  const run = buildRun({ name: 'run', rows: evidence_pack.map(() => ({ at: 1 })) });
  const payloadOf = (one: EvidencePack['evidence_pack'][number] | undefined) => {
    const { raise: exception } = one?.return_values ?? {};
    return { variables: one?.variables ?? {}, ...(exception === undefined ? {} : { exception }) };
  };
  const events = run.events.map((event, at) => ({ ...event, payload: payloadOf(evidence_pack[at]) }));
  return [{ ...run, events }];
}
function judge(
  pack: EvidencePack,
  expectation: string,
  variable = 'x',
  location = 'a.py:1',
  options: JudgeOptions = { runs: runsOf(pack) },
) {
  const hypothesis = { hypothesis_id: 'H1', claim: '', observe: { variable, location }, expectation };
  return judgeHypotheses(pack, { debugging_question: '', hypotheses: [hypothesis] }, options)[0];
}
const check = (type: string, text: string, expectation: string, expected: HypothesisVerdict['verdict']) =>
  expect(judge(seen(value(type, text)), expectation)?.verdict).toBe(expected);

describe('parseExpectation', () => {
  it.each([
    ['== 3', { kind: 'compare', operator: '==', value: '3' }],
    ['  <=-1 ', { kind: 'compare', operator: '<=', value: '-1' }],
    ["!= 'a'", { kind: 'compare', operator: '!=', value: "'a'" }],
    ["in [1, 'a, b', [2, 3]]", { kind: 'in', values: ['1', "'a, b'", '[2, 3]'] }],
    ['in []', { kind: 'in', values: [] }],
    ['is type int', { kind: 'type', type: 'int' }],
    ['raises KeyError', { kind: 'raises', type: 'KeyError' }],
    ['branch taken', { kind: 'branch', taken: true }],
    ['branch not taken', { kind: 'branch', taken: false }],
  ])('%s', (text, expected) => expect(parseExpectation(text)).toEqual(expected));
  it.each(['', '3', 'is 3', '= 3', '=== 3', '==', 'branch', 'x == 3', 'is type', 'raises an error', 'in 1, 2'])(
    'knows no %j',
    (text) => expect(parseExpectation(text)).toBeUndefined(),
  );
});

describe('judgeHypotheses', () => {
  it.each<[string, string, string, HypothesisVerdict['verdict']]>([
    ['int', '3', '== 3', 'consistent'],
    ['int', '3', '== 3.0', 'consistent'],
    ['int', '3', '== 4', 'eliminated'],
    ['int', '3', '!= 3', 'eliminated'],
    ['int', '3', '> 2', 'consistent'],
    ['int', '3', '>= 4', 'eliminated'],
    ['int', '12345678901234567890', '> 12345678901234567889', 'consistent'],
    ['float', 'nan', '> 0', 'eliminated'],
    ['float', 'nan', '== nan', 'consistent'],
    ['number', 'NaN', '== NaN', 'consistent'],
    ['number', 'NaN', '!= NaN', 'eliminated'],
    ['number', '3', '== NaN', 'eliminated'],
    ['number', 'NaN', 'in [1, NaN]', 'consistent'],
    ['bigint', '5n', '< 6', 'consistent'],
    ['str', "'b'", "> 'a'", 'consistent'],
    ['str', "'b'", '== b', 'consistent'],
    ['str', "'3'", '== 3', 'eliminated'],
    ['str', "'3'", '> 2', 'unobserved'],
    ['str', "'b'", '== total', 'unobserved'],
    ['int', '3', '== total', 'unobserved'],
    ['int', '3', '!= total', 'unobserved'],
    ['int', '3', 'in [low, high]', 'unobserved'],
    ['null', 'null', '>= 0', 'unobserved'],
    ['undefined', 'undefined', '> 0', 'eliminated'],
    ['bool', 'True', '== None', 'eliminated'],
    ['bool', 'True', 'is type int', 'unobserved'],
    ['int', '3', 'is type Account', 'unobserved'],
    ['Savings', 'Savings{}', 'is type Account', 'unobserved'],
    ['Savings', 'Savings{}', 'is type dict', 'unobserved'],
    ['Savings', 'Savings{}', 'is type shop.Savings', 'consistent'],
    ['dict', '{}', 'is type list', 'eliminated'],
    ['NoneType', 'None', '== None', 'consistent'],
    ['NoneType', 'None', '> 2', 'eliminated'],
    ['bool', 'True', '== true', 'consistent'],
    ['bool', 'True', '== 1', 'unobserved'],
    ['int', '1', '== True', 'unobserved'],
    ['list', '[1, 2]', '== [1,2.0]', 'consistent'],
    ['list', '[1, 2]', '== [2, 1]', 'eliminated'],
    ['set', '{1, 2}', '== {2, 1}', 'unobserved'],
    ['Money', 'Money{cents: 5}', '== Money(5)', 'unobserved'],
    ['Money', 'Money{cents: 5}', '> 3', 'unobserved'],
    ['int', '3', 'in [1, 2, 3]', 'consistent'],
    ['int', '3', "in [1, '3']", 'eliminated'],
    ['int', '3', 'in []', 'eliminated'],
    ['int', '3', 'is type integer', 'consistent'],
    ['int', '3', 'is type str', 'eliminated'],
    ['int', '3', 'about three', 'unobserved'],
  ])('%s %s, expected %s: %s', (type, text, expectation, expected) => check(type, text, expectation, expected));

  it('takes one observation that is as expected for enough, and names it', () => {
    const pack = seen(value('int', '1'), value('int', '2'), value('int', '3'));
    expect(judge(pack, '> 1')).toEqual({ hypothesis_id: 'H1', verdict: 'consistent', by: [1, 2] });
    expect(judge(pack, '> 3')).toEqual({ hypothesis_id: 'H1', verdict: 'eliminated', by: [0, 1, 2] });
  });

  it('eliminates nothing by a value that was cut', () => {
    const pack = seen(value('str', "'ab", true));
    for (const expectation of ["== 'ab'", "!= 'ab'", "> 'a'", "in ['ab']"])
      expect(judge(pack, expectation)).toEqual({ hypothesis_id: 'H1', verdict: 'unobserved', why: 'undecidable' });
    expect(judge(pack, 'is type str')?.verdict).toBe('consistent');
    expect(judge(seen(value('int', '1'), value('list', '[', true)), '== 2')?.verdict).toBe('unobserved');
  });

  it('judges branches, returns and exceptions of the run that is asked about', () => {
    const pack = packOf();
    const of = { execution_id: failing.execution_id, runs };
    expect(judge(pack, 'branch taken', '', 'a.py:4', of)?.verdict).toBe('consistent');
    expect(judge(pack, 'branch not taken', '', 'a.py:4', of)?.verdict).toBe('eliminated');
    expect(judge(pack, '== 1', 'return', 'a.py:7', of)?.verdict).toBe('consistent');
    expect(judge(pack, '== 1', 'g', 'a.py:5', of)?.verdict).toBe('consistent');
    expect(judge(pack, 'raises KeyError', '', 'a.py:7', of)?.verdict).toBe('eliminated');
    expect(judge(pack, '== 0', 'k', 'a.py:3', of)?.verdict).toBe('eliminated');
    expect(judge(pack, '== 0', 'k', 'a.py:3', { runs })?.verdict).toBe('consistent');
    expect(judge(pack, '== 0', 'k', 'a.py:30', { runs })?.verdict).toBe('unobserved');
    const raised = { execution_id: shaOf('run'), location: 'a.py:1', path_index: 0, variables: {}, branch_taken: '' };
    const other: EvidencePack = {
      ...seen(),
      evidence_pack: [{ ...raised, return_values: { raise: value('app.KeyError', 'k') } }],
    };
    expect(judge(other, 'raises KeyError')?.verdict).toBe('consistent');
    expect(judge(other, 'raises ValueError')?.verdict).toBe('eliminated');
    expect(judge(other, 'raises LookupError')?.verdict).toBe('consistent');
    expect(judge(other, 'raises StockError')?.verdict).toBe('unobserved');
  });

  it('eliminates nothing that another step of a run meets, and nothing where the run is not given', () => {
    const looped = buildRun({ rows: [1, 2, 3].map((x) => ({ at: 5, defs: ['x'], values: { x } })) });
    const last = packOf({
      slice: sliceOf(looped, [2]),
      divergence: {
        ...divergence,
        failing_execution_id: looped.execution_id,
        first_divergence: null,
        primary_suspects: [],
      },
      runs: [looped],
    });
    const verdictOf = (expectation: string, runs?: ObservedRun[]) => {
      const { verdict, why } = judge(last, expectation, 'x', 'a.py:5', runs === undefined ? {} : { runs }) ?? {};
      return why ?? verdict;
    };
    expect(verdictOf('== 2')).toBe('run_not_given');
    expect(verdictOf('== 4')).toBe('run_not_given');
    expect(verdictOf('== 4', [failing])).toBe('run_not_given');
    expect(verdictOf('== 2', [looped])).toBe('other_step');
    expect(verdictOf('== 4', [looped])).toBe('eliminated');
    expect(verdictOf('== 3', [looped])).toBe('consistent');
    expect(verdictOf('== 4', [{ ...looped, truncated: true }])).toBe('run_incomplete');
    expect(verdictOf('== 4', [{ ...looped, gaps: [1] }])).toBe('run_incomplete');
    expect(verdictOf('very large', [looped])).toBe('undecidable');
    expect(judge(last, '== 4', 'x', 'a.py:6', { runs: [looped] })).toMatchObject({
      verdict: 'unobserved',
      why: 'not_in_pack',
    });
  });

  it('eliminates nothing by a pack that does not name its runs', () => {
    const pack = { ...seen(value('int', '2')), execution_ids: [] };
    expect(judge(pack, '== 4', 'x', 'a.py:1', {})).toMatchObject({ verdict: 'unobserved', why: 'run_not_given' });
    expect(judge(pack, '== 4', 'x', 'a.py:1', { runs: runsOf(pack) })?.verdict).toBe('eliminated');
  });
});
