import type { EvidencePack, StateObservation, ValueText } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatePack } from '../src/index.ts';
import { shaOf, textOf } from './build-run.ts';
import { divergence, failing, packOf, passing, runs, slice } from './tiny-pack.ts';

const pack = packOf();
const codes = (changed: unknown, options = {}) => gatePack(changed, runs, options).map(({ code }) => code);
const change = (index: number, fields: Partial<StateObservation>): EvidencePack => ({
  ...pack,
  evidence_pack: pack.evidence_pack.map((seen, at) => (at === index ? { ...seen, ...fields } : seen)),
});
const indexOf = (step: number) =>
  pack.evidence_pack.findIndex((seen) => seen.path_index === step && seen.execution_id === failing.execution_id);

it('lets a pack of recorded values through', () => {
  expect(codes(pack)).toEqual([]);
  expect(codes(pack, { divergence, slice })).toEqual([]);
});

describe('rejects every kind of change', () => {
  const at = indexOf(4);
  const { variables, return_values } = pack.evidence_pack[at] as StateObservation;
  it.each<[string, unknown, string]>([
    ['value', change(at, { variables: { ...variables, x: textOf(9) } }), 'not_observed'],
    ['type', change(at, { variables: { ...variables, x: { ...textOf(1), type: 'float' } } }), 'not_observed'],
    ['cut', change(at, { variables: { ...variables, x: { ...textOf(1), truncated: true } } }), 'not_observed'],
    ['serial', change(at, { variables: { ...variables, x: { ...textOf(1), ref: 0 } } }), 'not_observed'],
    ['added variable', change(at, { variables: { ...variables, y: textOf(1) } }), 'not_observed'],
    ['left-out variable', change(at, { variables: {} }), 'missing'],
    ['return', change(at, { return_values: { g: textOf(2) } }), 'not_observed'],
    ['call site', change(at, { return_values: { h: return_values.g as ValueText } }), 'not_observed'],
    ['left-out return', change(at, { return_values: {} }), 'missing'],
    ['location', change(at, { location: 'a.py:6' }), 'not_observed'],
    ['path index', change(at, { path_index: 1 }), 'not_observed'],
    ['path index out of the run', change(at, { path_index: 99 }), 'unknown_step'],
    ['branch', change(at, { branch_taken: 'a.py:4 false' }), 'not_observed'],
    ['no branch', change(at, { branch_taken: '' }), 'not_observed'],
    ['execution', change(at, { execution_id: passing.execution_id }), 'not_observed'],
    ['unknown execution', change(at, { execution_id: shaOf('other') }), 'unknown_execution'],
    ['extra key', change(at, { note: 'x' } as never), 'malformed'],
    ['missing field', { ...pack, evidence_pack: [{ ...pack.evidence_pack[at], variables: undefined }] }, 'malformed'],
    ['extra key of the pack', { ...pack, note: 1 }, 'malformed'],
    ['not gated', { ...pack, gated: false }, 'malformed'],
    ['order', { ...pack, evidence_pack: [...pack.evidence_pack].reverse() }, 'wrong_order'],
    ['twice', { ...pack, evidence_pack: pack.evidence_pack.flatMap((seen) => [seen, seen]) }, 'wrong_order'],
    ['executions', { ...pack, execution_ids: [...pack.execution_ids].reverse() }, 'wrong_executions'],
    ['execution added', { ...pack, execution_ids: [...pack.execution_ids, shaOf('z')] }, 'wrong_executions'],
    ['suspect', { ...pack, primary_suspects: ['a.py:3 z'] }, 'unknown_suspect'],
    ['nothing', undefined, 'malformed'],
  ])('%s', (_, changed, code) => expect(codes(changed)).toContain(code));

  it('with the divergence: a suspect that is left out, a value that is masked', () => {
    expect(codes({ ...pack, primary_suspects: ['a.py:3 k'] }, { divergence })).toEqual(['unknown_suspect']);
    const masked = { ...divergence, masked: ['a.py:5 x'] };
    expect(codes(pack, { divergence: masked })).toEqual(['not_observed']);
  });

  it('with the slice: a true observation that the failure does not depend on, and one that is left out', () => {
    const less = { ...slice, links: slice.links.slice(1), slice: slice.slice.slice(1) };
    expect(codes(pack, { divergence, slice: less })).toEqual(['not_in_slice']);
    const dropped = { ...pack, evidence_pack: pack.evidence_pack.filter((_, index) => index !== at) };
    expect(codes(dropped, { divergence, slice })).toEqual(['missing']);
    expect(codes(dropped)).toEqual([]);
  });
});

it('knows operands of an assertion for suspects', () => {
  expect(codes({ ...pack, primary_suspects: ['1', '2'] })).toEqual([]);
  expect(codes({ ...pack, primary_suspects: ['1', '3'] })).toEqual(['unknown_suspect']);
});

/** Every leaf of the pack, as the keys that lead to it. */
function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return [[...path], ...Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]))];
}

function mutate(root: unknown, path: readonly string[], how: number, text: string): void {
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], root) as Record<
    string,
    unknown
  >;
  const key = path.at(-1) ?? '';
  const old = parent[key];
  if (how === 0) delete parent[key];
  else if (how === 1 && Array.isArray(parent)) parent.push(structuredClone(old));
  else if (how === 1) parent[`${key}${text}x`] = structuredClone(old);
  else if (typeof old === 'string') parent[key] = how === 2 ? `${old}${text}x` : text === old ? `${text}x` : text;
  else if (typeof old === 'number') parent[key] = how === 2 ? old + 1 : -old - 1;
  else if (typeof old === 'boolean') parent[key] = !old;
  else parent[key] = how === 2 ? text : null;
}

it('finds 1,000 of 1,000 random changes', () => {
  const paths = leavesOf(pack).filter((path) => path.length > 0);
  let flagged = 0;
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.nat(3), fc.string({ maxLength: 4 }), (path, how, text) => {
      const changed = structuredClone(pack);
      mutate(changed, path, how, text);
      if (JSON.stringify(changed) === JSON.stringify(pack)) throw new Error(`${path.join('/')} was not changed`);
      flagged += Number(gatePack(changed, runs, { divergence, slice }).length > 0);
      expect(gatePack(changed, runs, { divergence, slice })).not.toEqual([]);
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(flagged).toBe(1000);
});
