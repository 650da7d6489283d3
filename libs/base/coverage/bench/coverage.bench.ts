// What reading coverage costs. Each row is one JSON line.
import { parseLines } from '@h/contracts';
import {
  type CoverageReport,
  readCobertura,
  readCoveragePy,
  readIstanbul,
  readJacoco,
  readLcov,
  readLcovStream,
  readV8,
  writeCoveragePy,
} from '../src/index.ts';

const [files, linesPerFile] = [1000, 1000];
const round = (value: number) => Math.round(value * 100) / 100;

function lcovOf(from: number, count: number): string {
  const parts: string[] = [];
  for (let file = from; file < from + count; file += 1) {
    parts.push(`TN:\nSF:src/module_${file}.c\n`);
    for (let line = 1; line <= linesPerFile; line += 1)
      parts.push(`DA:${line * 2},${line % 7 === 0 ? 0 : line * 31}\n`);
    parts.push(`LF:${linesPerFile}\nLH:${linesPerFile}\nend_of_record\n`);
  }
  return parts.join('');
}

/** The loop that everybody writes first: lines by `split`, counts by file, nothing checked. */
function readNaively(text: string): Map<string, Map<number, number>> {
  const all = new Map<string, Map<number, number>>();
  let counts = new Map<number, number>();
  for (const line of text.split('\n')) {
    if (line.startsWith('SF:')) {
      counts = new Map();
      all.set(line.slice(3), counts);
    } else if (line.startsWith('DA:')) {
      const [number, count] = line.slice(3).split(',');
      counts.set(Number(number), Number(count));
    }
  }
  return all;
}

/** Processor milliseconds: on a busy machine elapsed time measures the neighbours. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Fastest of each, run in turns. */
function fastestMs(times: number, ours: () => unknown, theirs: () => unknown): readonly [number, number] {
  let [our, their] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < times; n += 1) {
    const start = processorMs();
    ours();
    const between = processorMs();
    theirs();
    our = Math.min(our, between - start);
    their = Math.min(their, processorMs() - between);
  }
  return [our, their];
}

function print(work: string, lines: number, peer: string, [ours, theirs]: readonly [number, number]): void {
  const perSecond = (ms: number) => Math.round(lines / ms) * 1000;
  console.log(
    JSON.stringify({
      work,
      ours_cpu_ms: round(ours),
      ours_lines_per_s: perSecond(ours),
      peer,
      peer_cpu_ms: round(theirs),
      peer_lines_per_s: perSecond(theirs),
      ratio: round(ours / theirs),
    }),
  );
}

/** What no reader can be faster than: every byte looked at once, line ends counted by the engine's own search. */
function countNewlines(given: Uint8Array): number {
  let count = 0;
  for (let at = given.indexOf(10); at >= 0; at = given.indexOf(10, at + 1)) count += 1;
  return count;
}

const text = lcovOf(0, files);
const bytes = new TextEncoder().encode(text);
const lines = files * linesPerFile;
print('LCOV, 1 million lines, from bytes', lines, 'split loop over the decoded text', [
  ...fastestMs(
    5,
    () => readLcov(bytes),
    () => readNaively(new TextDecoder().decode(bytes)),
  ),
] as [number, number]);

print('LCOV, 1 million lines, from bytes', lines, 'physical limit: each byte once, line ends counted', [
  ...fastestMs(
    5,
    () => readLcov(bytes),
    () => countNewlines(bytes),
  ),
] as [number, number]);

let peak = 0;
async function* tenMillion() {
  for (let from = 0; from < 10 * files; from += 20) {
    peak = Math.max(peak, process.memoryUsage().rss);
    yield lcovOf(from, 20);
  }
}
const made = processorMs();
for (let from = 0; from < files; from += 20) lcovOf(from, 20);
const makingMs = (processorMs() - made) * 10;
const limitBegan = processorMs();
for (let turn = 0; turn < 10; turn += 1) countNewlines(bytes);
const limitMs = processorMs() - limitBegan;
const before = process.memoryUsage().rss;
const began = processorMs();
const { total } = await readLcovStream(tenMillion());
const streamMs = processorMs() - began - makingMs;
console.log(
  JSON.stringify({
    work: 'LCOV, 10 million lines, as a stream; making them subtracted',
    ours_cpu_ms: Math.round(streamMs),
    ours_lines_per_s: Math.round((10 * lines) / streamMs) * 1000,
    aim_ms: 5000,
    peer: 'physical limit: each byte once, line ends counted',
    peer_cpu_ms: Math.round(limitMs),
    ratio: round(streamMs / limitMs),
    files: total.length,
    peak_rss_mb_above_start: Math.round((peak - before) / 1e6),
  }),
);

