import type { ObservedRun } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observe, observeTest, planProbes, planTrace, probe, tracePath } from '../src/index.ts';
import { openTarget, readFolder, type Target } from './open-target.ts';
import { ranked, shapeOf } from './program-of.ts';
import { storyOf } from './story-of.ts';

const files = readFolder('libs/diagnosis/instrument/test/fixtures/shapes-py');
const lineOf = (text: string) => (files['shapes.py'] ?? '').split('\n').findIndex((line) => line.includes(text)) + 1;
const shape = shapeOf({ 'shapes.py': files['shapes.py'] ?? '' });

let targets: Record<'unittest' | 'pytest', Target>;
beforeAll(async () => {
  const pytest = { ...files, 'pytest.ini': '[pytest]\n' };
  targets = { unittest: await openTarget(files), pytest: await openTarget(pytest) };
});
afterAll(async () => {
  for (const { sandbox } of Object.values(targets)) await sandbox.close();
});

async function watch(name: string, text: string, runner: 'unittest' | 'pytest' = 'unittest'): Promise<ObservedRun> {
  const plan = planProbes({ ...shape, candidates: ranked(`shapes.py:${lineOf(text)}`) });
  const trace = planTrace(plan, shape);
  const setting = targets[runner].setting(`test_shapes.py::Shapes::test_${name}`, name === 'forever' ? 6000 : 60_000);
  return observeTest({ ...setting, plan, trace, maxEvents: 2000 });
}

describe.each(['unittest', 'pytest'] as const)('%s', (runner) => {
  test('recursion: a frame each, the caller known', async () => {
    const run = await watch('recursion', 'return n * factorial', runner);
    expect(run).toMatchObject({ outcome: 'failed', truncated: false, notes: [] });
    expect(run.failure).toMatchObject({ class: 'AssertionError', location: 'test_shapes.py:9' });
    expect(storyOf(run)).toMatchInlineSnapshot(`
      [
        "0 f0 5 entry {n=3}",
        "1 f0 6 branch <0 false {n=3}",
        "2 f0 8 return <1 {n=3} -> 6",
        "3 f1 5 entry ^2 {n=2}",
        "4 f1 6 branch <3 false {n=2}",
        "5 f1 8 return <4 {n=2} -> 2",
        "6 f2 5 entry ^5 {n=1}",
        "7 f2 6 branch <6 true {n=1}",
        "8 f2 7 return <7 -> 1",
      ]
    `);
  });

  test('the same run twice gives the same bytes but for its name', async () => {
    const [one, two] = [
      await watch('exceptions', 'except ValueError', runner),
      await watch('exceptions', 'except ValueError', runner),
    ];
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
  });
});

test('exceptions: the handler runs because a statement raised', async () => {
  const run = await watch('exceptions', 'except ValueError');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 28 entry {names=['tea', 'bomb']}",
      "1 f0 29 statement <0 {basket=Basket{total: 0, items: []}}",
      "2 f0 31 statement <0 {basket=Basket{total: 0, items: []}, names=['tea', 'bomb']} x ValueError('no bomb') !",
      "3 f0 33 return <2 {error=ValueError('no bomb')} -> 'no bomb'",
    ]
  `);
  const raised = run.rows.find(({ completed }) => !completed);
  expect(raised).toMatchObject({ defs: ['error'], completed: false });
});

test('loops: items of an object change', async () => {
  const run = await watch('loops', 'self.total += price');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 16 entry {name='tea', price=2, self=Basket{total: 0, items: []}}",
      "1 f0 17 statement <0 {name='tea', self=Basket{total: 0, items: ['tea']}}",
      "2 f0 18 statement <0 {price=2, self=Basket{total: 2, items: ['tea']}}",
      "3 f0 19 return <0 {self=Basket{total: 2, items: ['tea']}} -> Basket{total: 2, items: ['tea']}",
      "4 f1 16 entry {name='jam', price=3, self=Basket{total: 2, items: ['tea']}}",
      "5 f1 17 statement <4 {name='jam', self=Basket{total: 2, items: ['tea', 'jam']}}",
      "6 f1 18 statement <4 {price=3, self=Basket{total: 5, items: ['tea', 'jam']}}",
      "7 f1 19 return <4 {self=Basket{total: 5, items: ['tea', 'jam']}} -> Basket{total: 5, items: ['tea', 'jam']}",
    ]
  `);
  expect(run.events.filter(({ probe_id }) => probe_id === 'PP1').map(({ kind }) => kind)).toEqual([
    'state_delta',
    'state_delta',
  ]);
});

