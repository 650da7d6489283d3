// The check of hypotheses can fail: its true one is not what the judge was shown.
import type { ObservedRun, RawEvent } from '@h/contracts';
import { sha256Hex } from '@h/contracts';
import { judgeHypotheses } from '@h/evidence';
import { expect, it } from 'vitest';
import type { Fault } from '../faults/draw-faults.ts';
import { makeHypotheses } from '../faults/make-hypotheses.ts';

const fault = { file: 'a.py', line: 3, lines: [3, 3] } as unknown as Fault;

/** One statement, once with each value of x. */
function runOf(name: string, ...values: number[]): ObservedRun {
  const execution_id = sha256Hex(name);
  const events = values.map((x, sequence): RawEvent => {
    const payload = { variables: { x: { type: 'int', text: String(x), truncated: false } } };
    return { execution_id, sequence, kind: 'value', probe_id: 'trace', location: 'a.py:3', payload };
  });
  const rows = events.map(({ location, sequence }) => ({
    ...{ sequence, location, function: 'a.py::f', frame: 0, role: 'statement' as const, completed: true },
    ...{ defs: ['x'], may_defs: [], uses: [] },
  }));
  return { execution_id, test: 't', outcome: 'failed', events, rows, truncated: false, notes: [] };
}

it('takes the right value from a run that the judge does not see, and the wrong ones from those it does', () => {
  const [failing, passing] = [runOf('failing', 1, 2), runOf('passing', 5)];
  const made = (again?: ObservedRun) =>
    makeHypotheses(fault, { failing, passing, again }).map(({ right, hypothesis }) => [right, hypothesis.expectation]);
  expect(made(runOf('again', 1, 2))).toEqual([
    [true, '== 1'],
    [false, '== 5'],
  ]);
  expect(made(runOf('again', 7))).toEqual([
    [true, '== 7'],
    [false, '== 5'],
  ]);
  expect(made()).toEqual([[false, '== 5']]);
});

it('counts a right hypothesis that the evidence contradicts as struck out', () => {
  const failing = runOf('failing', 1, 2);
  const [made] = makeHypotheses(fault, { failing, again: runOf('again', 7) });
  const [event] = failing.events;
  const step = {
    ...{ execution_id: failing.execution_id, location: 'a.py:3', path_index: 0, return_values: {}, branch_taken: '' },
    variables: event?.payload.variables ?? {},
  };
  const pack = {
    evidence_pack: [step],
    primary_suspects: [],
    execution_ids: [failing.execution_id],
    gated: true as const,
  };
  const asked = { debugging_question: '', hypotheses: made === undefined ? [] : [made.hypothesis] };
  expect(judgeHypotheses(pack, asked, { runs: [failing] })[0]?.verdict).toBe('eliminated');
});
