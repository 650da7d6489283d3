import type { DefUseRow, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import { expect, test } from 'vitest';
import { readStates } from '../src/read-states.ts';

const value = (type: string, text: string): ValueText => ({ type, text, truncated: false });

interface Step {
  at: number;
  uses: string[];
  defs?: string[];
  mayDefs?: string[];
  frame?: number;
  values: Record<string, ValueText>;
  from?: Record<string, ValueText>;
}

function statesOf(steps: readonly Step[], line: number) {
  const events: RawEvent[] = steps.map(({ at, values, from }, sequence) => ({
    ...{ execution_id: 'a', sequence, kind: 'value', probe_id: 'trace', location: `a.py:${at}` },
    payload: { variables: values, ...(from === undefined ? {} : { state_delta: { from, to: {} } }) },
  }));
  const rows: DefUseRow[] = steps.map(({ at, uses, defs = [], mayDefs = [], frame = 0 }, sequence) => ({
    ...{ sequence, location: `a.py:${at}`, function: 'f', frame, role: 'statement', completed: true },
    ...{ defs, may_defs: mayDefs, uses },
  }));
  const run: ObservedRun = {
    execution_id: 'a',
    test: 't',
    outcome: 'failed',
    events,
    rows,
    truncated: false,
    notes: [],
  };
  return (readStates(run).get(`a.py:${line}`) ?? []).map(({ bindings }) =>
    Object.fromEntries([...bindings].map(([name, one]) => [name, 'value' in one ? one.value : one.kind])),
  );
}

test('values as the statement began: what it changed is taken from before, what it only defines is not known', () => {
  const values = { i: value('int', '4'), total: value('int', '9') };
  const steps = [{ at: 1, uses: ['i'], defs: ['i', 'total'], values, from: { i: value('int', '3') } }];
  expect(statesOf(steps, 1)).toEqual([{ i: 3 }]);
});

test('plain values are carried on within an activation, until something may have changed them', () => {
  const steps = [
    { at: 1, uses: [], defs: ['n', 'xs'], values: { n: value('int', '4'), xs: value('list', '[1]') } },
    { at: 2, uses: ['m'], values: { m: value('int', '1') } },
    { at: 3, uses: ['m'], mayDefs: ['n'], values: { m: value('int', '1') } },
    { at: 4, uses: ['m'], values: { m: value('int', '1') } },
    { at: 2, uses: ['m'], frame: 1, values: { m: value('int', '2') } },
  ];
  expect(statesOf(steps, 2)).toEqual([{ m: 1, n: 4 }, { m: 2 }]);
  expect(statesOf(steps, 4)).toEqual([{ m: 1 }]);
});

test('each different state once; of a statement with more than 24 nothing is said', () => {
  const step = (n: number) => ({ at: 1, uses: ['n'], values: { n: value('int', String(n)) } });
  expect(statesOf([step(1), step(1), step(2)], 1)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(
    statesOf(
      Array.from({ length: 25 }, (_, n) => step(n)),
      1,
    ),
  ).toEqual([]);
});
