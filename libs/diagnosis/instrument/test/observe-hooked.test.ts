// Statements without a probe in the source: seed 12 §3.3 (b), a hook that records the same at line granularity; one protocol for all.
import type { HypothesisSet } from '@h/contracts';
import { afterAll, describe, expect, test } from 'vitest';
import { instrumentTree, observeTest, planProbes, planTrace } from '../src/index.ts';
import { openTarget, type Target } from './open-target.ts';
import { ranked, shapeOf } from './program-of.ts';
import { storyOf } from './story-of.ts';

const SHOP = `class Prices:
    base = 4
    raised = (base
              + 1)

    def of(self, count):
        total = self.base * count
        if total > 10:
            total -= 1
        return total


def sell(counts):
    seen = []
    for count in counts:
        seen.append(Prices().of(count))
    return seen
`;
const BY_EXEC = `import unittest

class Shop(unittest.TestCase):
    def test_shop(self):
        here = __file__.replace('test_shop.py', 'shop.py')
        scope = {'__name__': 'shop'}
        with open(here) as file:
            exec(compile(file.read(), here, 'exec'), scope)
        self.assertEqual(scope['sell']([2, 3]), [8, 12])
`;
const BY_IMPORT =
  'import unittest\nfrom shop import sell\n\nclass Shop(unittest.TestCase):\n    def test_shop(self):\n        self.assertEqual(sell([2, 3]), [8, 12])\n';
const SCRIPT = `export function sell(counts) {
  const seen = [];
  for (const count of counts) {
    const price = count * 4;
    seen.push(price);
  }
  return seen;
}
`;
const SCRIPT_TEST =
  "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sell } from './shop.js';\ntest('shop', () => assert.deepEqual(sell([2, 3]), [8, 13]));\n";

const open: Target[] = [];
afterAll(async () => {
  for (const { sandbox } of open) await sandbox.close();
});
async function target(files: Record<string, string>): Promise<Target> {
  const made = await openTarget(files);
  open.push(made);
  return made;
}

describe('Python', () => {
  const shape = shapeOf({ 'shop.py': SHOP });
  const id = 'test_shop.py::Shop::test_shop';

  test('what exec runs is told by the interpreter, as probes tell what is imported', async () => {
    const plan = planProbes({ ...shape, candidates: ranked('shop.py:7', 'shop.py:16') });
    const trace = planTrace(plan, shape);
    const [probed, hooked] = [
      await target({ 'shop.py': SHOP, 'test_shop.py': BY_IMPORT }),
      await target({ 'shop.py': SHOP, 'test_shop.py': BY_EXEC }),
    ];
    const plain = await observeTest({ ...probed.setting(id), plan, trace });
    const blind = await observeTest({ ...hooked.setting(id), plan, trace });
    const told = await observeTest({ ...hooked.setting(id), plan, trace, hooked: ['shop.py'] });
    expect([plain.outcome, blind.outcome, told.outcome]).toEqual(['failed', 'failed', 'failed']);
    expect(blind.events).toEqual([]);
    expect(told.notes).toEqual([]);
    // a trace function does not say which branch was taken
    const withoutBranches = storyOf(plain).map((line) => line.replace(/ (?:true|false|iteration|done)(?= |$)/, ''));
    expect(storyOf(told)).toEqual(withoutBranches);
  });

  test('a question about the body of a class is answered', async () => {
    const hypotheses: HypothesisSet = {
      debugging_question: '',
      hypotheses: [
        { hypothesis_id: 'H1', claim: '', observe: { location: 'shop.py:3', variable: 'raised' }, expectation: '== 5' },
      ],
    };
    const plan = planProbes({ ...shape, hypotheses });
    expect(plan).toEqual({
      probe_points: [
        {
          id: 'PP1',
          location: 'shop.py:3',
          block: 'class Prices, lines 2-4',
          variables: ['base', 'raised'],
          source: 'hypothesis',
        },
      ],
    });
    const trace = planTrace(plan, shape);
    const { setting } = await target({ 'shop.py': SHOP, 'test_shop.py': BY_IMPORT });
    const run = await observeTest({ ...setting(id), plan, trace });
    expect(storyOf(run)).toEqual(['0 f0 3 statement {base=4, raised=5}']);
    const { artifact } = await instrumentTree({ ...setting(id), cwd: '', plan, trace });
    expect(artifact.probe_specs.map(({ method }) => method)).toEqual(['settrace']);
  });
});

test('JavaScript: a logpoint tells the values before a statement', async () => {
  const shape = shapeOf({ 'shop.js': SCRIPT });
  const plan = planProbes({ ...shape, candidates: ranked('shop.js:5') });
  const files = { 'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }', 'shop.js': SCRIPT };
  const { setting, tree, artifacts } = await target({ ...files, 'shop.test.js': SCRIPT_TEST });
  const id = 'shop.test.js > shop';
  const trace = { functions: [], variables: [], max_bytes: 2 ** 20 };
  const run = await observeTest({ ...setting(id), plan, trace, hooked: ['shop.js'] });
  expect(run).toMatchObject({ outcome: 'failed', notes: [] });
  expect(
    run.events.map(({ payload }) =>
      Object.entries(payload.variables ?? {}).map(([name, { text }]) => `${name}=${text}`),
    ),
  ).toEqual([
    ['count=2', 'price=8', 'seen=[]'],
    ['count=3', 'price=12', 'seen=[8]'],
  ]);
  const made = await instrumentTree({ tree, artifacts, cwd: '', agentFiles: [], plan, trace, hooked: ['shop.js'] });
  expect(made.artifact.probe_specs.map(({ method }) => method)).toEqual(['inspector']);
});
