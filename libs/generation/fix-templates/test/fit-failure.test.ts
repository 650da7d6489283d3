import type { DefUseRow, ObservedRun, RawEvent, TestFailure, ValueText } from '@h/contracts';
import { expect, test } from 'vitest';
import { type FailureEvidence, type ProposedEdit, proposeEdits } from '../src/index.ts';
import { readFailures, wantedIn } from '../src/read-failure.ts';
import { sharedParser } from './results-of.ts';

const RUN = 'a'.repeat(64);
const value = (type: string, text: string): ValueText => ({ type, text, truncated: false });

interface Step {
  line: number;
  values: Record<string, ValueText>;
  branch?: string;
}

/** A run in which each step read these values. */
function runOf(file: string, steps: readonly Step[], truncated = false): ObservedRun {
  return {
    execution_id: RUN,
    test: 't',
    outcome: 'failed',
    events: steps.map(
      ({ line, values, branch }, sequence): RawEvent => ({
        execution_id: RUN,
        sequence,
        kind: 'value',
        probe_id: 'trace',
        location: `${file}:${line}`,
        payload: { variables: values, ...(branch === undefined ? {} : { branch_taken: branch }) },
      }),
    ),
    rows: steps.map(
      ({ line, values }, sequence): DefUseRow => ({
        sequence,
        location: `${file}:${line}`,
        function: 'f',
        frame: 0,
        role: 'statement',
        defs: [],
        may_defs: [],
        uses: Object.keys(values),
        completed: true,
      }),
    ),
    truncated,
    notes: [],
  };
}

async function scoresOf(path: string, text: string, line: number, evidence?: FailureEvidence) {
  const batches = proposeEdits({
    files: [{ path, text }],
    targets: [{ file: path, first: line, last: line, score: 1 }],
    parser: await sharedParser(),
    ...(evidence === undefined ? {} : { evidence }),
  });
  return new Map([...batches].flatMap(({ candidates }) => candidates.map((one) => [one.provenance, one])));
}

/** How the evidence changes the score of the candidates that a pattern finds. */
async function factorsOf(path: string, text: string, line: number, evidence: FailureEvidence, pattern: RegExp) {
  const before = await scoresOf(path, text, line);
  const after = await scoresOf(path, text, line, evidence);
  const factor = (name: string, { score = 0 }: ProposedEdit) => score / (before.get(name)?.score ?? Number.NaN);
  return [...after].filter(([name]) => pattern.test(name)).map(([name, edit]) => factor(name, edit));
}

const failed = (more: Partial<TestFailure>): TestFailure => ({
  class: 'AssertionError',
  message: '',
  frames: [],
  ...more,
});
const PYTHON = 'def f(a, b):\n    if a < b:\n        return 1\n    return 2\n';

test('a change that gives the same in every execution of the failing run goes to the end', async () => {
  const steps = [
    { line: 2, values: { a: value('int', '1'), b: value('int', '5') }, branch: 'true' },
    { line: 2, values: { a: value('int', '2'), b: value('int', '5') }, branch: 'true' },
  ];
  const evidence = { observed: runOf('a.py', steps) };
  for (const factor of await factorsOf('a.py', PYTHON, 2, evidence, /: < → (<=|!=)/))
    expect(factor).toBeCloseTo(0.02, 1);
  for (const factor of await factorsOf('a.py', PYTHON, 2, evidence, /: < → (>|>=)/))
    expect(factor).toBeGreaterThan(0.8);
});

test('one execution in which it would differ is enough', async () => {
  const steps = [
    { line: 2, values: { a: value('int', '1'), b: value('int', '5') } },
    { line: 2, values: { a: value('int', '5'), b: value('int', '5') } },
  ];
  const [boundary] = await factorsOf('a.py', PYTHON, 2, { observed: runOf('a.py', steps) }, /: < → <=/);
  expect(boundary).toBeGreaterThan(0.8);
});

