import { expect, it } from 'vitest';
import { linesOfTest, runCovered } from './run-covered.ts';

const FILES = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'src/work.js': `export function double(n) {
  const result = n * 2;
  return result;
}
export function half(n) {
  return n / 2;
}
export function unused() {
  return 0;
}
`,
  'src/worker.js': `import { parentPort, Worker, workerData } from 'node:worker_threads';
import { double } from './work.js';
if (workerData.below) {
  const below = new Worker(new URL(import.meta.url), { workerData: { n: 1 } });
  below.on('message', () => parentPort.postMessage(0));
} else parentPort.postMessage(double(workerData.n));
`,
  'thread.test.js': `import assert from 'node:assert';
import { once } from 'node:events';
import { test } from 'node:test';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { half } from './src/work.js';
const ask = async (options) => (await once(new Worker(new URL('./src/worker.js', import.meta.url), options), 'message'))[0];
test('plain', async () => assert.equal(await ask({ workerData: { n: 4 } }), 8));
test('own arguments', async () => assert.equal(await ask({ workerData: { n: 4 }, execArgv: [] }), 8));
test('shared environment', async () => assert.equal(await ask({ workerData: { n: 4 }, env: SHARE_ENV }), 8));
test('no environment', async () => assert.equal(await ask({ workerData: { n: 4 }, env: {} }), 8));
test('thread of a thread', async () => assert.equal(await ask({ workerData: { below: true } }), 0));
test('none', () => assert.equal(half(4), 2));
`,
};

it('covers threads of Node, and credits them to the test that ran', async () => {
  const report = await runCovered(FILES, 'node:test', { node: process.execPath });
  const seen = report.tests.map((test) => [
    test.test.replace(/^.* > /, ''),
    test.outcome,
    linesOfTest(test),
    test.dependencies?.complete,
  ]);
  const threaded = 'src/work.js:2-3 src/worker.js:3,6';
  expect(seen).toEqual([
    ['plain', 'passed', threaded, false],
    ['own arguments', 'passed', threaded, false],
    ['shared environment', 'passed', threaded, false],
    ['no environment', 'passed', threaded, false],
    ['thread of a thread', 'passed', 'src/work.js:2-3 src/worker.js:3-6', false],
    ['none', 'passed', 'src/work.js:6', expect.any(Boolean)],
  ]);
});
