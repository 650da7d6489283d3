import type { ObservedRun } from '@h/contracts';
import { DivergenceRecord } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type ComparedRuns, compareRuns, dynamicSlice, RECORD_EVENTS } from '../src/index.ts';
import { again, buildRun, type RowText, type RunText } from './build-run.ts';
import { codeOf } from './code-of.ts';

/** def f(n): log(n); k = n % 2; if k: x = 1 else: x = 2; return x. The test expects 2. */
function runOf(n: number, more: Partial<RunText> = {}, noise = 0): ObservedRun {
  const k = n % 2;
  const rows: RowText[] = [
    { at: 1, role: 'entry', defs: ['n'], values: { n } },
    { at: 2, uses: ['n'], defs: ['t'], values: { n, t: 100 + n + noise } },
    { at: 3, defs: ['k'], uses: ['n'], values: { n, k }, probe: 'PP1' },
    { at: 4, role: 'branch', uses: ['k'], values: { k }, branch: String(k === 1), parent: 0 },
    { at: k === 1 ? 5 : 6, defs: ['x'], values: { x: 2 - k }, parent: 3 },
    { at: 7, role: 'return', uses: ['x'], values: { x: 2 - k }, returned: 2 - k, parent: 0 },
  ];
  return buildRun({ name: `n${n}`, rows, ...more });
}
const failure = { location: 'test_a.py:9', frames: ['test_a.py:9'], actual: '1', expected: '2' };
const failing = runOf(3, { failure });
const passing = runOf(4, { outcome: 'passed' });
const twice = { failing, failingAgain: again(failing), passing, passingAgain: again(passing) };

