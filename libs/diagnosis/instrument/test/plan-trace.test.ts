import { parseRecord, TracePlan } from '@h/contracts';
import { expect, test } from 'vitest';
import { planProbes, planTrace, type TraceInput } from '../src/index.ts';
import { ranked, shapeOf } from './program-of.ts';

const CODE = `LIMIT = 3
import math


class Bag:
    def fill(self, things):
        count = 0

        def add(thing):
            nonlocal count
            count += 1
            self.things.append(thing)

        for each in [t for t in things if t]:
            add(each)
        return math.floor(count) < LIMIT

    def other(self):
        unrelated = 1
        return unrelated
`;
const SCRIPT = `class Bag {
  fill(things) {
    let count = 0;
    things.forEach((thing) => { count += thing.n; });
    return count;
  }
}
`;
const TEST = `from bag import Bag
class TestBag:
    def test_fill(self):
        bag = Bag()
        assert bag.fill([1])
`;
const shape = shapeOf({ 'bag.py': CODE, 'bag.js': SCRIPT, 'test_bag.py': TEST });
const trace = (location: string, more: Partial<TraceInput> = {}) =>
  parseRecord(TracePlan, planTrace(planProbes({ ...shape, candidates: ranked(location) }), { ...shape, ...more }));

test.each([
  ['bag.py:7', ['bag.py::Bag.fill', 'bag.py::Bag.fill.add'], ['LIMIT', 'count', 'each', 'self', 'thing', 'things']],
  ['bag.py:11', ['bag.py::Bag.fill.add'], ['count', 'self', 'thing']],
  ['bag.py:1', [], []],
  ['bag.js:5', ['bag.js::Bag.fill', 'bag.js::Bag.fill.<anonymous>'], ['count', 'thing', 'things', 'this']],
])('functions that hold a point, and those inside: %s', (location, functions, variables) => {
  expect(trace(location)).toEqual({ functions, variables, max_bytes: 67_108_864 });
});

test('frames and tests are traced where they are known', () => {
  const found = trace('bag.py:20', {
    frames: ['bag.py:11', 'elsewhere.py:3'],
    tests: ['test_bag.py::TestBag::test_fill[1-a]', 'bag.test.ts > fills', 'gone.py::test'],
    maxBytes: 100,
  });
  expect(found.functions).toEqual(['bag.py::Bag.fill.add', 'bag.py::Bag.other', 'test_bag.py::TestBag.test_fill']);
  expect(found.max_bytes).toBe(100);
});

test('whatever the failing test executed is traced, too', () => {
  const executed = [
    { file: 'bag.py', lines: '6,20-21' },
    { file: 'gone.py', lines: '1' },
  ];
  expect(trace('bag.py:1', { executed }).functions).toEqual(['bag.py::Bag.other']);
});
