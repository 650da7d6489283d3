// Reading a large TestRunReport: zod as reader and as writer, ajv on the emitted schema, JSON.parse of the same text as the limit; line sets beside the same
// numbers as JSON lists. One JSON line per row.
import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  canonicalJson,
  checkRecord,
  formatLines,
  jsonSchemaOf,
  parseLines,
  parseRecord,
  sha256Hex,
  TestRunReport,
} from '../src/index.ts';

const sha = sha256Hex('');
const report = largeReport(5000);
const text = JSON.stringify(report);
const validate = new Ajv2020({ strict: false }).compile(jsonSchemaOf('TestRunReport'));
const megabytes = Buffer.byteLength(text) / 1e6;
const lineSets = report.tests.flatMap(({ coverage = [] }) => coverage.map(({ lines }) => lines));

const parse = measure(() => JSON.parse(text));
const work = `TestRunReport, ${report.tests.length} tests, ${megabytes.toFixed(1)} MB`;
row({ work: `${work}: JSON.parse (the limit)`, ms: parse });
row({ work: `${work}: ajv, compiled`, ms: measure(() => validate(report)), limit: parse });
row({ work: `${work}: checkRecord`, ms: measure(() => checkRecord(TestRunReport, report)), limit: parse });
row({ work: `${work}: parseRecord`, ms: measure(() => parseRecord(TestRunReport, report)), limit: parse });
const write = measure(() => JSON.stringify(report));
row({ work: `${work}: canonicalJson beside JSON.stringify`, ms: measure(() => canonicalJson(report)), limit: write });
row({
  work: `${work}: sha256Hex beside node:crypto`,
  ms: measure(() => sha256Hex(text)),
  limit: measure(() => createHash('sha256').update(text).digest('hex')),
});
const numbers = lineSets.map(parseLines);
const listed = JSON.stringify(numbers);
const sets = `${lineSets.length} line sets, ${numbers.flat().length} numbers`;
row({
  work: `${sets}: parseLines`,
  ms: measure(() => lineSets.map(parseLines)),
  limit: measure(() => JSON.parse(listed)),
});
row({
  work: `${sets}: formatLines`,
  ms: measure(() => numbers.map(formatLines)),
  limit: measure(() => JSON.stringify(numbers)),
});

function largeReport(tests: number): TestRunReport {
  return {
    runner: 'pytest',
    environment: sha,
    execution_ids: [sha],
    tests: Array.from({ length: tests }, (_, index) => ({
      test: `tests/test_module_${index % 50}.py::Suite::test_${index}`,
      file: `tests/test_module_${index % 50}.py`,
      outcome: index % 100 === 0 ? 'failed' : 'passed',
      duration_ms: index / 7,
      coverage: Array.from({ length: 10 }, (__, file) => ({
        file: `src/package/module_${file}.py`,
        lines: `1-9,${20 + index}-${60 + index},${2000 + index},${9000 + file}-9100`,
      })),
      last_lines: Array.from({ length: 10 }, (__, line) => `src/package/module_1.py:${line + 1}`),
    })),
    collection_errors: [],
  };
}

/** Median of seven runs after two of warming up, in milliseconds of this process's processor time: other work on the machine does not count. */
function measure(action: () => unknown): number {
  const times = Array.from({ length: 9 }, () => {
    const start = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return times.slice(2).sort((a, b) => a - b)[3] ?? 0;
}

function row({ work, ms, limit }: { work: string; ms: number; limit?: number }): void {
  const ratio = limit === undefined ? 1 : Number((ms / limit).toFixed(2));
  console.log(
    JSON.stringify({ work, ours_ms: Number(ms.toFixed(1)), limit_ms: Number((limit ?? ms).toFixed(1)), ratio }),
  );
}
