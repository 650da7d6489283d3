import type { ObservedRun } from '@h/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observe, observeTest, planProbes, planTrace, probe } from '../src/index.ts';
import { openTarget, readFolder, type Target } from './open-target.ts';
import { ranked, shapeOf } from './program-of.ts';
import { storyOf } from './story-of.ts';

const files = readFolder('libs/diagnosis/instrument/test/fixtures/shapes-ts');
const lineOf = (text: string) => (files['shapes.ts'] ?? '').split('\n').findIndex((line) => line.includes(text)) + 1;
const shape = shapeOf({ 'shapes.ts': files['shapes.ts'] ?? '' });

let target: Target;
beforeAll(async () => {
  target = await openTarget(files);
});
afterAll(() => target.sandbox.close());

async function watch(name: string, text: string): Promise<ObservedRun> {
  const plan = planProbes({ ...shape, candidates: ranked(`shapes.ts:${lineOf(text)}`) });
  const setting = target.setting(`shapes.spec.ts > ${name}`, name === 'forever' ? 15_000 : 60_000);
  return observeTest({ ...setting, plan, trace: planTrace(plan, shape), maxEvents: 2000 });
}

test('recursion: a frame each, the caller known; twice the same bytes', async () => {
  const run = await watch('recursion', 'return n * factorial');
  expect(run).toMatchObject({ outcome: 'failed', truncated: false, notes: [] });
  expect(run.failure).toMatchObject({ class: 'AssertionError', location: 'shapes.spec.ts:4' });
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 1 entry {n=3}",
      "1 f0 2 branch <0 false {n=3}",
      "2 f0 3 return <1 {n=3} -> 6",
      "3 f1 1 entry ^2 {n=2}",
      "4 f1 2 branch <3 false {n=2}",
      "5 f1 3 return <4 {n=2} -> 2",
      "6 f2 1 entry ^5 {n=1}",
      "7 f2 2 branch <6 true {n=1}",
      "8 f2 2 return <7 -> 1",
    ]
  `);
  expect(JSON.stringify(await watch('recursion', 'return n * factorial'))).toBe(JSON.stringify(run));
});

test('exceptions: the handler runs because a statement raised', async () => {
  const run = await watch('exceptions', 'return (error');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 24 entry {names=["tea", "bomb"]}",
      "1 f0 25 statement <0 {basket=Basket{total: 0, items: []}}",
      "2 f0 27 statement <0 {basket=Basket{total: 0, items: []}, names=["tea", "bomb"]} x RangeError("no bomb") !",
      "3 f0 29 return <2 {error=RangeError("no bomb")} -> "no bomb"",
    ]
  `);
  expect(run.rows.find(({ completed }) => !completed)).toMatchObject({ defs: ['error'], completed: false });
});

test('loops: `this` changes', async () => {
  const run = await watch('loops', 'this.total += price');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 10 entry {name="tea", price=2, this=Basket{total: 0, items: []}}",
      "1 f0 11 statement <0 {name="tea", this=Basket{total: 0, items: ["tea"]}}",
      "2 f0 12 statement <0 {price=2, this=Basket{total: 2, items: ["tea"]}}",
      "3 f0 13 return <0 {this=Basket{total: 2, items: ["tea"]}} -> Basket{total: 2, items: ["tea"]}",
      "4 f1 10 entry {name="jam", price=3, this=Basket{total: 2, items: ["tea"]}}",
      "5 f1 11 statement <4 {name="jam", this=Basket{total: 2, items: ["tea", "jam"]}}",
      "6 f1 12 statement <4 {price=3, this=Basket{total: 5, items: ["tea", "jam"]}}",
      "7 f1 13 return <4 {this=Basket{total: 5, items: ["tea", "jam"]}} -> Basket{total: 5, items: ["tea", "jam"]}",
    ]
  `);
  expect(run.events.filter(({ probe_id }) => probe_id === 'PP1').map(({ kind }) => kind)).toEqual([
    'state_delta',
    'state_delta',
  ]);
});

test('generators keep their frame', async () => {
  expect(storyOf(await watch('generators', 'yield step'))).toMatchInlineSnapshot(`
    [
      "0 f0 34 entry {limit=2}",
      "1 f0 35 statement <0 {step=0}",
      "2 f0 36 branch <0 iteration {limit=2, step=0}",
      "3 f0 37 statement <2 {step=0}",
      "4 f1 34 entry {limit=1}",
      "5 f1 35 statement <4 {step=0}",
      "6 f1 36 branch <4 iteration {limit=1, step=0}",
      "7 f1 37 statement <6 {step=0}",
      "8 f0 38 statement <2 {step=1}",
      "9 f0 36 branch <0 iteration {limit=2, step=1}",
      "10 f0 37 statement <9 {step=1} !",
      "11 f1 38 statement <6 {step=1}",
      "12 f1 36 branch <4 done {limit=1, step=1}",
      "13 f1 40 return <4 {step=1} -> 1",
    ]
  `);
});

test('async functions keep their frame, an arrow is one of its own', async () => {
  const run = await watch('async', 'const doubled');
  expect(storyOf(run)).toMatchInlineSnapshot(`
    [
      "0 f0 43 entry {value=2}",
      "1 f0 44 statement <0 {half=1, value=2}",
      "2 f1 43 entry {value=4}",
      "3 f1 44 statement <2 {half=2, value=4}",
      "4 f0 45 statement <0 {doubled=[2, 4], half=1, value=2}",
      "5 f2 45 entry ^4 {each=1}",
      "6 f2 45 return <5 {each=1} -> 2",
      "7 f3 45 entry ^4 {each=2}",
      "8 f3 45 return <7 {each=2} -> 4",
      "9 f0 46 return <0 {doubled=[2, 4]} -> [2, 4]",
      "10 f1 45 statement <2 {doubled=[4, 8], half=2, value=4}",
      "11 f4 45 entry ^10 {each=2}",
      "12 f4 45 return <11 {each=2} -> 4",
      "13 f5 45 entry ^10 {each=4}",
      "14 f5 45 return <13 {each=4} -> 8",
      "15 f1 46 return <2 {doubled=[4, 8]} -> [4, 8]",
    ]
  `);
});

test('a crash leaves what was seen', async () => {
  const run = await watch('crash', 'process.kill');
  expect(run.outcome).toBe('error');
  expect(run.rows.map(({ location, completed }) => `${location} ${completed}`)).toEqual([
    `shapes.ts:${lineOf('function crash')} true`,
    `shapes.ts:${lineOf('process.kill')} false`,
  ]);
});

test('a run without end is ended, and bounded', async () => {
  const run = await watch('forever', 'spins = (spins');
  expect(run).toMatchObject({ outcome: 'timeout', truncated: true });
  expect(run.events.length).toBeGreaterThanOrEqual(2000 + 2 * 100); // the head, and the first hits of two statements
  expect(run.events.length).toBeLessThanOrEqual(2000 + 2 * (100 + 2 * 500));
});

test('primitives: observe, probe', async () => {
  const setting = target.setting('shapes.spec.ts > loops');
  const { seen } = await observe({ location: `shapes.ts:${lineOf('this.items.push')}` }, setting);
  expect(seen.map(({ payload }) => payload.variables?.name?.text)).toEqual(['"tea"', '"jam"']);
  const asked = await probe({ location: 'shapes.ts::Basket.add', variable: 'this.total' }, setting);
  expect(asked.seen.map(({ payload }) => payload.variables?.this?.text)).toMatchInlineSnapshot(`
    [
      undefined,
      undefined,
    ]
  `);
});