/** 500 tests over 100 files. */
const perTest: CoverageReport = {
  tests: Array.from({ length: 500 }, (_, test) => ({
    id: `tests/test_${test}.py::test`,
    files: Array.from({ length: 5 }, (_, n) => ({ file: `src/m${(test + n * 7) % 100}.py`, lines: '1-40,45-90,100' })),
  })),
  total: Array.from({ length: 100 }, (_, file) => ({
    file: `src/m${file}.py`,
    lines: '1-40,45-90,100',
    executable: '1-110',
  })),
  warnings: [],
};
const json = writeCoveragePy(perTest);
const pairs = 500 * 5 * parseLines('1-40,45-90,100').length;
print(
  'coverage.py JSON with contexts, 217 500 pairs of test and line',
  pairs,
  'JSON.parse',
  fastestMs(
    5,
    () => readCoveragePy(json),
    () => JSON.parse(json),
  ),
);

const istanbul = JSON.stringify(
  Object.fromEntries(
    Array.from({ length: 200 }, (_, file) => {
      const all = Array.from({ length: 500 }, (_, n) => n);
      const statementMap = Object.fromEntries(
        all.map((n) => [n, { start: { line: n + 1, column: 2 }, end: { line: n + 1, column: 30 } }]),
      );
      return [
        `/app/f${file}.js`,
        { path: `/app/f${file}.js`, statementMap, s: Object.fromEntries(all.map((n) => [n, n % 3])) },
      ];
    }),
  ),
);
print(
  'Istanbul, 100 000 statements',
  100_000,
  'JSON.parse',
  fastestMs(
    5,
    () => readIstanbul(istanbul, { root: '/app' }),
    () => JSON.parse(istanbul),
  ),
);

const xml = `<coverage><sources/><packages><package name="p"><classes>${Array.from(
  { length: 200 },
  (_, file) =>
    `<class name="c" filename="f${file}.py"><methods/><lines>${Array.from({ length: 500 }, (_, n) => `<line number="${n + 1}" hits="${n % 3}"/>`).join('\n')}</lines></class>`,
).join('\n')}</classes></package></packages></coverage>`;
const match = () =>
  [...xml.matchAll(/<line number="(\d+)" hits="(\d+)"/g)].map(([, number, hits]) => [Number(number), Number(hits)]);
print(
  'Cobertura, 100 000 lines',
  100_000,
  'a regular expression that checks nothing',
  fastestMs(5, () => readCobertura(xml), match),
);

const jacoco = `<report name="r">${Array.from(
  { length: 200 },
  (_, file) =>
    `<package name="p${file}"><sourcefile name="A.java">${Array.from({ length: 500 }, (_, n) => `<line nr="${n + 1}" mi="${n % 2}" ci="${n % 3}" mb="0" cb="0"/>`).join('')}</sourcefile></package>`,
).join('')}</report>`;
print(
  'JaCoCo, 100 000 lines',
  100_000,
  'a regular expression that checks nothing',
  fastestMs(
    5,
    () => readJacoco(jacoco),
    () => [...jacoco.matchAll(/<line nr="(\d+)" mi="(\d+)" ci="(\d+)"/g)].map(([, ...cells]) => cells.map(Number)),
  ),
);

/** 100 files of 1,000 lines, 200 functions each, with a source text at hand. */
const script = Array.from(
  { length: 200 },
  (_, n) => `function f${n}(a) {\n  if (a > ${n}) {\n    return a;\n  }\n}\n`,
).join('');
const functionLength = script.length / 200;
const v8 = JSON.stringify({
  result: Array.from({ length: 100 }, (_, file) => ({
    scriptId: `${file}`,
    url: `file:///app/f${file}.js`,
    functions: Array.from({ length: 200 }, (_, n) => ({
      functionName: `f${n}`,
      isBlockCoverage: true,
      ranges: [
        {
          startOffset: Math.floor(n * functionLength),
          endOffset: Math.floor((n + 1) * functionLength) - 1,
          count: n % 3,
        },
        { startOffset: Math.floor(n * functionLength) + 30, endOffset: Math.floor(n * functionLength) + 40, count: 0 },
      ],
    })),
  })),
});
print(
  'V8, 100 files of 1,000 lines, sources tokenised',
  100_000,
  'JSON.parse, and the lines of the sources split',
  fastestMs(
    3,
    () => readV8(v8, { root: '/app', sourceOf: () => ({ text: script }) }),
    () => [JSON.parse(v8), Array.from({ length: 100 }, () => script.split('\n'))],
  ),
);
