// The oracle of field target L4, on generated programs with aliases, nested objects, calls and loops.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sliceRows } from '../src/index.ts';
import { type RunOptions, runTiny, type TinyProgram, tinyPrograms } from './tiny-program.ts';

function sliceTiny(program: TinyProgram, options: RunOptions) {
  const recorded = runTiny(program, options);
  const { run, root } = recorded;
  const { rows } = sliceRows(run.rows, [root], options.values === false ? {} : { events: run.events });
  return { ...recorded, slice: new Set(rows.map(({ sequence }) => sequence)) };
}

describe.each([
  { name: 'values and serials', options: {} },
  { name: 'values without serials', options: { refs: false } },
  { name: 'no values', options: { values: false } },
])('$name', ({ options }) => {
  it('keeps all the criterion depends on: everything else may do nonsense', () => {
    fc.assert(
      fc.property(tinyPrograms, (program) => {
        const { slice, branches, result } = sliceTiny(program, options);
        const replay = runTiny(program, { ...options, only: { slice, branches } });
        expect({ result: replay.result, wrong: replay.wrongBranches }).toEqual({ result, wrong: 0 });
      }),
      { numRuns: 1000, seed: 4 },
    );
  });
});

it('is not touched by a disturbed value outside it, unless a branch outside it turns', () => {
  let checked = 0;
  fc.assert(
    fc.property(tinyPrograms, fc.nat(), (program, pick) => {
      const { slice, run, branches, result } = sliceTiny(program, {});
      const outside = run.rows.filter(({ sequence }) => !slice.has(sequence));
      const chosen = outside[pick % Math.max(outside.length, 1)];
      if (chosen === undefined) return;
      const disturbed = runTiny(program, { disturb: chosen.sequence });
      // A branch that turns runs other statements: an omission, which needs potential dependences (README).
      if (disturbed.branches.join() !== branches.join()) return;
      checked += 1;
      expect(disturbed.result).toBe(result);
    }),
    { numRuns: 1000, seed: 9 },
  );
  expect(checked).toBeGreaterThan(500);
});

it('misses few values that matter only through a branch that turns, once omissions are followed', () => {
  let [turned, missed, missedWithout] = [0, 0, 0];
  fc.assert(
    fc.property(tinyPrograms, (program) => {
      const { run, root, branches, result } = runTiny(program);
      const slice = (omissions: boolean) =>
        new Set(sliceRows(run.rows, [root], { events: run.events, omissions }).rows.map(({ sequence }) => sequence));
      const [following, plain] = [slice(true), slice(false)];
      for (let chosen = 0; chosen < run.rows.length; chosen += 3) {
        const disturbed = runTiny(program, { disturb: chosen });
        if (disturbed.branches.join() === branches.join() || disturbed.result === result) continue;
        turned += 1;
        missed += Number(!following.has(chosen));
        missedWithout += Number(!plain.has(chosen));
      }
    }),
    { numRuns: 250, seed: 21 },
  );
  expect(turned).toBeGreaterThan(15);
  expect(missed / turned).toBeLessThan(0.05);
  expect(missedWithout / turned).toBeGreaterThan(0.05);
});

it.each([
  { omissions: false, most: 0.35 },
  { omissions: true, most: 0.6 },
])('is smaller than the run: %o', ({ omissions, most }) => {
  const sizes = fc.sample(tinyPrograms, { numRuns: 200, seed: 7 }).map((program) => {
    const { run, root } = runTiny(program);
    return sliceRows(run.rows, [root], { events: run.events, omissions }).rows.length / run.rows.length;
  });
  expect(sizes.sort((a, b) => a - b)[100]).toBeLessThan(most);
});
