// Runs of which events are missing: the bound was reached, and the middle of a loop was left out.
import { DivergenceRecord, DynamicSlice, type ObservedRun } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { checkDeterminism, compareRuns, dynamicSlice, traceDiff } from '../src/index.ts';
import { again, buildRun, objectOf, type RowText } from './build-run.ts';

/** def f(xs): for i in xs: if i % 7 == 0: w = i … return k, w. With `thin` the first and the last three turns alone are on record. */
function loopOf(turns: number, outcome: 'failed' | 'passed', thin: boolean, k = turns): ObservedRun {
  const xs = objectOf(1, `[${'.'.repeat(turns)}]`, 'list');
  const rows: RowText[] = [
    { at: 1, role: 'entry', defs: ['xs'], values: { xs } },
    { at: 2, role: 'branch', uses: ['xs'], values: { xs }, branch: String(k === turns), parent: 0 },
  ];
  const gaps: number[] = [];
  for (let i = 1; i <= turns; i += 1) {
    if (thin && i > 3 && i <= turns - 3) continue;
    if (thin && i === turns - 2) gaps.push(rows.length);
    const head = rows.length;
    rows.push({ at: 3, role: 'branch', defs: ['i'], uses: ['xs'], values: { xs, i }, branch: 'iteration', parent: 0 });
    rows.push({ at: 4, role: 'branch', uses: ['i'], values: { i }, branch: String(i % 7 === 0), parent: head });
    if (i % 7 === 0) rows.push({ at: 5, defs: ['w'], uses: ['i'], values: { i, w: i }, parent: head + 1 });
  }
  const values = { k: outcome === 'failed' ? 2 : 1, w: turns - (turns % 7) };
  const end = outcome === 'failed' ? { raised: 'E' } : { returned: 1 };
  rows.push({ at: 3, role: 'branch', uses: ['xs'], values: { xs }, branch: 'done', parent: 0 });
  rows.push({ at: 7, role: 'return', uses: ['k', 'w'], values, parent: 0, ...end });
  const run = buildRun({
    name: outcome,
    outcome,
    rows,
    ...(outcome === 'failed' ? { failure: { location: 'a.py:7' } } : {}),
  });
  const thinned = [{ location: 'a.py:4', probe_id: 'trace', executed: turns, recorded: 6 }];
  return thin ? { ...run, truncated: true, gaps, thinned } : run;
}
function compare(failing: ObservedRun, passing: ObservedRun, failingAgain = again(failing)) {
  const record = compareRuns({ failing, failingAgain, passing, passingAgain: again(passing) });
  expect(DivergenceRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  return record;
}

describe('a divergence of runs with gaps', () => {
  it('is none behind the first one, where turns of a loop are not those that their number says', () => {
    const [failing, passing] = [loopOf(42, 'failed', true), loopOf(24, 'passed', true)];
    expect(compare(failing, passing)).toMatchObject({ first_divergence: null, reason: 'truncated' });
    expect(compare(failing, loopOf(24, 'passed', false)).reason).toBe('truncated');
    expect(compare(loopOf(42, 'failed', false), passing).reason).toBe('truncated');
    const { differences, cut } = traceDiff(failing, passing);
    expect([cut, differences.every(({ sequence }) => sequence < (failing.gaps?.[0] ?? 0))]).toEqual([true, true]);
    expect(traceDiff(failing, failing)).toMatchObject({ differences: [], cut: true });
    expect(traceDiff(loopOf(9, 'failed', false), loopOf(9, 'passed', false)).cut).toBeUndefined();
  });

  it('is one that was over before', () => {
    const rows = (k: string): RowText[] => [
      { at: 1, role: 'entry', defs: ['n'], values: { n: 1 } },
      { at: 2, role: 'branch', uses: ['n'], values: { n: 1 }, branch: k, parent: 0 },
      { at: 3, defs: ['x'], uses: ['n'], values: { n: 1, x: 1 }, parent: 1 },
      { at: 4, role: 'return', uses: ['x'], values: { x: 1 }, parent: 1, ...(k === 'true' ? { raised: 'E' } : {}) },
    ];
    const bad = buildRun({ rows: rows('true'), failure: { location: 'a.py:4' } });
    const good = buildRun({ name: 'good', outcome: 'passed', rows: rows('false') });
    const cutAt = (gap: number) => compare({ ...bad, truncated: true, gaps: [gap] }, good);
    expect(cutAt(3).first_divergence).toMatchObject({ location: 'a.py:2', name: 'branch' });
    // What the condition called may be what is missing: its own outcome is not the earliest then.
    expect(cutAt(2)).toMatchObject({ first_divergence: null, reason: 'truncated' });
    expect(compare({ ...bad, truncated: true, gaps: [3] }, { ...good, truncated: true, gaps: [2] }).reason).toBe(
      'truncated',
    );
  });

  it('is not said to be absent where a stream ends early', () => {
    const same = loopOf(9, 'passed', false, 9);
    const failing = loopOf(9, 'failed', false, 9);
    const early = { ...same, truncated: true, rows: same.rows.slice(0, 5), events: same.events.slice(0, 5) };
    expect(compare(failing, early)).toMatchObject({ first_divergence: null, reason: 'truncated' });
  });
});

it('two runs of one side that were cut at different places are no other path', () => {
  const [whole, thin] = [loopOf(42, 'failed', false), loopOf(42, 'failed', true)];
  expect(checkDeterminism(thin, again({ ...whole, truncated: true }))).toEqual({ status: 'deterministic', masked: [] });
  expect(checkDeterminism(thin, again(thin))).toEqual({ status: 'deterministic', masked: [] });
});

it('a slice says that what happened in a gap is not known, and keeps what may have been read there', () => {
  const rows: RowText[] = [
    { at: 1, role: 'entry' },
    { at: 2, defs: ['x'], values: { x: 1 } },
    { at: 4, uses: ['x'], values: { x: 77 }, raised: 'E' },
  ];
  const run = buildRun({ rows, failure: { location: 'a.py:4' } });
  const sliceOf = (failing: ObservedRun) => {
    const slice = dynamicSlice(compareRuns({ failing }), failing);
    expect(DynamicSlice.parse(JSON.parse(JSON.stringify(slice)))).toEqual(slice);
    return [slice.incomplete, slice.slice.map(({ location }) => location).join(' ')];
  };
  expect(sliceOf({ ...run, truncated: true, gaps: [2] })).toEqual([true, 'a.py:4 a.py:2 a.py:1']);
  expect(sliceOf({ ...run, truncated: true })[0]).toBe(true);
  expect(sliceOf(run)[0]).toBeUndefined();
});
