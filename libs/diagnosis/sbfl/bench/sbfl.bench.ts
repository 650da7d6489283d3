// 5,000 tests × 50,000 statements, a quarter of the cells hit, in 6,000 blocks. Beside ours in the same run: NumPy on the same cells (where
// python3 has it: NUMPY_PATH may name a folder of it), a plain double loop, and one pass over the bit matrix, the limit of anything that looks
// at every cell. One JSON line a row; processor time.
import { spawnSync } from 'node:child_process';
import { formatLines, type SpectrumStatement } from '@h/contracts';
import { buildSpectrum, countMatrix, ochiai, rankStatements, type SpectrumBuilder } from '../src/index.ts';

const tests = 5000;
const size = 50_000;
const words = Math.ceil(size / 32);
const statements = Array.from(
  { length: size },
  (_, index): SpectrumStatement => ({
    file: `src/module_${index >> 9}.py`,
    first: (index & 511) + 1,
    last: (index & 511) + 1,
    kind: 'statement',
  }),
);
const outcomes = Array.from({ length: tests }, (_, test) => ({
  id: `t${test}`,
  outcome: test % 100 === 0 ? ('failed' as const) : ('passed' as const),
}));
const blocks = drawBlocks(4);
const bits = drawMatrix();
const cells = (tests * size) / 1e9;

// In turns, so that what else the machine does falls on all of them.
const limits: number[] = [];
const counts: number[] = [];
const ranks: number[] = [];
const heads: number[] = [];
const numpy: number[] = [];
for (let turn = 0; turn < 5; turn += 1) {
  limits.push(timeOf(readOnce));
  counts.push(timeOf(() => countMatrix({ statements, tests: outcomes, bits })));
  const counted = countMatrix({ statements, tests: outcomes, bits });
  counted.places.order();
  heads.push(timeOf(() => rankStatements(counted, { limit: 50 })));
  if (turn < 2) ranks.push(timeOf(() => rankStatements(counted)));
  if (turn < 3) numpy.push(...numpyMs());
}
const limit = Math.min(...limits);
const naive = timeOf(doubleLoop) * 10;
const peer = numpy.length === 0 ? naive : Math.min(...numpy);
const name =
  numpy.length === 0 ? 'double loop over bytes (no NumPy here)' : 'NumPy, counts and scores from a matrix of bytes';
row('count a matrix of bits', Math.min(...counts), name, peer);
row('the same', Math.min(...counts), 'double loop over bytes', naive);
row('count it and rank the first 50', Math.min(...counts) + Math.min(...heads), name, peer);
row('count it, rank all, with groups', Math.min(...counts) + Math.min(...ranks), name, peer);

const sets = Array.from({ length: tests }, (_, test) => formatLines(hitsOf(test)));
const builder = buildSpectrum(statements);
const building = timeOf(() => {
  for (const [test, hits] of sets.entries()) builder.add({ ...(outcomes[test] as (typeof outcomes)[number]), hits });
});
row('count test by test, hits as line sets', building, name, peer);
// The median of forty, after twenty that warm the compiler up.
const again = Array.from({ length: 60 }, (_, more) => oneMore(builder, more))
  .slice(20)
  .sort((a, b) => a - b);
console.log(
  JSON.stringify({
    work: 'one more test, and the first 50 ranked anew',
    ours_ms: round(again[20] ?? 0),
    peer: 'counting the matrix anew and ranking',
    peer_ms: round(Math.min(...counts) + Math.min(...heads)),
    ratio: round((again[20] ?? 0) / (Math.min(...counts) + Math.min(...heads))),
  }),
);

function oneMore(spectrum: SpectrumBuilder, more: number): number {
  const hits = sets[more * 7] ?? '';
  const lastLines = { [`more${more}`]: statements.slice(0, 2000).map(({ file, first }) => `${file}:${first}`) };
  return timeOf(() => {
    spectrum.add({ id: `more${more}`, outcome: 'failed', hits });
    rankStatements(spectrum.spectrum(), { limit: 50, lastLines });
  });
}