test('generators keep their frame', async () => {
  const run = await watch('generators', 'yield step');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 37 entry {limit=2}",
      "1 f0 38 statement <0 {step=0}",
      "2 f0 39 branch <0 iteration {limit=2, step=0}",
      "3 f0 40 statement <2 {step=0}",
      "4 f1 37 entry {limit=1}",
      "5 f1 38 statement <4 {step=0}",
      "6 f1 39 branch <4 iteration {limit=1, step=0}",
      "7 f1 40 statement <6 {step=0}",
      "8 f0 41 statement <2 {step=1}",
      "9 f0 39 branch <0 iteration {limit=2, step=1}",
      "10 f0 40 statement <9 {step=1} x GeneratorExit() !",
      "11 f1 41 statement <6 {step=1}",
      "12 f1 39 branch <4 done {limit=1, step=1}",
    ]
  `);
});

test('coroutines keep their frame', async () => {
  const run = await watch('async', 'doubled =');
  expect(new Set(run.rows.map(({ frame }) => frame)).size).toBe(2);
  expect(storyOf(run).filter((line) => line.includes('return'))).toMatchInlineSnapshot(`
    [
      "6 f0 48 return <0 {doubled=[2, 4]} -> [2, 4]",
      "9 f1 48 return <2 {doubled=[4, 8]} -> [4, 8]",
    ]
  `);
});

test('a crash leaves what was seen', async () => {
  const run = await watch('crash', 'os.kill');
  expect(run).toMatchObject({ outcome: 'error', failure: { class: 'ProcessEnded' } });
  expect(run.rows.map(({ completed }) => completed)).toEqual([true, false]);
  expect(run.notes.join()).toContain('SIGKILL');
});

test('a run without end is ended, and bounded', async () => {
  const run = await watch('forever', 'spins = (spins');
  expect(run).toMatchObject({ outcome: 'timeout', truncated: true });
  expect(run.events.length).toBeGreaterThanOrEqual(2000 + 2 * 100); // the head, and the first hits of two statements
  expect(run.events.length).toBeLessThanOrEqual(2000 + 2 * (100 + 2 * 500));
});

test('a test that is not there says so', async () => {
  const run = await watch('nothing', 'os.kill');
  expect(run).toMatchObject({ outcome: 'not_run', events: [], rows: [] });
  expect(run.notes.length).toBeGreaterThan(0);
});

test('primitives: observe, probe, tracePath', async () => {
  const setting = targets.unittest.setting('test_shapes.py::Shapes::test_recursion');
  const seen = await observe({ location: 'shapes.py::factorial' }, setting);
  expect(seen.seen.map(({ payload }) => payload.variables?.n?.text)).toEqual(['3', '2', '1']);
  const asked = await probe({ location: `shapes.py:${lineOf('return n *')}`, variable: 'n' }, setting);
  expect(asked.seen.map(({ payload }) => payload.return_value?.text)).toEqual(['6', '2']);
  const path = await tracePath(['shapes.py::factorial'], setting);
  expect(path.events.map(({ kind }) => kind)).toContain('path');
  expect(storyOf(path)[1]).toBe(`1 f0 ${lineOf('if n <= 1')} branch <0 false`);
  await expect(probe({ location: 'shapes.py::factorial', variable: 'm' }, setting)).rejects.toMatchObject({
    code: 'no_statement',
  });
  await expect(tracePath(['shapes.py::none'], setting)).rejects.toMatchObject({ code: 'no_statement' });
  await expect(observe({ location: 'none.py:3' }, setting)).rejects.toMatchObject({ code: 'unknown_file' });
});

test('an observed test ends as it does unobserved', async () => {
  const names = ['recursion', 'loops', 'exceptions', 'generators', 'async'];
  const plain = await targets.pytest.outcomes(names.map((name) => `test_shapes.py::Shapes::test_${name}`));
  const plan = planProbes({ ...shape, candidates: ranked(...[6, 17, 25, 39, 46].map((line) => `shapes.py:${line}`)) });
  for (const [id, outcome] of Object.entries(plain)) {
    const run = await observeTest({ ...targets.pytest.setting(id), plan, trace: planTrace(plan, shape) });
    expect([id, run.outcome]).toEqual([id, outcome]);
  }
}, 120_000);
