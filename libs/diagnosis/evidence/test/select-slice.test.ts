import type { DynamicSlice } from '@h/contracts';
import { expect, it } from 'vitest';
import { assemblePack, PACK_BYTES, type SelectOptions, selectSlice } from '../src/index.ts';
import { buildRun, type RowText } from './build-run.ts';
import { divergence, runs, slice, sliceOf } from './tiny-pack.ts';

const none = { first_divergence: null, primary_suspects: [], centered_record: [] };
const text = 'v'.repeat(150);
const rows: RowText[] = Array.from({ length: 60 }, (_, at) => ({
  at: (at % 30) + 1,
  defs: ['x'],
  values: { x: text },
}));
const run = buildRun({ rows });
const whole = sliceOf(run, [...rows.keys()].reverse());
const parts = {
  slice: {
    ...whole,
    slice: whole.slice.map((item, at) => (at === 0 ? { ...item, relation: 'root' as const } : item)),
    discarded: 3,
  },
  divergence: { ...none, failing_execution_id: run.execution_id },
  runs: [run],
};
const lines = ({ slice: items }: DynamicSlice) => items.map(({ location }) => Number(location.slice('a.py:'.length)));
const packOf = (options: SelectOptions) => {
  const selected = selectSlice(parts, options);
  expect(selected.slice.length + selected.discarded).toBe(parts.slice.slice.length + parts.slice.discarded);
  const assembled = assemblePack({ ...parts, slice: selected });
  if (assembled.status !== 'gated') throw new Error(JSON.stringify(assembled.violations));
  return { selected, bytes: new TextEncoder().encode(JSON.stringify(assembled.pack)).length };
};

it('shows one step of each statement, the one nearest to the failure', () => {
  const { selected } = packOf({ maxBytes: 1_000_000 });
  expect(lines(selected)).toEqual(Array.from({ length: 30 }, (_, at) => 30 - at));
  expect(selected.links.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 30 }, (_, at) => 59 - at));
});
it('keeps within the bound, as the pack is written down', () => {
  const { selected, bytes } = packOf({});
  expect(bytes).toBeLessThanOrEqual(PACK_BYTES);
  expect(bytes).toBeGreaterThan(PACK_BYTES - 500);
  expect(lines(selected)[0]).toBe(30);
});
it('takes suspicious statements before near ones', () => {
  const { selected } = packOf({ order: ['a.py:2', 'a.py:99', 'a.py:1'] });
  expect(lines(selected).slice(-2)).toEqual([2, 1]);
});
it('shows what is in question whatever its size', () => {
  const { selected } = packOf({ points: ['a.py:5', 'a.py:99'], maxBytes: 0 });
  expect(lines(selected)).toEqual([30, 5]);
  expect(lines(packOf({ points: ['./a.py:5'], maxBytes: 0 }).selected)).toEqual([30, 5]);
});
it('says on that events are missing', () => {
  const marked = { ...parts, slice: { ...parts.slice, irreducible: true as const, incomplete: true as const } };
  const selected = selectSlice(marked, { maxBytes: 0 });
  expect([selected.incomplete, selected.irreducible]).toEqual([true, undefined]);
});
it('passes over what is too large, and goes on', () => {
  const large = buildRun({
    rows: [
      { at: 1, defs: ['x'], values: { x: 1 } },
      { at: 2, defs: ['x'], values: { x: 'w'.repeat(3000) } },
      { at: 3, defs: ['x'], values: { x: 1 } },
    ],
  });
  const record = { ...none, failing_execution_id: large.execution_id };
  const selected = selectSlice(
    { slice: { ...sliceOf(large, [2, 1, 0]), discarded: 0 }, divergence: record, runs: [large] },
    { maxBytes: 1500 },
  );
  expect(lines(selected)).toEqual([3, 1]);
});
it('keeps the divergence with its passing side, and what cannot be reduced as it is', () => {
  expect(selectSlice({ slice, divergence, runs }, { maxBytes: 1_000_000 })).toEqual(slice);
  const least = selectSlice({ slice, divergence, runs }, { maxBytes: 0 });
  expect(least.links.map(({ sequence }) => sequence)).toContain(divergence.first_divergence?.sequence);
  const assembled = assemblePack({ slice: least, divergence, runs });
  expect(assembled.status === 'gated' && assembled.pack.execution_ids).toHaveLength(2);
  const empty = { slice: [], links: [], discarded: 0 };
  expect(selectSlice({ slice: empty, divergence, runs })).toEqual(empty);
});