/** Processor milliseconds of this process: other work on the machine does not count. */
function timeOf(work: () => unknown): number {
  const { user, system } = process.cpuUsage();
  work();
  const after = process.cpuUsage();
  return (after.user - user + after.system - system) / 1000;
}

/** Whole functions run or not: blocks of statements between sorted cuts, as in real coverage. */
function drawBlocks(seed: number): number[] {
  const cuts = new Set([0, size]);
  for (let state = seed; cuts.size < 6000; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    cuts.add(state % size);
  }
  return [...cuts].sort((a, b) => a - b);
}

function drawMatrix(): Uint32Array {
  const matrix = new Uint32Array(tests * words);
  for (let test = 0, state = 1; test < tests; test += 1) {
    for (let block = 0; block + 1 < blocks.length; block += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      if (state >= 0x40000000) continue;
      for (let index = blocks[block] ?? 0; index < (blocks[block + 1] ?? 0); index += 1) {
        const at = test * words + (index >>> 5);
        matrix[at] = (matrix[at] ?? 0) | (1 << (index & 31));
      }
    }
  }
  return matrix;
}

function hitsOf(test: number): number[] {
  const hits: number[] = [];
  for (let index = 0; index < size; index += 1)
    if ((((bits[test * words + (index >>> 5)] ?? 0) >>> (index & 31)) & 1) === 1) hits.push(index);
  return hits;
}

/** What one writes first: a byte a cell, statement by statement down the tests. On a tenth of the tests; the matrix costs it nothing. */
function doubleLoop(): number {
  const part = tests / 10;
  let sum = 0;
  for (let statement = 0; statement < size; statement += 1) {
    let [failed, passed] = [0, 0];
    for (let test = 0; test < part; test += 1) {
      if ((((bits[test * words + (statement >>> 5)] ?? 0) >>> (statement & 31)) & 1) === 0) continue;
      if (test % 100 === 0) failed += 1;
      else passed += 1;
    }
    sum += ochiai({ failed, passed, totalFailed: part / 100, totalPassed: part - part / 100 });
  }
  return sum;
}

function readOnce(): number {
  let sum = 0;
  for (let index = 0; index < bits.length; index += 1) sum ^= bits[index] as number;
  return sum;
}

/** The best of two of NumPy's own processor times; nothing where there is no NumPy. */
function numpyMs(): number[] {
  const program = `
import sys, time, numpy as np
rng = np.random.default_rng(4)
hits = rng.random((${tests}, ${size}), dtype=np.float32) < 0.25
failing = np.arange(${tests}) % 100 == 0
best = None
for turn in range(2):
    start = time.process_time()
    ef = hits[failing].sum(axis=0, dtype=np.int32)
    ep = hits[~failing].sum(axis=0, dtype=np.int32)
    with np.errstate(divide='ignore', invalid='ignore'):
        score = np.nan_to_num(ef / np.sqrt(failing.sum() * (ef + ep)))
    spent = (time.process_time() - start) * 1000
    best = spent if best is None else min(best, spent)
print(best)`;
  const env = { ...process.env, PYTHONPATH: process.env.NUMPY_PATH ?? '' };
  const { status, stdout } = spawnSync('python3', ['-c', program], { encoding: 'utf8', env });
  return status === 0 ? [Number(stdout)] : [];
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

function row(work: string, took: number, peerName: string, peerMs: number): void {
  console.log(
    JSON.stringify({
      work,
      ours_ms: round(took),
      cells_per_s: `${(cells / (took / 1000)).toFixed(2)} G`,
      peer: peerName,
      peer_ms: round(peerMs),
      peer_cells_per_s: `${(cells / (peerMs / 1000)).toFixed(2)} G`,
      ratio: round(took / peerMs),
      limit_ms: round(limit),
    }),
  );
}