test('a run that was cut, and a value that was, say nothing', async () => {
  const steps = [{ line: 2, values: { a: value('int', '1'), b: value('int', '5') } }];
  const cut = { observed: runOf('a.py', steps, true) };
  for (const factor of await factorsOf('a.py', PYTHON, 2, cut, /: < → <=/)) expect(factor).toBe(1);
  const unknown = [{ line: 2, values: { a: value('Money', 'Money{cents: 1}'), b: value('int', '5') } }];
  for (const factor of await factorsOf('a.py', PYTHON, 2, { observed: runOf('a.py', unknown) }, /: < → <=/))
    expect(factor).toBeGreaterThan(0.8);
});

test('guards: up where the check would have held, to the end where it never did', async () => {
  const text = 'def f(a):\n    x = a.b\n    return x\n';
  const nothing = runOf('a.py', [{ line: 2, values: { a: value('NoneType', 'None') } }]);
  const something = runOf('a.py', [{ line: 2, values: { a: value('Box', 'Box{b: 1}') } }]);
  const pattern = /guard\/none-return .*if a is None/;
  expect((await factorsOf('a.py', text, 2, { observed: nothing }, pattern))[0]).toBeGreaterThan(2.5);
  expect((await factorsOf('a.py', text, 2, { observed: something }, pattern))[0]).toBeLessThan(0.03);
});

test('sides of an operator that were of different kinds, and an expected result', async () => {
  const text = 'function f(xs, n) {\n  const ok = xs < n;\n  for (const x of xs) g(x);\n  return ok;\n}\n';
  const steps = [{ line: 2, values: { xs: value('Array', '[1, 2]'), n: value('number', '3') } }];
  const [length] = await factorsOf('a.js', text, 2, { observed: runOf('a.js', steps) }, /xs → xs\.length/);
  expect(length).toBeGreaterThan(2.5);
  const sum = 'def f(a, b):\n    return a - b\n';
  const seen = [{ line: 2, values: { a: value('int', '7'), b: value('int', '3') } }];
  const failures = [failed({ expected: '10', actual: '4' })];
  const [plus] = await factorsOf('a.py', sum, 2, { observed: runOf('a.py', seen), failures }, /: - → \+/);
  expect(plus).toBeGreaterThan(3.5);
});

test('what a failure says: unknown names, nothing, ranges', async () => {
  const text = 'def f(total):\n    return totl + 1\n';
  const failures = [failed({ class: 'NameError', message: "name 'totl' is not defined" })];
  const [named] = await factorsOf('a.py', text, 2, { failures }, /totl → total/);
  expect(named).toBeGreaterThan(5);
  expect(
    readFailures([failed({ class: 'TypeError', message: "Cannot read properties of undefined (reading 'x')" })])
      ?.nothing,
  ).toBe(true);
  expect(readFailures([failed({ class: 'IndexError', message: 'list index out of range' })])?.range).toBe(true);
  expect(readFailures([])).toBeUndefined();
});

test('expected and actual: relations, and where they differ', () => {
  const relationOf = (expected: string, actual: string) =>
    readFailures([failed({ expected, actual })])?.differences[0]?.relation;
  expect(relationOf('3', '4')).toBe('one-apart');
  expect(relationOf('3', '-3')).toBe('sign');
  expect(relationOf('True', 'False')).toBe('opposite');
  expect(relationOf('[1]', 'None')).toBe('came-nothing');
  expect(relationOf("'Ab'", "'AB'")).toBe('case');
  expect(relationOf("'a b'", "'ab'")).toBe('blanks');
  expect(relationOf('[1, 2]', '[2, 1]')).toBe('order');
  const signs = readFailures([failed({ expected: "'max-age=10'", actual: "'max_age=10'" })]);
  expect(signs && wantedIn(signs)).toContainEqual({ came: 'max_age', wanted: 'max-age' });
});

