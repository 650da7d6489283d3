// What a record holds of a run that is longer than its bound, and of secrets: seed 12 §3.5 caps, "bounded, and said".
import { ObservedRun, parseRecord } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observeTest, planProbes, planTrace } from '../src/index.ts';
import { openTarget, type Target } from './open-target.ts';
import { ranked, shapeOf } from './program-of.ts';

const PYTHON = `def tally(limit, password):
    total = 0
    last = None
    for step in range(limit):
        total += step
        if step == limit - 2:
            last = step
    return (total, last)


def get_api_key():
    return 'k' + str(tally(2, 'x')[0])
`;
const SCRIPT = `export function tally(limit, password) {
  let total = 0;
  let last;
  for (let step = 0; step < limit; step += 1) {
    total += step;
    if (step === limit - 2) last = step;
  }
  return [total, last];
}
export function getApiKey() {
  return 'k' + tally(2, 'x')[0];
}
`;
const cases = {
  python: {
    file: 'tally.py',
    test: 'test_tally.py::Tally::test_tally',
    files: {
      'tally.py': PYTHON,
      'test_tally.py':
        'import unittest\nfrom tally import get_api_key, tally\n\nclass Tally(unittest.TestCase):\n    def test_tally(self):\n        get_api_key()\n        self.assertEqual(tally(4000, "hunter2"), 1)\n',
    },
    key: 'get_api_key',
  },
  javascript: {
    file: 'tally.js',
    test: 'tally.test.js > tally',
    files: {
      'package.json': '{ "type": "module", "devDependencies": { "vitest": "*" } }',
      'tally.js': SCRIPT,
      'tally.test.js':
        "import { expect, test } from 'vitest';\nimport { getApiKey, tally } from './tally.js';\ntest('tally', () => { getApiKey(); expect(tally(4000, 'hunter2')).toBe(1) });\n",
    },
    key: 'getApiKey',
  },
};

describe.each(Object.entries(cases))('%s', (_, { file, test: id, files, key }) => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget(files);
  });
  afterAll(() => target.sandbox.close());

  const shape = shapeOf({ [file]: (files as Record<string, string>)[file] ?? '' });
  const plan = planProbes({ ...shape, candidates: ranked(`${file}:5`, `${file}:8`, `${file}:12`, `${file}:11`) });
  const trace = planTrace(plan, shape);

  test('of a long run the first and the last hits are recorded, and it says how many are not', async () => {
    const run = parseRecord(
      ObservedRun,
      await observeTest({ ...target.setting(id), plan, trace, maxEvents: 500, keep: { first: 10, last: 20 } }),
    );
    expect(run).toMatchObject({ outcome: 'failed', truncated: true });
    const hot = run.thinned?.find(({ location }) => location === `${file}:5`);
    expect(hot).toMatchObject({ executed: 4002, probe_id: expect.stringMatching(/^PP/) });
    expect(hot?.recorded).toBe(run.events.filter(({ location }) => location === `${file}:5`).length);
    expect(hot?.recorded).toBeLessThan(300);
    const steps = run.events.flatMap(({ location, payload }) =>
      location === `${file}:5` ? [payload.variables?.step?.text] : [],
    );
    expect([steps[2], steps.at(-1)]).toEqual(['0', '3999']);
    expect(run.gaps?.length).toBeGreaterThan(0);
    expect(run.events.at(-1)?.payload.return_value?.text).toContain('7998000');
    // behind a gap nobody knows which branch ran last
    const [gap = 0] = run.gaps ?? [];
    expect(
      run.rows
        .slice(gap)
        .every(({ control_parent: parent = gap }) => parent >= gap || run.rows[parent]?.role === 'entry'),
    ).toBe(true);
    expect(run.notes.join()).toContain('first and the last hits');
  });

  test('secrets are masked by the names of variables and functions, or shown where that is asked', async () => {
    const run = await observeTest({ ...target.setting(id), plan, trace, maxEvents: 60 });
    const text = JSON.stringify(run.events);
    expect(text).not.toContain('hunter2');
    const entry = run.events.find(({ payload }) => payload.variables?.password !== undefined);
    expect(entry?.payload.variables?.password).toMatchObject({
      text: '‹masked: name "password"›',
      truncated: true,
      masked: true,
    });
    const returned = run.events.flatMap(({ payload }) => payload.return_value ?? []);
    expect(returned).toContainEqual(expect.objectContaining({ text: `‹masked: name "${key}"›`, masked: true }));
    const shown = await observeTest({ ...target.setting(id), plan, trace, maxEvents: 60, maskSecrets: false });
    expect(JSON.stringify(shown.events)).toContain('hunter2');
    expect(JSON.stringify(shown.events)).not.toContain('masked');
  });
});
