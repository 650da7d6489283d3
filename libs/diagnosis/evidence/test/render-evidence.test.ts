import type { EvidencePack } from '@h/contracts';
import { parseLines } from '@h/contracts';
import { arbitraries } from '@h/contracts/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderEvidence } from '../src/index.ts';
import { buildRun, type RowText } from './build-run.ts';
import { divergence, packOf, sliceOf } from './tiny-pack.ts';

it('says what was observed', () => {
  expect(
    renderEvidence(packOf())
      .split('\n')
      .filter((line) => !line.includes('run 2')),
  ).toContain('Suspects: a.py:3 k; a.py:4 branch');
  const text = renderEvidence(packOf()).replace(/run \d/g, 'run _');
  expect(text).toContain('run _ step 2 a.py:3: k = 1, n = 3');
  expect(text).toContain('run _ step 2 a.py:3: k = 0, n = 4');
  expect(text).toContain('run _ step 4 a.py:5: k = 1, x = 1; g() = 1; branch a.py:4 true');
  expect(text).toContain("run _ step 7 a.py:7: name = 'a, b', x = 1; returns 1");
  expect(text).not.toContain('left out');
});

const bytes = (text: string) => new TextEncoder().encode(text).length;

it('cites each observation by its index, and says which are left out', () => {
  const pack = packOf();
  const cited = renderEvidence(pack).split('\n').slice(2);
  expect(cited.map((line) => Number(/^\[(\d+)\] /.exec(line)?.[1]))).toEqual([...pack.evidence_pack.keys()]);
  for (const [index, line] of cited.entries()) expect(line).toContain(` ${pack.evidence_pack[index]?.location}`);
  const short = renderEvidence(long, { maxBytes: 1000 });
  const [, left] = /left out: \[([\d,-]+)\]\)$/.exec(short) ?? [];
  const kept = [...short.matchAll(/^\[(\d+)\] /gm)].map(([, index]) => Number(index));
  expect([...parseLines(left ?? ''), ...kept].sort((a, b) => a - b)).toEqual([...long.evidence_pack.keys()]);
});

it('keeps the places that its caller puts first', () => {
  const options = { maxBytes: 1000 };
  expect(renderEvidence(long, options)).not.toContain(' a.py:200: ');
  expect(renderEvidence(long, { ...options, first: ['a.py:200'] })).toContain(' a.py:200: ');
});

const rows = Array.from(
  { length: 500 },
  (_, at): RowText => ({ at: at + 1, defs: ['x'], values: { x: 'v'.repeat(at % 90) } }),
);
const run = buildRun({ rows });
const long = packOf({
  slice: sliceOf(run, [...rows.keys()].reverse()),
  divergence: {
    ...divergence,
    failing_execution_id: run.execution_id,
    first_divergence: null,
    primary_suspects: ['a.py:3 x'],
  },
  runs: [run],
});

it('keeps the suspects and the steps nearest to the end, and counts the rest', () => {
  const text = renderEvidence(long);
  expect(bytes(text)).toBeLessThanOrEqual(6000);
  expect(text.length).toBeGreaterThan(5000);
  expect(text).toContain(' a.py:3: ');
  expect(text).toContain(' a.py:500: ');
  const kept = text.split('\n').filter((line) => line.startsWith('[')).length;
  expect(text).toContain(`(${500 - kept} of 500 observations left out`);
});

it('calls runs what they are called, and shortens values before it leaves out observations', () => {
  expect(renderEvidence(long, { names: { [run.execution_id]: 'failing' } })).toContain('failing step 499 a.py:500: ');
  const some = { ...long, evidence_pack: long.evidence_pack.slice(400, 450) };
  for (const seen of some.evidence_pack)
    seen.variables = { x: { type: 'str', text: `'${'v'.repeat(150)}'`, truncated: false } };
  const text = renderEvidence(some);
  expect(text).not.toContain('left out');
  expect(text).toContain(`${'v'.repeat(58)}…`);
  expect(text).not.toContain('v'.repeat(60));
});

it('puts every text on one line', () => {
  const pack: EvidencePack = structuredClone(packOf());
  const [first] = pack.evidence_pack;
  if (first !== undefined) first.variables = { 'a\nb': { type: 'str', text: "'\n\u2028'", truncated: true } };
  expect(renderEvidence(pack)).toContain("a\\u000ab = '\\u000a\\u2028' (cut)");
});

it('stays within its bound for any pack', () => {
  fc.assert(
    fc.property(arbitraries.EvidencePack, fc.integer({ min: 400, max: 900 }), (pack, maxBytes) => {
      const text = renderEvidence(pack, { maxBytes });
      expect(bytes(text)).toBeLessThanOrEqual(maxBytes);
      expect(text).toBe(renderEvidence(pack, { maxBytes }));
    }),
    { numRuns: 300, seed: 3 },
  );
});
