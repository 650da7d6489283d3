import { describe, expect, it } from 'vitest';
import { sliceRows } from '../src/index.ts';
import { buildRun, type RowText } from './build-run.ts';

/** Sequences in the slice from the last row. */
function check(rows: readonly RowText[], expected: number[], from = rows.length - 1): void {
  const run = buildRun({ rows });
  const sliced = sliceRows(run.rows, [from], { events: run.events, omissions: true }).rows;
  expect(sliced.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(expected);
}

const entry: RowText = { at: 1, role: 'entry', defs: ['n'] };
const branch = (at: number, decision: string, more: Partial<RowText> = {}): RowText => ({
  ...{ at, role: 'branch', uses: ['n'], branch: decision, parent: 0 },
  ...more,
});
const result: RowText = { at: 9, role: 'return', uses: ['x'] };

describe('a way that was never taken', () => {
  it('may write anything that is used', () =>
    check([entry, { at: 2, defs: ['x'] }, branch(3, 'false'), result], [0, 1, 2, 3]));
  it('matters only before the last use', () =>
    check([entry, { at: 2, defs: ['x'] }, result, branch(3, 'false')], [0, 1, 2], 2));
  it('matters only in calls that contribute', () =>
    check(
      [
        ...[entry, { at: 2, defs: ['x'] }, { at: 5 }, { at: 20, fn: 'g', frame: 1, role: 'entry' as const, caller: 2 }],
        ...[branch(21, 'false', { fn: 'g', frame: 1, parent: 3 }), result],
      ],
      [0, 1, 5],
    ));
});

describe('a way that was taken another time', () => {
  const loop = (writes: string, use = 'x'): RowText[] => [
    entry,
    { at: 2, defs: ['x', 'y'] },
    branch(3, 'true'),
    { at: 4, defs: [writes], parent: 2 },
    branch(3, 'false'),
    { ...result, uses: [use] },
  ];
  it('matters where it writes what is used', () =>
    check(
      loop('x'),
      [0, 1, 2, 3, 4, 5].filter((row) => row !== 1),
    ));
  it('does not where it writes something else', () => check(loop('z'), [0, 1, 5]));
  it('matters where it leaves the function', () =>
    check(
      [
        ...[entry, { at: 2, defs: ['x'] }, branch(3, 'true'), { at: 4, role: 'return' as const, parent: 2 }],
        ...[{ ...entry, frame: 1 }, { at: 2, frame: 1, defs: ['x'] }, branch(3, 'false', { frame: 1, parent: 4 })],
        { ...result, frame: 1 },
      ],
      [4, 5, 6, 7],
    ));
  it('is found once a later statement turns out to read it', () =>
    check(
      [
        entry,
        { at: 2, defs: ['x', 'y'] },
        branch(3, 'true'),
        { at: 4, defs: ['y'], parent: 2 },
        branch(3, 'false'),
        { at: 5, role: 'branch', uses: ['y'], branch: 'false', parent: 0 },
        result,
      ],
      [0, 1, 2, 3, 4, 5, 6],
    ));
});

it('counts its cost: linear in the rows', () => {
  const steps = (size: number) => {
    const rows = Array.from({ length: size }, (_, at) => branch((at % 50) + 2, 'false', { defs: ['n'] }));
    const run = buildRun({ rows: [entry, ...rows, { ...result, uses: ['n'] }] });
    return sliceRows(run.rows, [size + 1], { events: run.events, omissions: true }).steps;
  };
  expect(steps(10_000)).toBeLessThan(steps(1000) * 10.5);
});

it('keeps the distance of a row that was reached without omissions, though one makes a shorter way', () => {
  const chain = Array.from({ length: 4 }, (_, at): RowText => ({ at: 4 + at, defs: [`x${at + 1}`], uses: [`x${at}`] }));
  const rows = [entry, { at: 3, defs: ['x0'], uses: ['n'] }, ...chain, branch(20, 'true', { uses: ['x0'] })];
  const run = buildRun({ rows: [...rows, { at: 30, uses: ['x4'], raised: 'E' }] });
  const depthsOf = (omissions: boolean) =>
    new Map(sliceRows(run.rows, [7], { omissions }).rows.map(({ sequence, depth }) => [sequence, depth]));
  const [plain, followed] = [depthsOf(false), depthsOf(true)];
  expect([plain.get(1), plain.has(6)]).toEqual([5, false]);
  // The decision is one dependence away, and what it reads two: 5 all the same.
  expect([followed.get(1), followed.get(6)]).toEqual([5, 1]);
});
