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

it('is smaller than the run', () => {
  const sizes = fc.sample(tinyPrograms, { numRuns: 300, seed: 7 }).map((program) => {
    const { slice, run } = sliceTiny(program, {});
    return slice.size / run.rows.length;
  });
  const median = sizes.sort((a, b) => a - b)[150] ?? 1;
  expect(median).toBeLessThan(0.5);
});