test('a literal that came gets what was wanted', async () => {
  const text = "def f():\n    return 'max_age=' + str(10)\n";
  const failures = [failed({ expected: "'max-age=10'", actual: "'max_age=10'" })];
  const found = [...(await scoresOf('a.py', text, 2, { failures })).keys()];
  expect(found.some((name) => name.startsWith('literal/wanted-text') && name.endsWith("'max-age='"))).toBe(true);
});

const LOOP = 'function f(n) {\n  let s = 0;\n  for (let i = 1; i < n; i++) {\n    s += i;\n  }\n  return s;\n}\n';

test('a header that steps, asks and binds is not read: its parts run at different moments', async () => {
  const turn = (i: string, branch: string) => ({
    line: 3,
    values: { i: value('number', i), n: value('number', '4') },
    branch,
  });
  const observed = runOf('a.js', [turn('1', 'iteration'), turn('2', 'iteration'), turn('3', 'done')]);
  const factors = await factorsOf('a.js', LOOP, 3, { observed }, /./);
  expect(factors.length).toBeGreaterThan(20);
  expect(new Set(factors)).toEqual(new Set([1]));
  const again = 'function f(n) {\n  do { n -= 1; } while (n > 3);\n}\n';
  const body = runOf('a.js', [{ line: 2, values: { n: value('number', '9') }, branch: 'done' }]);
  expect(new Set(await factorsOf('a.js', again, 2, { observed: body }, /: > → /))).toEqual(new Set([1]));
});

test.each([
  ['a.py', 'def f(a, b):\n    while a < b:\n        a += g()\n', 'int', 'iteration', 'done'],
  ['a.js', 'function f(a, b) {\n  if (a < b) return 1;\n  return 2;\n}\n', 'number', 'true', 'false'],
])('%s: where the branch taken is another than the values say, nothing is said', async (path, text, type, yes, no) => {
  const values = { a: value(type, '1'), b: value(type, '5') };
  const agreed = { observed: runOf(path, [{ line: 2, values, branch: yes }]) };
  for (const factor of await factorsOf(path, text, 2, agreed, /: < → <=/)) expect(factor).toBeCloseTo(0.02, 1);
  const against = {
    observed: runOf(path, [
      { line: 2, values, branch: yes },
      { line: 2, values, branch: no },
    ]),
  };
  const factors = await factorsOf(path, text, 2, against, /./);
  expect(factors.length).toBeGreaterThan(5);
  for (const factor of factors) expect(factor).toBe(1);
});

test('what the statement itself may have changed before a part of it is not known there', async () => {
  const before = 'function f(i, n) {\n  if (i++ < 9 && i < n) return 1;\n}\n';
  const after = 'function f(i, n) {\n  if (i < n && i++ < 9) return 1;\n}\n';
  const evidence = { observed: changing(['i']) };
  const boundary = /: < → <=/;
  for (const factor of await factorsOf('a.js', before, 2, evidence, boundary)) expect(factor).toBe(1);
  expect(Math.min(...(await factorsOf('a.js', after, 2, evidence, boundary)))).toBeCloseTo(0.02, 1);
});

function changing(names: readonly string[]): ObservedRun {
  const values = { i: value('number', '1'), n: value('number', '5') };
  const run = runOf('a.js', [{ line: 2, values, branch: 'true' }]);
  for (const row of run.rows) row.may_defs = [...names];
  return run;
}

test('a run that was thinned says nothing', async () => {
  const steps = [{ line: 2, values: { a: value('int', '1'), b: value('int', '5') } }];
  for (const more of [
    { gaps: [0] },
    { thinned: [{ location: 'a.py:2', probe_id: 'trace', executed: 9, recorded: 1 }] },
  ])
    for (const factor of await factorsOf(
      'a.py',
      PYTHON,
      2,
      { observed: { ...runOf('a.py', steps), ...more } },
      /: < → <=/,
    ))
      expect(factor).toBe(1);
});
