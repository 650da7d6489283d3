import type { ProbePlan, TracePlan } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { buildProbeTable, planProbes, planTrace } from '../src/index.ts';
import { parser, ranked, shapeOf } from './program-of.ts';

const PYTHON = `LIMIT = 2


@cache
def fill(self, things):
    """Fills."""
    global LAST
    count = 0

    def add(thing):
        self.things.append(thing)

    try:
        for each in things:
            add(each)
    except ValueError as error:
        count = error
    match things:
        case [first, _] if first > LIMIT:
            return first
    if count: count = 1
    elif LIMIT: pass
    return count
`;
const SCRIPT = `const limit = 2;
class Bag {
  @log() fill(things) {
    'use strict';
    let count = 0; count++;
    switch (count) { case limit: break; default: count = 2; }
    do { count--; } while (count > 0);
    try { risk(); } catch (error) { this.failed = error; }
    return things.map((thing) => thing.n * count);
  }
}
`;

function build(file: string, text: string, ...lines: number[]) {
  const shape = shapeOf({ [file]: text });
  const plan = planProbes({ ...shape, candidates: ranked(...lines.map((line) => `${file}:${line}`)) });
  return buildProbeTable(plan, planTrace(plan, shape), [{ file, text }], { parser });
}

/** `n line role before > after`, by probe. */
function rows(file: string, text: string, ...lines: number[]): string[] {
  const { table } = build(file, text, ...lines);
  return table.files.flatMap(({ probes }) =>
    probes.map(({ n, line, role, before, after }) => `${n} ${line} ${role} ${before} > ${after}`),
  );
}

test('python', () => {
  expect(rows('bag.py', PYTHON, 8)).toMatchInlineSnapshot(`
    [
      "0 4 entry  > self,things",
      "1 8 statement count > count",
      "2 10 entry  > thing",
      "3 10 statement  > ",
      "4 11 statement self,thing > self,thing",
      "5 14 branch things > each,things",
      "6 15 statement each > each",
      "7 17 statement error > count",
      "8 18 branch LIMIT,first,things > first",
      "9 20 return first > ",
      "10 21 branch count > ",
      "11 21 statement  > count",
      "12 22 branch LIMIT > ",
      "13 22 statement  > ",
      "14 23 return count > ",
    ]
  `);
});

test('javascript', () => {
  expect(rows('bag.js', SCRIPT, 5)).toMatchInlineSnapshot(`
    [
      "0 3 entry  > things,this",
      "1 5 statement count > count",
      "2 5 statement count > count",
      "3 6 branch count,limit > ",
      "4 6 statement  > ",
      "5 6 statement  > count",
      "6 7 branch count > ",
      "7 7 statement count > count",
      "8 8 statement  > ",
      "9 8 statement error,this > this",
      "10 9 return things > things",
      "11 9 entry  > thing",
      "12 9 return count,thing > ",
    ]
  `);
});

test('starts tell statements of one line apart', () => {
  const { table } = build('bag.js', SCRIPT, 5);
  for (const { start, role, line } of table.files[0]?.probes ?? []) {
    const text = SCRIPT.slice(start).split('\n')[0] ?? '';
    expect(text).toMatch(
      role === 'entry' ? /^@log|^\(thing\)/ : /^(?:let|count|switch|do|risk|this|return|thing\.n|break)/,
    );
    expect(SCRIPT.slice(0, start).split('\n')).toHaveLength(line);
  }
});

test('a point at module level is observed, its module is not traced', () => {
  expect(rows('bag.py', PYTHON, 1)).toEqual(['0 1 statement LIMIT > LIMIT']);
});

test('an arrow on a line of its own is a point there', () => {
  const text = 'const f = pipe(\n  (x) =>\n    x + 1,\n  (y) => y * 2,\n  (a) => (b) =>\n    a + b,\n);\n';
  // functions of one qualified name are traced together
  expect(rows('f.js', text, 2)).toEqual([
    '0 2 entry  > x',
    '1 2 return x > ',
    '2 4 entry  > y',
    '3 4 return y > ',
    '4 5 entry  > a',
    '5 5 entry  > b',
    '6 5 return  > ',
    '7 6 return a,b > ',
  ]);
  expect(rows('f.js', text, 6)).toEqual(['0 5 entry  > b', '1 6 return a,b > ']);
});

test('sites know what the target need not', () => {
  const { sites } = build('bag.py', PYTHON, 8, 17);
  expect(sites.find(({ line }) => line === 17)).toMatchObject({
    function: 'fill',
    point: 'PP2',
    defs: ['count'],
    caught: ['error'],
    guarded: sites.filter(({ line }) => line === 14 || line === 15).map(({ n }) => n),
  });
  expect(sites.map(({ n }) => n)).toEqual(sites.map((_, index) => index));
});

test('the same plan and text give the same bytes', () => {
  expect(JSON.stringify(build('bag.py', PYTHON, 8, 1))).toBe(JSON.stringify(build('bag.py', PYTHON, 8, 1)));
});

describe('misuse', () => {
  const trace: TracePlan = { functions: [], variables: [], max_bytes: 10 };
  const point = (id: string, location: string): ProbePlan['probe_points'][number] => {
    return { id, location, block: 'b', variables: [], source: 'sbfl' };
  };
  test.each([
    ['unknown_file', [point('PP1', 'b.py:1')], trace],
    ['unknown_file', [], { ...trace, functions: ['b.py::f'] }],
    ['unknown_statement', [point('PP1', 'a.py:99')], trace],
    ['unknown_statement', [point('PP1', 'a.py:2')], trace],
    ['duplicate_point', [point('PP1', 'a.py:1'), point('PP1', 'a.py:4')], trace],
    ['duplicate_point', [point('PP1', 'a.py:1'), point('PP2', 'a.py:1')], trace],
    ['too_many_points', Array.from({ length: 17 }, (_, index) => point(`PP${index}`, `a.py:${index}`)), trace],
    ['language_unknown', [point('PP1', 'a.rb:1')], trace],
  ])('%s', (code, probe_points, traced) => {
    const sources = [
      { file: 'a.py', text: 'x = 1\nclass A:\n    y = 2\nz = 3\n' },
      { file: 'a.rb', text: '' },
    ];
    expect(() => buildProbeTable({ probe_points }, traced, sources, { parser })).toThrow(
      expect.objectContaining({ code, retryable: false, hint: expect.any(String) }),
    );
  });
});