function check(runs: ComparedRuns, expected: Partial<DivergenceRecord>): DivergenceRecord {
  const record = compareRuns(runs);
  expect(DivergenceRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  expect(record).toMatchObject(expected);
  return record;
}

describe('a divergence', () => {
  it('is the first decision that differs, where what differs before is computed from what the tests handed in', () => {
    const record = check(twice, {
      first_divergence: {
        location: 'a.py:4',
        probe_id: 'trace',
        passing_value: { type: 'branch', text: 'false', truncated: false },
        failing_value: { type: 'branch', text: 'true', truncated: false },
        sequence: 3,
        name: 'branch',
        passing_sequence: 3,
      },
      primary_suspects: ['a.py:4 branch', 'a.py:4 k', 'a.py:3 k'],
    });
    expect(record.reason).toBeUndefined();
    expect(record.centered_record.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('names the sibling and why it was taken', () => {
    check({ ...twice, sibling: { test: 't', why: 'nearest' } }, { sibling: { test: 't', why: 'nearest' } });
  });

  it('takes the branch before the values of one row', () => {
    const rows = (branch: string, v: number): RowText[] => [
      { at: 1, role: 'entry' },
      { at: 2, role: 'branch', uses: ['v'], values: { v }, branch },
      { at: 3, role: 'return', parent: 1, returned: v },
    ];
    const bad = buildRun({ rows: rows('true', 1) });
    const good = buildRun({ name: 'good', outcome: 'passed', rows: rows('false', 2) });
    const record = check({ failing: bad, failingAgain: again(bad), passing: good, passingAgain: again(good) }, {});
    expect(record.first_divergence?.failing_value).toEqual({ type: 'branch', text: 'true', truncated: false });
    expect(record.primary_suspects).toEqual(['a.py:2 branch', 'a.py:2 v']);
  });

  it('holds divergence and failure in a bounded record', () => {
    const long = (n: number, outcome: ObservedRun['outcome']) => {
      const loop = Array.from({ length: 3000 }, (): RowText => ({ at: 2, defs: ['x'], uses: ['x'], values: { x: n } }));
      const rows: RowText[] = [
        { at: 1, role: 'entry', defs: ['n'], values: { n } },
        ...Array.from({ length: 400 }, (): RowText => ({ at: 9, defs: ['z'], values: { z: 0 } })),
        { at: 2, defs: ['x'], values: { x: n } },
        ...loop,
        { at: 3, role: 'return', uses: ['x'], values: { x: n }, returned: n },
      ];
      return buildRun({ name: outcome, outcome, rows });
    };
    const [bad, good] = [long(1, 'failed'), long(2, 'passed')];
    const { centered_record } = check(
      { failing: bad, failingAgain: again(bad), passing: good, passingAgain: again(good) },
      {},
    );
    const kept = centered_record.map(({ sequence }) => sequence);
    expect(kept).toHaveLength(RECORD_EVENTS);
    expect([kept[0], kept.at(-1)]).toEqual([0, 3402]);
    expect([kept.filter((at) => at <= 401).length, kept.includes(400), kept.includes(3401)]).toEqual([256, true, true]);
    expect(kept).toContain(401);
    expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
  });
});

describe('no divergence', () => {
  const operands = { first_divergence: null, primary_suspects: ['1', '2'] };

  it('without a passing sibling', () => {
    check({ failing, failingAgain: again(failing) }, { reason: 'no_passing_sibling', ...operands });
  });

  it('where a side was not run again', () => {
    check({ failing, passing, passingAgain: again(passing) }, { reason: 'not_checked', ...operands });
    check({ failing, failingAgain: again(failing), passing }, { reason: 'not_checked', ...operands });
  });

  it('where a side is one record given twice', () => {
    check({ ...twice, failingAgain: failing }, { reason: 'not_checked', ...operands });
    check({ ...twice, passingAgain: passing }, { reason: 'not_checked', ...operands });
  });

  it.each<[string, ObservedRun]>([
    ['outcome', runOf(3, { failure, outcome: 'passed' })],
    ['failure class', runOf(3, { failure: { ...failure, class: 'KeyError' } })],
    ['failure location', runOf(3, { failure: { ...failure, location: 'test_a.py:8' } })],
    ['path', runOf(4, { failure })],
    ['length', buildRun({ rows: [], failure })],
  ])('where the %s differs between two runs of one side', (_, failingAgain) => {
    check({ ...twice, failingAgain: again(failingAgain) }, { reason: 'nondeterministic', ...operands });
  });

  it('where the passing side is not the same twice', () => {
    check(
      { ...twice, passingAgain: again(runOf(3, { outcome: 'passed' })) },
      { reason: 'nondeterministic', ...operands },
    );
  });

  it('where the observed run does not fail, or the sibling does', () => {
    check({ ...twice, failing: passing, failingAgain: again(passing) }, { reason: 'not_reproduced' });
    const plain = {
      outcome: twice.failing.outcome,
      ...(twice.failing.failure === undefined ? {} : { failure: twice.failing.failure }),
    };
    expect(compareRuns({ ...twice, plain }).reason).not.toBe('observer_effect');
    check({ ...twice, plain: { ...plain, outcome: 'timeout' } }, { reason: 'observer_effect' });
    check(
      { ...twice, plain: { ...plain, failure: { class: 'Other', message: '', frames: [] } } },
      { reason: 'observer_effect' },
    );
    const plainAt = (location?: string) => {
      const ends = {
        class: 'AssertionError',
        message: '',
        frames: [],
        ...(location === undefined ? {} : { location }),
      };
      return compareRuns({ ...twice, plain: { ...plain, failure: ends } }).reason;
    };
    expect([plainAt('test_a.py:8'), plainAt('test_a.py:9'), plainAt()]).toEqual([
      'observer_effect',
      undefined,
      undefined,
    ]);
    check({ ...twice, passing: failing, passingAgain: again(failing) }, { reason: 'sibling_not_passing' });
  });

  it('where nothing that the failure depends on differs', () => {
    const same = runOf(3, { outcome: 'passed', name: 'same' });
    check({ ...twice, passing: same, passingAgain: again(same) }, { reason: 'no_divergence', ...operands });
  });

  it('names the operands of the statement that raised', () => {
    const rows: RowText[] = [
      { at: 1, role: 'entry', defs: ['d', 'k'], values: { d: 1, k: 2 } },
      { at: 2, uses: ['d', 'k'], values: { d: 1, k: 2 }, raised: 'KeyError' },
    ];
    const run = buildRun({ rows, failure: { class: 'KeyError', location: 'a.py:2', frames: ['a.py:2'] } });
    const record = check({ failing: run, failingAgain: again(run) }, { primary_suspects: ['a.py:2 d', 'a.py:2 k'] });
    expect(record.centered_record).toHaveLength(2);
  });

  it('holds what the failing statement called, and that statement', () => {
    const calls = Array.from({ length: 900 }, (_, at): RowText => ({ at: at + 20, fn: 'g', frame: 1, defs: ['x'] }));
    const rows: RowText[] = [{ at: 1 }, { at: 2, raised: 'AssertionError' }, ...calls];
    const run = buildRun({ rows, failure: { location: 'a.py:2' } });
    const kept = compareRuns({ failing: run, failingAgain: again(run) }).centered_record.map(
      ({ sequence }) => sequence,
    );
    expect([kept.length, kept[0], kept[1], kept.at(-1)]).toEqual([RECORD_EVENTS, 0, 1, 901]);
  });

  it('names no test object as an operand', () => {
    const self = { type: 'ATest', text: 'ATest{}', truncated: false, ref: 0 };
    const rows: RowText[] = [
      { at: 'test_a.py:1', fn: 'ATest.test_x', role: 'entry', defs: ['self'], values: { self } },
      {
        at: 'test_a.py:2',
        fn: 'ATest.test_x',
        uses: ['ok', 'self'],
        values: { ok: 0, self },
        raised: 'AssertionError',
      },
    ];
    const run = buildRun({ rows, test: 'test_a.py::ATest::test_x', failure: { location: 'test_a.py:2' } });
    check({ failing: run, failingAgain: again(run) }, { primary_suspects: ['test_a.py:2 ok'] });
  });

  it('ends the record at the failure', () => {
    const rows = Array.from(
      { length: 900 },
      (_, at): RowText => ({ at: at + 1, defs: ['x'], ...(at === 799 ? { raised: 'ValueError' } : {}) }),
    );
    const run = buildRun({ rows, failure: { location: 'a.py:800' } });
    const { centered_record } = compareRuns({ failing: run, failingAgain: again(run) });
    const kept = centered_record.map(({ sequence }) => sequence);
    expect([kept.length, kept.at(-1)]).toEqual([RECORD_EVENTS, 799]);
  });

  it('reaches back to each statement of the slice, past a loop that does not fit', () => {
    const rows: RowText[] = [
      { at: 1, role: 'entry' },
      { at: 2, defs: ['k'], values: { k: 1 } },
      ...Array.from({ length: 900 }, (): RowText => ({ at: 3, defs: ['z'], values: { z: 0 } })),
      { at: 4, uses: ['k'], values: { k: 1 }, raised: 'ValueError' },
    ];
    const run = buildRun({ rows, failure: { location: 'a.py:4', frames: ['a.py:4'] } });
    const record = compareRuns({ failing: run, failingAgain: again(run) });
    expect(record.centered_record).toHaveLength(RECORD_EVENTS);
    expect(dynamicSlice(record, run).slice.map(({ location }) => location)).toEqual(['a.py:4', 'a.py:2', 'a.py:1']);
  });
});

describe('values that waver', () => {
  it('are masked and named, and drive no divergence', () => {
    const failingAgain = again(runOf(3, { failure }, 5));
    const { first_divergence } = check({ ...twice, failingAgain }, { masked: ['a.py:2 t'] });
    expect(first_divergence?.location).toBe('a.py:4');
  });

  it('are masked where there is no divergence at all', () => {
    check(
      { failing, failingAgain: again(runOf(3, { failure }, 1)) },
      { masked: ['a.py:2 t'], reason: 'no_passing_sibling' },
    );
  });

  it('hide a difference the failure depends on', () => {
    const rows = (x: number): RowText[] => [
      { at: 1, role: 'entry' },
      { at: 2, role: 'return', returned: x },
    ];
    const [bad, badAgain] = [buildRun({ rows: rows(1) }), again(buildRun({ rows: rows(2) }))];
    const good = buildRun({ name: 'good', outcome: 'passed', rows: rows(3) });
    const runs = { failing: bad, failingAgain: badAgain, passing: good, passingAgain: again(good) };
    check(runs, { reason: 'no_divergence', masked: ['a.py:2 return'] });
  });
});

it('compares cut streams as far as both go', () => {
  const cut = { ...failing, rows: failing.rows.slice(0, 4), events: failing.events.slice(0, 4), truncated: true };
  check({ failing, failingAgain: again(cut) }, { reason: 'no_passing_sibling' });
});

it('refuses a stream whose events are not numbered', () => {
  const events = failing.events.map((event) => ({ ...event, sequence: 7 }));
  expect(codeOf(() => compareRuns({ failing: { ...failing, events } }))).toBe('sequence_mismatch');
  expect(codeOf(() => compareRuns({ failing: { ...failing, events: [] } }))).toBe('sequence_mismatch');
});

it('gives the same bytes twice', () => {
  expect(JSON.stringify(compareRuns(twice))).toBe(JSON.stringify(compareRuns(twice)));
});

/** def half(a): return a // 2; def mean(a, b): low = half(a); return low - b // 2. The test expects mean(2, 4) == 3. */
function meanOf(name: string, a: number, b: number, more: Partial<RunText>): ObservedRun {
  const [low, answer] = [Math.floor(a / 2), Math.floor(a / 2) - Math.floor(b / 2)];
  const test = `test_calc.py::MeanTest::test_${name}`;
  const self = { type: 'MeanTest', text: `MeanTest{_testMethodName: 'test_${name}'}`, truncated: false, ref: 0 };
  const fn = `MeanTest.test_${name}`;
  const [line, inMean, inHalf] = [a === 2 ? 8 : 11, { fn: 'mean', frame: 1 }, { fn: 'half', frame: 2 }];
  const rows: RowText[] = [
    { at: `test_calc.py:${line - 1}`, fn, role: 'entry', defs: ['self'], values: { self } },
    { at: `test_calc.py:${line}`, fn, uses: ['mean', 'self'], may: ['self'], values: { self }, parent: 0 },
    { at: 'calc.py:5', ...inMean, role: 'entry', caller: 1, defs: ['a', 'b'], values: { a, b } },
    { at: 'calc.py:6', ...inMean, uses: ['a', 'half'], defs: ['low'], values: { a, low }, parent: 2 },
    { at: 'calc.py:1', ...inHalf, role: 'entry', caller: 3, defs: ['a'], values: { a } },
    { at: 'calc.py:2', ...inHalf, role: 'return', uses: ['a'], values: { a }, returned: low, parent: 4 },
    { at: 'calc.py:7', ...inMean, role: 'return', uses: ['b', 'low'], values: { b, low }, returned: answer, parent: 2 },
  ];
  return buildRun({ name, test, rows, ...more });
}

it('reaches what a failing test statement called, and names what it computed', () => {
  const wrong = { location: 'test_calc.py:8', frames: ['test_calc.py:8'], actual: '-1', expected: '3' };
  const two = meanOf('two', 2, 4, { failure: wrong });
  const zero = meanOf('zero', 0, 0, { outcome: 'passed' });
  const record = check({ failing: two, failingAgain: again(two), passing: zero, passingAgain: again(zero) }, {});
  expect(record.first_divergence).toMatchObject({ location: 'calc.py:2', passing_value: { text: '0' } });
  expect(record.primary_suspects).toEqual(['calc.py:2 return']);
  const places = dynamicSlice(record, two).slice.map(({ location }) => location);
  expect(places).toEqual(expect.arrayContaining(['calc.py:7', 'calc.py:2', 'test_calc.py:8']));
});
