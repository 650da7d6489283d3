import type { DefUseRow, ProbePlan } from '@h/contracts';
import { expect, it } from 'vitest';
import { narrowPlans } from '../src/index.ts';

const rowsOf = (counts: Record<string, number>): DefUseRow[] =>
  Object.entries(counts).flatMap(([place, count]) => {
    const [name = '', line = ''] = place.split(' ');
    return Array.from({ length: count }, () => ({
      ...{ sequence: 0, location: `a.py:${line}`, function: name, frame: 0, role: 'statement' as const },
      ...{ defs: [], may_defs: [], uses: [], completed: true },
    }));
  });
const point = (line: number, source: 'sbfl' | 'failure_neighborhood' | 'hypothesis') => ({
  ...{ id: `PP${line}`, location: `a.py:${line}`, block: '', variables: [], source },
});
const trace = { functions: ['a.py::f', 'a.py::g', 'a.py::h'], variables: ['x'], max_bytes: 9 };

function check(counts: Record<string, number>, points: ProbePlan['probe_points'], keep: string[], expected: unknown) {
  const {
    plan,
    trace: narrow,
    left_out,
  } = narrowPlans({ plan: { probe_points: points }, trace }, { rows: rowsOf(counts) }, keep);
  expect({
    functions: narrow.functions.map((name) => name.slice(-1)).join(''),
    points: plan.probe_points.map(({ id }) => id).join(' '),
    left_out,
  }).toEqual(expected);
  expect([narrow.variables, narrow.max_bytes]).toEqual([['x'], 9]);
}

it('leaves out the function that filled the stream, with the points of the ranked list in it', () =>
  check({ 'f 1': 95, 'g 2': 5 }, [point(1, 'sbfl'), point(2, 'sbfl')], [], {
    functions: 'gh',
    points: 'PP2',
    left_out: ['a.py::f'],
  }));
it('leaves out as many as make nine tenths', () =>
  check({ 'f 1': 50, 'g 2': 45, 'h 3': 5 }, [], [], { functions: 'h', points: '', left_out: ['a.py::f', 'a.py::g'] }));
it('keeps the functions of the failure and those that were asked for', () => {
  check({ 'f 1': 95, 'g 2': 5 }, [], ['a.py:1'], { functions: 'fgh', points: '', left_out: [] });
  check({ 'f 1': 95, 'g 2': 5 }, [point(1, 'hypothesis')], [], { functions: 'fgh', points: 'PP1', left_out: [] });
});
it('leaves out nothing of a run without rows', () => check({}, [], [], { functions: 'fgh', points: '', left_out: [] }));
