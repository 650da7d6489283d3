// 5,000 tests × 50,000 statements: ours, a plain double loop over a byte matrix, and the time it takes to read the bit matrix once
// (the limit of anything that looks at every cell). One JSON line per row.
import { formatLines, type SpectrumStatement } from '@h/contracts';
import { buildSpectrum, type CountedSpectrum, ochiai, rankStatements } from '../src/index.ts';

const tests = 5000;
const size = 50_000;
const statements = Array.from(
  { length: size },
  (_, index): SpectrumStatement => ({
    file: `src/module_${index >> 9}.py`,
    first: (index & 511) + 1,
    last: (index & 511) + 1,
    kind: 'statement',
  }),
);
const blocks = drawBlocks(4);
const sets = Array.from({ length: tests }, (_, test) => formatLines(drawHits(test)));
const cells = (tests * size) / 1e9;

const limit = readOnce();
const { counted, ms } = countSets();
row({ work: 'count, hits as line sets', ms, peer: undefined });
row({ work: 'count, hits as numbers', ms: countNumbers(), peer: undefined });
const start = cpuNow();
const report = rankStatements(counted);
const ranking = cpuNow() - start;
row({ work: `rank ${report.statements.length} statements`, ms: ranking, peer: undefined });
row({ work: 'count and rank; peer: double loop, no groups', ms: ms + ranking, peer: peerLoop(false) });
row({ work: 'count and rank; peer: double loop, with groups', ms: ms + ranking, peer: peerLoop(true) });

/** Processor time of this process in milliseconds: other work on the machine does not count. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
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

function drawHits(test: number): number[] {
  const hits: number[] = [];
  for (let block = 0, state = test * 97 + 1; block + 1 < blocks.length; block += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    if (state >= 0x40000000) continue;
    for (let index = blocks[block] ?? 0; index < (blocks[block + 1] ?? 0); index += 1) hits.push(index);
  }
  return hits;
}

function outcomeOf(test: number): 'failed' | 'passed' {
  return test % 100 === 0 ? 'failed' : 'passed';
}

function countSets(): { counted: CountedSpectrum; ms: number } {
  const begin = cpuNow();
  const builder = buildSpectrum(statements);
  for (const [test, hits] of sets.entries()) builder.add({ id: `t${test}`, outcome: outcomeOf(test), hits });
  return { counted: builder.spectrum(), ms: cpuNow() - begin };
}

function countNumbers(): number {
  const builder = buildSpectrum(statements);
  let total = 0;
  for (let test = 0; test < tests; test += 1) {
    const hits = drawHits(test);
    const begin = cpuNow();
    builder.add({ id: `t${test}`, outcome: outcomeOf(test), hits });
    total += cpuNow() - begin;
  }
  return total;
}

/**
 * What one writes first: a byte a cell, statement by statement down the tests; for groups the column as text in a map. The matrix is given
 * to it for nothing. On a tenth of the tests, times ten: the whole would be 250 MB.
 */
function peerLoop(groups: boolean): number {
  const part = tests / 10;
  const matrix = new Uint8Array(part * size);
  for (let test = 0; test < part; test += 1) for (const index of drawHits(test)) matrix[test * size + index] = 1;
  const begin = cpuNow();
  const scores = new Float64Array(size);
  const columns = new Map<string, number>();
  for (let statement = 0; statement < size; statement += 1) {
    let [failed, passed, column] = [0, 0, ''];
    for (let test = 0; test < part; test += 1) {
      const hit = matrix[test * size + statement] === 1;
      if (groups) column += hit ? '1' : '0';
      if (!hit) continue;
      if (outcomeOf(test) === 'failed') failed += 1;
      else passed += 1;
    }
    columns.set(column, statement);
    scores[statement] = ochiai({ failed, passed, totalFailed: part / 100, totalPassed: part - part / 100 });
  }
  return (cpuNow() - begin) * 10;
}

function readOnce(): number {
  const words = new Uint32Array((tests * size) / 32).fill(0x5a5a5a5a);
  const times = Array.from({ length: 5 }, () => {
    const begin = cpuNow();
    let sum = 0;
    for (let index = 0; index < words.length; index += 1) sum ^= words[index] ?? 0;
    return sum === 1 ? 0 : cpuNow() - begin;
  });
  return Math.min(...times);
}

function row({ work, ms: took, peer: other }: { work: string; ms: number; peer: number | undefined }): void {
  const line = {
    work,
    ours_ms: Math.round(took),
    cells_per_s: `${(cells / (took / 1000)).toFixed(2)} G`,
    peer_ms: other === undefined ? '' : Math.round(other),
    ratio: other === undefined ? '' : Number((took / other).toFixed(2)),
    limit_ms: Number(limit.toFixed(1)),
  };
  console.log(JSON.stringify(line));
}
