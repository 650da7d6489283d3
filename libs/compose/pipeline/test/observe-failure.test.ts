import { expect, it } from 'vitest';
import { pointsInQuestion } from '../src/observe-failure.ts';

it('asks for the points of hypotheses where the plan found them, and for no other point of the plan', () => {
  const point = { block: '', variables: [] };
  const probe_points = [
    { ...point, id: 'PP1', location: 'calc.py:5', source: 'hypothesis' as const },
    { ...point, id: 'PP2', location: 'calc.py:9', source: 'sbfl' as const },
  ];
  const hypothesis = { hypothesis_id: 'H1', claim: '', expectation: '== 1' };
  const hypotheses = ['calc.py::mean', 'calc.py:5', './calc.py:7'].map((location) => ({
    ...hypothesis,
    observe: { variable: 'low', location },
  }));
  expect(pointsInQuestion({ probe_points }, { debugging_question: '', hypotheses })).toEqual([
    'calc.py:5',
    'calc.py::mean',
    './calc.py:7',
  ]);
  expect(pointsInQuestion({ probe_points: probe_points.slice(1) })).toEqual([]);
});
