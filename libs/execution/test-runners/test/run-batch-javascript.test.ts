import { join } from 'node:path';
import { editTree, memoryArtifacts, type TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { createSuiteRunner, detectRunners } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const packages = join(import.meta.dirname, '../../../../node_modules');

const PROGRAM = `const seen = [];
export function total(prices) {
  seen.push(prices.length);
  return prices.reduce((sum, price) => sum + price, 1);
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
const MOCHA = 'const test = globalThis.it;\n';

const RUNNERS = {
  'node:test': { script: 'node --test', file: 'test/cart.test.js', head: "import { test } from 'node:test';\n" },
  mocha: { script: 'mocha', file: 'test/cart.test.js', head: MOCHA },
  vitest: { script: 'vitest run', file: 'test/cart.test.js', head: "import { test } from 'vitest';\n" },
  jest: { script: 'jest', file: 'test/cart.test.js', head: '' },
} as const;

/** Candidates by what they are to show: the last line of the function, and how its tests end where a run alone would take long or says nothing new. */
const CANDIDATES: Record<string, [line: string, told?: string[]]> = {
  mends: ['return prices.reduce((sum, price) => sum + price, 0)', ['passed', 'passed']],
  'stays wrong': ['return prices.reduce((sum, price) => sum + price, 2)', ['failed', 'failed']],
  'never ends': ['for (;;);', ['timeout', 'timeout']],
  'does not parse': ['return ('],
  'ends the process': ['process.exit(3)'],
  'writes files': [
    "globalThis.process.getBuiltinModule('fs').writeFileSync('left.txt', ''); return prices.reduce((sum, price) => sum + price, 0)",
    ['passed', 'passed'],
  ],
  'sees files of others': [
    "return prices.reduce((sum, price) => sum + price, Number(process.getBuiltinModule('fs').existsSync('left.txt')))",
    ['passed', 'passed'],
  ],
  'changes what all share': [
    'process.env.LEFT = "1"; Array.prototype.left = 1; return prices.reduce((sum, price) => sum + price, 0)',
    ['passed', 'passed'],
  ],
  'sees what all share': [
    'return prices.reduce((sum, price) => sum + price, Number("LEFT" in process.env || "left" in []))',
    ['passed', 'passed'],
  ],
  'mends last': ['let sum = 0; for (const price of prices) sum += price; return sum', ['passed', 'passed']],
};

const bytesOf = (text: string) => new TextEncoder().encode(text);
const changeOf = (text: string) => [{ path: 'lib/cart.js', bytes: bytesOf(text) }];

/** What validation reads of a report. */
const shown = (report: TestRunReport | undefined) =>
  report && {
    tests: report.tests.map(({ test, file, outcome, failure }) => ({ test, file, outcome, class: failure?.class })),
    errors: report.collection_errors.map(({ file }) => file),
  };

function projectOf(runner: keyof typeof RUNNERS): { files: Record<string, string>; program: (line: string) => string } {
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
  const program = (line: string) =>
    plain(PROGRAM.replace('return prices.reduce((sum, price) => sum + price, 1)', line));
  const manifest = { name: 'cart', version: '1.0.0', ...(isJest ? {} : { type: 'module' }), scripts: { test: script } };
  const files = {
    'package.json': JSON.stringify(manifest),
    'lib/cart.js': program('return prices.reduce((sum, price) => sum + price, 1)'),
    [file]: plain(head + ASSERT + TEST),
  };
  return { files, program };
}

/** jest and mocha are started for each candidate as node:test is. */
const QUICK = ['stays wrong', 'mends last'];

describe.each(Object.keys(RUNNERS) as (keyof typeof RUNNERS)[])('a batch of %s', (runner) => {
  it('says of each candidate what a run alone says', async () => {
    const { files, program } = projectOf(runner);
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
    const candidates = chosen.map(([, [line]]) => changeOf(program(line)));
    const batch = await suite.runBatch(command, tree, candidates);
    expect(batch.notes).toEqual([]);
    expect(shown(batch.control)).toEqual(shown(await suite.runTests(command, tree)));
    for (const [index, [name, [, told]]] of chosen.entries()) {
      const outcomes = batch.reports[index]?.tests.map(({ outcome }) => outcome);
      const expected = name === 'never ends' && runner === 'node:test' ? ['timeout', 'not_run'] : told;
      if (expected !== undefined) expect([name, outcomes]).toEqual([name, expected]);
      if (expected !== undefined) continue;
      const alone = await suite.runTests(command, await editTree(tree, candidates[index] ?? [], artifacts));
      expect([name, shown(batch.reports[index])]).toEqual([name, shown(alone)]);
    }
  }, 180_000);
});
