import type { EvidencePack } from '@h/contracts';
import { arbitraries } from '@h/contracts/testing';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { packText } from '../src/index.ts';
import { buildRun, type RowText } from './build-run.ts';
import { divergence, packOf, sliceOf } from './tiny-pack.ts';

it('says what was observed', () => {
  expect(
    packText(packOf())
      .split('\n')
      .filter((line) => !line.includes('run 2')),
  ).toContain('Suspects: a.py:3 k; a.py:4 branch');
  const text = packText(packOf()).replace(/run \d/g, 'run _');
  expect(text).toContain('run _ step 2 a.py:3: k = 1, n = 3');
  expect(text).toContain('run _ step 2 a.py:3: k = 0, n = 4');
  expect(text).toContain('run _ step 4 a.py:5: k = 1, x = 1; g() = 1; branch a.py:4 true');
  expect(text).toContain("run _ step 7 a.py:7: name = 'a, b', x = 1; returns 1");
  expect(text).not.toContain('left out');
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
  const text = packText(long);
  expect(text.length).toBeLessThanOrEqual(6000);
  expect(text.length).toBeGreaterThan(5000);
  expect(text).toContain(' a.py:3: ');
  expect(text).toContain(' a.py:500: ');
  const kept = text.split('\n').filter((line) => line.startsWith('run ')).length;
  expect(text).toContain(`(${500 - kept} of 500 observations left out)`);
});

it('calls runs what they are called, and shortens values before it leaves out observations', () => {
  expect(packText(long, { names: { [run.execution_id]: 'failing' } })).toContain('failing step 499 a.py:500: ');
  const some = { ...long, evidence_pack: long.evidence_pack.slice(400, 450) };
  for (const seen of some.evidence_pack)
    seen.variables = { x: { type: 'str', text: `'${'v'.repeat(150)}'`, truncated: false } };
  const text = packText(some);
  expect(text).not.toContain('left out');
  expect(text).toContain(`${'v'.repeat(58)}…`);
  expect(text).not.toContain('v'.repeat(60));
});

it('puts every text on one line', () => {
  const pack: EvidencePack = structuredClone(packOf());
  const [first] = pack.evidence_pack;
  if (first !== undefined) first.variables = { 'a\nb': { type: 'str', text: "'\n\u2028'", truncated: true } };
  expect(packText(pack)).toContain("a\\u000ab = '\\u000a\\u2028' (cut)");
});

it('stays within its bound for any pack', () => {
  fc.assert(
    fc.property(arbitraries.EvidencePack, fc.integer({ min: 400, max: 900 }), (pack, maxCharacters) => {
      const text = packText(pack, { maxCharacters });
      expect(text.length).toBeLessThanOrEqual(maxCharacters);
      expect(text).toBe(packText(pack, { maxCharacters }));
    }),
    { numRuns: 300, seed: 3 },
  );
});
