// Test runners take any executor: here one made of a foreign system, by the same calls as with the sandbox.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Executor, memoryArtifacts, type SourceReader } from '@h/contracts';
import { detectRunners, runTests } from '@h/test-runners';
import { expect, it } from 'vitest';
import { createExecutor, defaultPolicy, discoverPython } from '../../src/index.ts';
import { openSandbox, treeOf } from '../open-sandbox.ts';
import { childProcessSystem } from './child-process-system.ts';

const FILES = {
  'shop/__init__.py': '',
  'shop/cart.py': 'def total(prices):\n    return sum(prices[1:])\n',
  'tests/__init__.py': '',
  'tests/test_cart.py': `import unittest
from shop.cart import total


class Cart(unittest.TestCase):
    def test_none(self):
        self.assertEqual(total([]), 0)

    def test_one(self):
        self.assertEqual(total([2]), 2)
`,
};

const reader: SourceReader = {
  read: async (path) => new TextEncoder().encode(FILES[path as keyof typeof FILES]),
  list: async function* () {
    yield* Object.keys(FILES);
  },
};

it('reports the same tests, failures and coverage as in the sandbox', async () => {
  const python = await discoverPython(['python3']);
  if ('reason' in python) throw new Error(`Python 3 is needed for this test: ${python.reason}`);
  const artifacts = memoryArtifacts();
  const tree = await treeOf(artifacts, FILES);
  const detections = await detectRunners(reader);
  const detection = detections.find(({ runner }) => runner === 'unittest');
  if (detection === undefined) throw new Error('unittest was not detected');
  const root = mkdtempSync(join(tmpdir(), 'h-test-runners-'));
  const foreign = createExecutor(childProcessSystem(root), { artifacts });
  const { sandbox } = await openSandbox({ artifacts, readOnlyPaths: [python.prefix, python.base_prefix] });
  const host = { artifacts, tree, policy: defaultPolicy(), python: python.executable, environment: 'a'.repeat(64) };
  const outcomes = async (executor: Executor) => {
    const report = await runTests(detection, { ...host, executor }, { coverage: true });
    return report.tests.map(({ duration_ms, ...rest }) => rest);
  };
  const there = await outcomes(foreign);
  expect(there).toEqual(await outcomes(sandbox));
  expect(there.map(({ test, outcome, failure }) => [test, outcome, failure?.class])).toEqual([
    ['tests/test_cart.py::Cart::test_none', 'passed', undefined],
    ['tests/test_cart.py::Cart::test_one', 'failed', 'AssertionError'],
  ]);
  expect(there[1]?.coverage).toContainEqual({ file: 'shop/cart.py', lines: '2' });
  await Promise.all([foreign.close(), sandbox.close()]);
  rmSync(root, { recursive: true });
});
