import { DynamicSlice } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns, dynamicSlice, sliceRows } from '../src/index.ts';
import { again, buildRun, type RowText, shaOf } from './build-run.ts';
import { codeOf } from './code-of.ts';
import { runTiny, tinyPrograms } from './tiny-program.ts';

const rows: RowText[] = [
  { at: 1, role: 'entry', defs: ['n'], values: { n: 3 } },
  { at: 2, defs: ['unused'], uses: ['n'], values: { n: 3, unused: 9 } },
  { at: 3, defs: ['k'], uses: ['n'], values: { n: 3, k: 1 } },
  { at: 4, role: 'branch', uses: ['k'], values: { k: 1 }, branch: 'true' },
  { at: 5, defs: ['x'], parent: 3 },
  { at: 6, role: 'return', uses: ['x'], values: { x: 1 }, returned: 1 },
];
const run = buildRun({ rows });
const record = compareRuns({ failing: run, failingAgain: again(run) });

it('keeps what the failure depends on, root first, each with its value and its event', () => {
  const slice = dynamicSlice(record, run);
  expect(DynamicSlice.parse(JSON.parse(JSON.stringify(slice)))).toEqual(slice);
  expect(
    slice.slice.map(({ location, relation, value }) => `${location} ${relation} ${value.type} ${value.text}`),
  ).toEqual([
    'a.py:6 root int 1',
    'a.py:5 data_dependency none ',
    'a.py:4 control_dependency branch true',
    'a.py:3 data_dependency int 1',
    'a.py:1 data_dependency int 3',
  ]);
  expect(slice.links.map(({ sequence }) => sequence)).toEqual([5, 4, 3, 2, 0]);
  expect(slice.discarded).toBe(1);
  expect(slice).not.toHaveProperty('irreducible');
});

it('says so where nothing can be discarded, and drops no dependency', () => {
  const short = buildRun({ rows: [rows[0] as RowText, { at: 2, role: 'return', uses: ['n'], returned: 3 }] });
  const slice = dynamicSlice(compareRuns({ failing: short }), short);
  expect(slice).toMatchObject({ discarded: 0, irreducible: true });
  expect(slice.slice).toHaveLength(2);
});

it('is cut to the record, and follows dependencies through what is outside', () => {
  const part = { ...record, centered_record: [0, 1, 5].flatMap((index) => run.events[index] ?? []) };
  expect(dynamicSlice(part, run).links.map(({ sequence }) => sequence)).toEqual([5, 0]);
});

it('holds the decision because of which the value was never written', () => {
  const omitted: RowText[] = [
    { at: 1, role: 'entry', defs: ['n'], values: { n: 3 } },
    { at: 2, defs: ['x'], values: { x: 0 } },
    { at: 3, role: 'branch', uses: ['n'], values: { n: 3 }, branch: 'false' },
    { at: 6, role: 'return', uses: ['x'], values: { x: 0 }, returned: 0 },
  ];
  const left = buildRun({ rows: omitted });
  const compared = compareRuns({ failing: left, failingAgain: again(left) });
  const places = (omissions: boolean) =>
    dynamicSlice(compared, left, { omissions }).links.map(({ sequence }) => sequence);
  expect(places(true)).toEqual([3, 2, 1, 0]);
  expect(places(false)).toEqual([3, 1, 0]);
});

it('is empty where nothing was observed', () => {
  const nothing = buildRun({ rows: [] });
  expect(dynamicSlice(compareRuns({ failing: nothing }), nothing)).toEqual({ slice: [], links: [], discarded: 0 });
});

it('refuses the record of another run', () => {
  const other = { ...record, failing_execution_id: shaOf('other') };
  expect(codeOf(() => dynamicSlice(other, run))).toBe('foreign_record');
});

