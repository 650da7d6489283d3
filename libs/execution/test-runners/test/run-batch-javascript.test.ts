import { join } from 'node:path';
import { editTree, memoryArtifacts, type TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { createSuiteRunner, detectRunners } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const packages = join(import.meta.dirname, '../../../../node_modules');

const PROGRAM = `import { rate } from './rates.js';
const seen = [];
export function total(prices) {
  seen.push(prices.length);
  return prices.reduce((sum, price) => sum + price, 1) + rate() - 1;
}
export const calls = () => seen.length;
`;
const TEST = `
test('total', () => {
  assert.equal(total([1, 2]), 3);
});
test('empty', () => {
  assert.equal(total([]), 0);
  assert.ok(calls() < 3);
});
test('other', () => {});
`;
const ASSERT = "import assert from 'node:assert';\nimport { calls, total } from '../lib/cart.js';\n";
/** vitest reads it once, and what it imports. */
const CONFIG = `import { defineConfig } from 'vitest/config';
import { name } from './lib/shared.js';
export default defineConfig({ test: { name } });
`;
const MOCHA = 'const test = globalThis.it;\n';

const RUNNERS = {
  'node:test': { script: 'node --test', file: 'test/cart.test.js', head: "import { test } from 'node:test';\n" },
  mocha: { script: 'mocha', file: 'test/cart.test.js', head: MOCHA },
  vitest: { script: 'vitest run', file: 'test/cart.test.js', head: "import { test } from 'vitest';\n" },
  jest: { script: 'jest', file: 'test/cart.test.js', head: '' },
} as const;

/** Candidates by what they are to show: the last line of the function, or the files that they change. */
const CANDIDATES: Record<string, string | Record<string, string>> = {
  mends: 'return prices.reduce((sum, price) => sum + price, 0)',
  'stays wrong': 'return prices.reduce((sum, price) => sum + price, 2)',
  'never ends': 'for (;;);',
  'mends, and works longer than what fails': `const end = process.cpuUsage().user + 400_000;
  while (process.cpuUsage().user < end);
  return prices.reduce((sum, price) => sum + price, 0)`,
  'does not parse': 'return (',
  'ends the process': 'process.exit(3)',
  'writes files':
    "globalThis.process.getBuiltinModule('fs').writeFileSync('left.txt', ''); return prices.reduce((sum, price) => sum + price, 0)",
  'sees files of others':
    "return prices.reduce((sum, price) => sum + price, Number(process.getBuiltinModule('fs').existsSync('left.txt')))",
  'changes what all share':
    'process.env.LEFT = "1"; Array.prototype.left = 1; return prices.reduce((sum, price) => sum + price, 0)',
  'sees what all share':
    'return prices.reduce((sum, price) => sum + price, Number("LEFT" in process.env || "left" in []))',
  'changes a second file': { 'lib/rates.js': 'export const rate = () => 7;\n' },
  'changes what the configuration imports': { 'lib/shared.js': "export const name = 'other';\n" },
  'mends last': 'let sum = 0; for (const price of prices) sum += price; return sum',
  'changes two files': {
    'lib/rates.js': 'export const rate = () => -1;\n',
    'lib/cart.js': 'return prices.reduce((sum, price) => sum + price, 2)',
  },
};

/** Alone they have no limit but that of the run, or take long: their word is not taken, and so not compared. */
const OVER_LIMIT = ['never ends', 'mends, and works longer than what fails'];

/** How these end is the same in every runner: of node:test, the quickest to start, a run alone is asked as well. */
const TOLD: Record<string, string[]> = {
  mends: ['passed', 'passed'],
  'stays wrong': ['failed', 'failed'],
  'writes files': ['passed', 'passed'],
  'sees files of others': ['passed', 'passed'],
  'changes what all share': ['passed', 'passed'],
  'sees what all share': ['passed', 'passed'],
};

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What validation reads of a report. */
const shown = (report: TestRunReport | undefined) =>
  report && {
    tests: report.tests.map(({ test, file, outcome, failure }) => ({ test, file, outcome, class: failure?.class })),
    errors: report.collection_errors.map(({ file }) => file),
  };

function projectOf(runner: keyof typeof RUNNERS) {
  const { script, file, head } = RUNNERS[runner];
  const isJest = runner === 'jest';
  const plain = (text: string) =>
    isJest
      ? text
          .replace(/^import assert from (.*);$/m, 'const assert = require($1);')
          .replace(/^import (\{.*\}) from (.*);$/gm, 'const $1 = require($2);')
          .replace(/^export function (\w+)/gm, 'module.exports.$1 = $1; function $1')
          .replace(/^export const (\w+) =/gm, 'module.exports.$1 =')
      : text;
  const program = (line: string) => PROGRAM.replace('return prices.reduce((sum, price) => sum + price, 1)', line);
  const manifest = { name: 'cart', version: '1.0.0', ...(isJest ? {} : { type: 'module' }), scripts: { test: script } };
  const files = {
    'package.json': JSON.stringify(manifest),
    'lib/cart.js': plain(PROGRAM),
    'lib/rates.js': plain('export const rate = () => 1;\n'),
    'lib/shared.js': plain("export const name = 'cart';\n"),
    ...(runner === 'vitest' ? { 'vitest.config.js': CONFIG } : {}),
    [file]: plain(head + ASSERT + TEST),
  };
  const changesOf = (candidate: string | Record<string, string>) =>
    Object.entries(typeof candidate === 'string' ? { 'lib/cart.js': candidate } : candidate).map(([path, text]) => ({
      path,
      bytes: bytesOf(plain(path === 'lib/cart.js' ? program(text) : text)),
    }));
  return { files, changesOf };
}

/** jest and mocha are started for each candidate as node:test is. */
const QUICK = ['stays wrong', 'mends last'];

describe.each(Object.keys(RUNNERS) as (keyof typeof RUNNERS)[])('a batch of %s', (runner) => {
  it('says of each candidate what a run alone says', async () => {
    const { files, changesOf } = projectOf(runner);
    const isQuick = runner === 'jest' || runner === 'mocha';
    const artifacts = memoryArtifacts();
    const tree = await treeOf(files, artifacts);
    const [detection] = await detectRunners(readerOf(files));
    if (detection?.runner !== runner) throw new Error(`found ${detection?.runner}`);
    const executor = processExecutor(artifacts, [{ at: 'node_modules', target: packages }]);
    const suite = createSuiteRunner([detection], {
      executor,
      artifacts,
      policy: policy({ wall_ms: 30_000 }),
      environment: '0'.repeat(64),
      node: process.execPath,
    });
    const failing = ['test/cart.test.js > total', 'test/cart.test.js > empty'];
    const command = suite.plan(failing);
    const chosen = Object.entries(CANDIDATES).filter(([name]) => !isQuick || QUICK.includes(name));
    const names = chosen.map(([name]) => name);
    const candidates = chosen.map(([, candidate]) => changesOf(candidate));
    const batch = await suite.runBatch(command, tree, candidates);
    expect(batch.notes).toEqual([]);
    expect(shown(batch.control)).toEqual(shown(await suite.runTests(command, tree)));
    expect(batch.limited?.map((index) => names[index])).toEqual(isQuick ? undefined : OVER_LIMIT);
    const alone = async (index: number) =>
      shown(await suite.runTests(command, await editTree(tree, candidates[index] ?? [], artifacts)));
    // two at a time: each starts a runner
    for (let at = 0; at < names.length; at += 2)
      await Promise.all(
        [at, at + 1].map(async (index) => {
          const name = names[index];
          if (name === undefined || OVER_LIMIT.includes(name)) return;
          const told = TOLD[name];
          if (told !== undefined)
            expect([name, batch.reports[index]?.tests.map(({ outcome }) => outcome)]).toEqual([name, told]);
          if (told !== undefined && runner !== 'node:test') return;
          expect([name, shown(batch.reports[index])]).toEqual([name, await alone(index)]);
        }),
      );
  }, 180_000);
});
