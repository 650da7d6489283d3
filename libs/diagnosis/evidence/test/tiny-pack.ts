// A failing and a passing run of one small function, and their pack.
import type { DivergenceRecord, DynamicSlice, EvidencePack, ObservedRun } from '@h/contracts';
import { assemblePack } from '../src/index.ts';
import { buildRun, objectOf, type RowText, type RunText, textOf } from './build-run.ts';

/** def f(n, acc): t = now(); k = n % 2; if k: x = g(k) else: x = 2; return x, with g(p): return p */
export function runOf(n: number, more: Partial<RunText> = {}): ObservedRun {
  const k = n % 2;
  const x = k === 1 ? 1 : 2;
  const acc = objectOf(3, `Acc{total: ${n}, name: 'a, b'}`);
  const inner: RowText[] = [
    { at: 10, fn: 'g', frame: 1, role: 'entry', defs: ['p'], caller: 4, values: { p: k } },
    { at: 11, fn: 'g', frame: 1, role: 'return', uses: ['p'], values: { p: k }, returned: k, parent: 5 },
  ];
  const rows: RowText[] = [
    { at: 1, role: 'entry', defs: ['acc', 'n'], values: { n, acc } },
    { at: 2, defs: ['t'], values: { t: 1000 + n } },
    { at: 3, defs: ['k'], uses: ['n'], values: { n, k }, probe: 'PP1', parent: 0 },
    { at: 4, role: 'branch', uses: ['k'], values: { k }, branch: String(k === 1), parent: 0 },
    k === 1
      ? { at: 5, defs: ['x'], uses: ['k'], values: { k, x }, parent: 3 }
      : { at: 6, defs: ['x'], values: { x }, parent: 3 },
    ...(k === 1 ? inner : []),
    { at: 7, role: 'return', uses: ['x'], values: { x, name: 'a, b' }, returned: x, parent: 0 },
  ];
  return buildRun({ name: `n${n}`, rows, failure: { actual: '1', expected: '2' }, ...more });
}

export const failing = runOf(3);
export const passing = runOf(4, { outcome: 'passed' });
export const runs = [failing, passing];

export function sliceOf(run: ObservedRun, sequences: readonly number[]): DynamicSlice {
  const items = sequences.map((sequence) => {
    const { location, payload } = run.events[sequence] as (typeof run.events)[number];
    const value = payload.return_value ?? Object.values(payload.variables ?? {})[0] ?? textOf('');
    return { location, value, relation: 'data_dependency' as const };
  });
  const links = sequences.map((sequence) => ({ execution_id: run.execution_id, sequence }));
  return { slice: items, links, discarded: run.events.length - sequences.length };
}

export const slice = sliceOf(failing, [7, 6, 5, 4, 3, 2, 0]);
export const divergence: DivergenceRecord = {
  passing_execution_id: passing.execution_id,
  failing_execution_id: failing.execution_id,
  first_divergence: {
    location: 'a.py:3',
    probe_id: 'PP1',
    passing_value: textOf(0),
    failing_value: textOf(1),
    sequence: 2,
  },
  centered_record: failing.events,
  primary_suspects: ['a.py:3 k', 'a.py:4 branch'],
};

export function packOf(parts: Partial<Parameters<typeof assemblePack>[0]> = {}): EvidencePack {
  const assembled = assemblePack({ slice, divergence, runs, ...parts });
  if (assembled.status === 'rejected') throw new Error(JSON.stringify(assembled.violations));
  return assembled.pack;
}
