import { type BatchRun, editTree, type RunBatch, type TestRunReport } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Validation } from '../src/index.ts';
import { candidateOf, type Outcomes, type Suite, suiteOf, validate } from './scripted-suite.ts';

const before: Outcomes = { b1: 'failed', n1: 'passed', n2: 'passed' };
const good: Outcomes = { b1: 'passed', n1: 'passed', n2: 'passed' };
const bad: Outcomes = { b1: 'error', n1: 'passed', n2: 'passed' };
const broken: Outcomes = { b1: 'passed', n1: 'passed', n2: 'failed' };
const variants = (outcomes: Outcomes, count: number) =>
  Array.from({ length: count }, (_, n) => candidateOf({ ...outcomes, [`z${n}`]: 'passed' }));

/** A batch that says what the suite says alone. `alter` changes what it says. */
function batchOf(suite: Suite, alter: (run: BatchRun, sizes: readonly number[]) => BatchRun = (run) => run) {
  const sizes: number[] = [];
  const runBatch: RunBatch = async (command, tree, candidates, options) => {
    sizes.push(candidates.length);
    const before = suite.runs.length;
    const reports: TestRunReport[] = [];
    for (const changes of candidates)
      reports.push(await suite.runTests(command, await editTree(tree, changes, suite.artifacts), options));
    const control = await suite.runTests(command, tree, options);
    suite.runs.splice(before);
    return alter({ reports, control, notes: [] }, sizes);
  };
  return { runBatch, sizes };
}

const withoutUse = ({ batch: _, ...rest }: Validation) => rest;
const namesOf = ({ runs }: Suite) => runs.map((run) => run.replace(/ on .*/, ''));

describe('validateCandidates with batches', () => {
  it('rejects on the word of a batch, and runs alone what passes there', async () => {
    const suite = await suiteOf(before);
    const { runBatch } = batchOf(suite);
    const result = await validate(suite, [candidateOf(bad), candidateOf(broken), candidateOf(good)], { runBatch });
    expect(result.validations.map(({ status }) => status)).toEqual(['failing', 'neighbour_broken', 'plausible']);
    expect(result.executions).toBe(5);
    expect(namesOf(suite)).toEqual(['b1', 'all', 'b1', 'all']);
    expect(result.batch).toEqual({ rejected: 1, passed: 2, alone: 0, sampled: 0, notes: [] });
  });

  it('gives the same result as without', async () => {
    const outcomes = fc.constantFrom(bad, broken, good);
    const candidates = fc.array(outcomes, { maxLength: 30 });
    const budget = fc.record({
      executions: fc.nat(40),
      stopAfterPlausible: fc.integer({ min: 1, max: 4 }),
      furtherExecutions: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(
        candidates,
        budget,
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.boolean()),
        async (all, budget, concurrency, isLost) => {
          const list = all.map((one, n) => candidateOf({ ...one, [`z${n % 20}`]: 'passed' }, `candidate ${n}`));
          const [plain, batched] = [await suiteOf(before), await suiteOf(before)];
          const { runBatch } = batchOf(batched, (run) => ({
            ...run,
            reports: run.reports.map((report, n) => (isLost[n] === true ? undefined : report)),
          }));
          const alone = await validate(plain, list, { budget });
          const result = await validate(batched, list, { budget, concurrency, runBatch });
          expect(withoutUse(result)).toEqual(alone);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('begins with a small batch and goes no further than the budget', async () => {
    const suite = await suiteOf(before);
    const { runBatch, sizes } = batchOf(suite);
    await validate(suite, variants(bad, 200), { runBatch, budget: { executions: 120 } });
    expect(sizes).toEqual([8, 16, 32, 64]);
  });

  it('goes on without where most candidates pass, which would run them twice', async () => {
    const suite = await suiteOf(before);
    const { runBatch, sizes } = batchOf(suite);
    const budget = { executions: 200, stopAfterPlausible: 100 };
    const list = [...variants(broken, 10), ...variants(bad, 30)];
    const result = await validate(suite, list, { runBatch, budget });
    expect(sizes).toEqual([8]);
    expect(result.batch).toMatchObject({ rejected: 0, passed: 8, alone: 32 });
    expect(result.batch?.notes).toEqual(['most candidates pass their failing tests: batches would run them twice']);
    expect(withoutUse(result)).toEqual(await validate(await suiteOf(before), list, { budget }));
  });

  it('does without where the tree itself fails otherwise in a batch', async () => {
    const suite = await suiteOf(before);
    const { runBatch, sizes } = batchOf(suite, (run) => ({
      ...run,
      reports: run.reports.map(() => undefined),
      control: { ...suite.baseline, tests: suite.baseline.tests.map((test) => ({ ...test, outcome: 'passed' })) },
    }));
    const result = await validate(suite, variants(bad, 30), { runBatch });
    expect(sizes).toEqual([8]);
    expect(result.batch).toMatchObject({ rejected: 0, alone: 30 });
    expect(result.batch?.notes).toHaveLength(1);
  });

  it('runs all again alone where a sample, or one that passed, ends otherwise', async () => {
    for (const lie of [bad, good]) {
      const suite = await suiteOf(before);
      const list = [...variants(bad, 6), candidateOf(good)];
      const wrong = {
        ...suite.baseline,
        tests: suite.baseline.tests.map((test) => ({ ...test, outcome: lie.b1 as 'error' })),
      };
      const { runBatch } = batchOf(suite, (run) => ({ ...run, reports: run.reports.map(() => wrong) }));
      // the sixth that is rejected is the sample: here it mends the test
      const at = lie === bad ? [...list.slice(0, 5), candidateOf(good), ...list.slice(5, 6)] : list;
      const result = await validate(suite, at, { runBatch });
      expect(withoutUse(result)).toEqual(await validate(await suiteOf(before), at));
      expect(result.batch?.notes).toEqual(['a candidate ends otherwise in a batch than alone: each is run alone']);
    }
  });

  it('leaves no batch running when it has enough, or is cancelled', async () => {
    const suite = await suiteOf(before);
    let inFlight = 0;
    const { runBatch } = batchOf(suite);
    const slow: RunBatch = async (command, tree, candidates, options) => {
      inFlight += 1;
      try {
        if (candidates.length > 8)
          await new Promise((_, reject) =>
            options?.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
          );
        return await runBatch(command, tree, candidates, options);
      } finally {
        inFlight -= 1;
      }
    };
    const list = [candidateOf(good), ...variants(bad, 60)];
    const result = await validate(suite, list, {
      runBatch: slow,
      concurrency: 2,
      budget: { executions: 50, stopAfterPlausible: 1 },
    });
    expect(result).toMatchObject({ stopped: 'enough_plausible', executions: 2 });
    expect(inFlight).toBe(0);
    const cancelled = await validate(suite, variants(bad, 60), { runBatch: slow, signal: AbortSignal.timeout(50) });
    expect(cancelled.stopped).toBe('deadline');
    expect(inFlight).toBe(0);
  });

  it('passes on what a batch rejects with', async () => {
    const suite = await suiteOf(before);
    const runBatch: RunBatch = () => Promise.reject(new Error('no executor'));
    await expect(validate(suite, variants(bad, 3), { runBatch })).rejects.toThrow('no executor');
  });
});
