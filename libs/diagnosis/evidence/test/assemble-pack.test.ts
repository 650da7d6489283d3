import { EvidencePack } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { assemblePack, RETURNS_PER_OBSERVATION } from '../src/index.ts';
import { buildRun, type RowText, textOf } from './build-run.ts';
import { divergence, failing, packOf, passing, runs, slice, sliceOf } from './tiny-pack.ts';

const fields = ['branch_taken', 'execution_id', 'location', 'path_index', 'return_values', 'variables'];
const none = { ...divergence, first_divergence: null, primary_suspects: [] };

it('holds exactly the six fields, of statements of the slice and of the passing run at the divergence', () => {
  const pack = packOf();
  expect(EvidencePack.parse(JSON.parse(JSON.stringify(pack)))).toEqual(pack);
  for (const observation of pack.evidence_pack) expect(Object.keys(observation).sort()).toEqual(fields);
  const steps = pack.evidence_pack.map(({ execution_id, path_index }) => [
    execution_id === failing.execution_id,
    path_index,
  ]);
  expect(steps.filter(([own]) => own).map(([, step]) => step)).toEqual([0, 2, 3, 4, 5, 6, 7]);
  expect(steps.filter(([own]) => !own)).toEqual([[false, 2]]);
  expect(pack.execution_ids).toEqual([failing.execution_id, passing.execution_id].sort());
  expect(pack.primary_suspects).toEqual(divergence.primary_suspects);
});

it('names returns by what was called, and the nearest decision with its place', () => {
  const { evidence_pack } = packOf();
  const at = (step: number) =>
    evidence_pack.find((seen) => seen.path_index === step && seen.execution_id === failing.execution_id);
  expect(at(4)).toMatchObject({ location: 'a.py:5', return_values: { g: textOf(1) }, branch_taken: 'a.py:4 true' });
  expect(at(6)).toMatchObject({ location: 'a.py:11', return_values: { return: textOf(1) }, branch_taken: '' });
  expect(at(3)?.branch_taken).toBe('a.py:4 true');
  expect(at(0)?.branch_taken).toBe('');
});

it('shows values as they were after the statement, and what was raised', () => {
  const rows: RowText[] = [
    { at: 1, defs: ['x'], uses: ['x'], before: { x: 1 }, values: { x: 2 } },
    { at: 2, raised: 'KeyError' },
  ];
  const run = buildRun({ rows });
  const record = { ...none, failing_execution_id: run.execution_id };
  const pack = packOf({ slice: { ...sliceOf(run, [0]), discarded: 1 }, divergence: record, runs: [run] });
  expect(pack.evidence_pack[0]?.variables).toEqual({ x: textOf(2) });
  const raised = {
    location: 'a.py:2',
    value: { type: 'KeyError', text: 'KeyError', truncated: false },
    relation: 'root' as const,
  };
  const links = [{ execution_id: run.execution_id, sequence: 1 }];
  const other = packOf({ slice: { slice: [raised], links, discarded: 1 }, divergence: record, runs: [run] });
  expect(other.evidence_pack[0]?.return_values.raise?.type).toBe('KeyError');
});

it('counts the calls of one statement, up to a bound', () => {
  const calls = Array.from({ length: 30 }, (_, index): RowText[] => [
    { at: 8, fn: 'g', frame: index + 1, role: 'entry', caller: 0 },
    { at: 9, fn: 'g', frame: index + 1, role: 'return', returned: index },
  ]).flat();
  const run = buildRun({ rows: [{ at: 1, defs: ['x'], values: { x: 0 } }, ...calls] });
  const record = { ...none, failing_execution_id: run.execution_id };
  const [seen] = packOf({ slice: sliceOf(run, [0]), divergence: record, runs: [run] }).evidence_pack;
  expect(seen?.return_values).toMatchObject({ g: textOf(0), 'g #2': textOf(1), 'g #20': textOf(19) });
  expect(Object.keys(seen?.return_values ?? {})).toHaveLength(RETURNS_PER_OBSERVATION);
});

it('leaves masked values out', () => {
  const masked = { ...divergence, masked: ['a.py:11 return', 'a.py:3 n', 'a.py:7 return'] };
  const { evidence_pack } = packOf({ divergence: masked });
  for (const seen of evidence_pack) {
    if (seen.location === 'a.py:3') expect(Object.keys(seen.variables)).toEqual(['k']);
    if (seen.location === 'a.py:5') expect(seen.return_values).toEqual({});
    if (seen.location === 'a.py:7') expect(seen.return_values).toEqual({});
  }
});

it('is empty where the slice is', () => {
  const pack = packOf({ slice: { slice: [], links: [], discarded: 0 } });
  expect(pack).toMatchObject({ evidence_pack: [], execution_ids: [], gated: true });
});

describe('rejects', () => {
  const [first, ...rest] = slice.slice;
  const check = (changed: Partial<Parameters<typeof assemblePack>[0]>, code: string) => {
    const assembled = assemblePack({ slice, divergence, runs, ...changed });
    expect(assembled.status === 'rejected' && assembled.violations.map((one) => one.code)).toContain(code);
  };

  it('a slice of a run that is not given', () => check({ runs: [passing] }, 'unknown_execution'));
  it('a value its event did not record', () =>
    check(
      { slice: { ...slice, slice: [{ ...(first as never as object), value: textOf(99) } as never, ...rest] } },
      'not_observed',
    ));
  it('another place', () =>
    check(
      { slice: { ...slice, slice: [{ ...(first as never as object), location: 'a.py:99' } as never, ...rest] } },
      'not_observed',
    ));
  it('a step that is not there', () =>
    check({ slice: { ...slice, links: slice.links.map((link) => ({ ...link, sequence: 99 })) } }, 'unknown_step'));
  it('items without links', () => check({ slice: { ...slice, links: [] } }, 'malformed'));
});

it('gives the same bytes twice', () => {
  expect(JSON.stringify(packOf())).toBe(JSON.stringify(packOf({ runs: [...runs].reverse() })));
});