describe('laws', () => {
  it('is a subset of the record: slice and discarded add up', () => {
    fc.assert(
      fc.property(tinyPrograms, (program) => {
        const tiny = runTiny(program).run;
        const compared = compareRuns({ failing: tiny, failingAgain: again(tiny) });
        const slice = dynamicSlice(compared, tiny);
        const inRecord = new Set(compared.centered_record.map(({ sequence }) => sequence));
        expect(slice.links.every(({ sequence }) => inRecord.has(sequence))).toBe(true);
        expect(slice.links.length + slice.discarded).toBe(compared.centered_record.length);
        expect(slice.irreducible === true).toBe(slice.discarded === 0);
        expect(slice.links).toHaveLength(slice.slice.length);
        expect(slice.slice[0]?.relation).toBe('root');
      }),
      { numRuns: 200, seed: 12 },
    );
  });

  it('holds the divergence, which is the disturbed row where nothing else differs before', () => {
    let [diverged, changed, exact] = [0, 0, 0];
    fc.assert(
      fc.property(tinyPrograms, fc.nat(), (program, pick) => {
        const good = runTiny(program);
        const slice = sliceRows(good.run.rows, [good.root], { events: good.run.events }).rows;
        const disturb = slice[pick % slice.length]?.sequence ?? 0;
        const bad = runTiny(program, { disturb });
        const passing = { ...good.run, outcome: 'passed' as const };
        const compared = compareRuns({
          failing: bad.run,
          failingAgain: again(bad.run),
          passing,
          passingAgain: again(passing),
        });
        if (bad.result !== good.result && bad.branches.join() === good.branches.join() && bad.root !== disturb) {
          changed += 1;
          expect(compared.first_divergence).not.toBeNull();
          exact += Number(compared.first_divergence?.sequence === disturb);
        }
        if (compared.first_divergence === null) return;
        diverged += 1;
        const { sequence } = compared.first_divergence;
        expect(dynamicSlice(compared, bad.run).links.map((link) => link.sequence)).toContain(sequence);
        expect(compared.centered_record.map((event) => event.sequence)).toContain(sequence);
      }),
      { numRuns: 1000, seed: 13 },
    );
    expect(diverged).toBeGreaterThan(200);
    expect(changed).toBeGreaterThan(30);
    expect(exact / changed).toBeGreaterThan(0.95);
  });
});

it('gives the same bytes twice', () => {
  expect(JSON.stringify(dynamicSlice(record, run))).toBe(JSON.stringify(dynamicSlice(record, run)));
});

it('follows the decisions of a body that was to raise and did not', () => {
  const body = (fn: string, frame: number, caller: number): RowText[] => [
    { at: 1, fn, frame, role: 'entry', defs: ['n'], caller, values: { n: 3 } },
    { at: 2, fn, frame, role: 'branch', uses: ['n'], values: { n: 3 }, branch: 'false' },
    { at: 4, fn, frame, role: 'return', uses: ['n'], values: { n: 3 }, returned: 3 },
  ];
  const lines = (rows: readonly RowText[]) => {
    const run = buildRun({
      rows,
      failure: { location: 'test_a.py:2', frames: ['test_a.py:2'] },
      test: 'test_a.py::test',
    });
    return dynamicSlice(compareRuns({ failing: run, failingAgain: again(run) }), run).slice.map(
      ({ location }) => location,
    );
  };
  const withStatement: RowText[] = [
    { at: 'test_a.py:1', fn: 'test', role: 'entry' },
    { at: 'test_a.py:2', fn: 'test', uses: ['raises'] },
    { at: 'test_a.py:3', fn: 'test', uses: ['f'] },
    ...body('f', 1, 2),
  ];
  expect(lines(withStatement)).toContain('a.py:2');
  const callback: RowText[] = [
    { at: 'test_a.py:1', fn: 'test', role: 'entry' },
    { at: 'test_a.py:2', fn: 'test', uses: ['assert'], raised: 'AssertionError' },
    { at: 'test_a.py:2', fn: 'test.<anonymous>', frame: 1, role: 'entry', caller: 1 },
    { at: 'test_a.py:3', fn: 'test.<anonymous>', frame: 1, uses: ['f'] },
    ...body('f', 2, 3),
  ];
  expect(lines(callback)).toContain('a.py:2');
});
