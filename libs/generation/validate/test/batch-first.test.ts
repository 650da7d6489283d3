import { type BatchRun, editTree, type RunBatch, type TestRunReport } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Validation } from '../src/index.ts';
import { candidateOf, type Outcomes, reportOf, type Suite, suiteOf, validate } from './scripted-suite.ts';

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
    expect(result.batch).toEqual({ rejected: 1, passed: 2, limited: 0, alone: 0, sampled: 0, notes: [] });
  });

  it('does not reject what a limit of the batch’s own ended', async () => {
    const suite = await suiteOf(before);
    const { runBatch } = batchOf(suite, (run) => ({ ...run, limited: [1, 2] }));
    const list = [candidateOf(bad), candidateOf(good), candidateOf({ ...bad, b1: 'timeout' })];
    const result = await validate(suite, list, { runBatch });
    expect(result.validations.map(({ status }) => status)).toEqual(['failing', 'plausible', 'timeout']);
    expect(result.executions).toBe(4);
    expect(namesOf(suite)).toEqual(['b1', 'all', 'b1']);
    expect(result.batch).toEqual({ rejected: 1, passed: 0, limited: 2, alone: 0, sampled: 0, notes: [] });
  });

  it('gives the same result as without', async () => {
    const outcomes = fc.constantFrom(bad, broken, good, { ...bad, b1: 'timeout' as const });
    const candidates = fc.array(outcomes, { maxLength: 30 });
    const fate = fc.constantFrom('kept', 'lost', 'limited', 'told otherwise');
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
        fc.array(fate),
        async (all, budget, concurrency, fates) => {
          const list = all.map((one, n) => candidateOf({ ...one, [`z${n % 20}`]: 'passed' }, `candidate ${n}`));
          const [plain, batched] = [await suiteOf(before), await suiteOf(before)];
          const timeout = reportOf({ b1: 'timeout' });
          const { runBatch } = batchOf(batched, (run) => ({
            ...run,
            limited: fates.flatMap((one, n) => (one === 'limited' ? [n] : [])),
            // a batch's own limit has no word; to say of one that stays broken that it passes is found out
            reports: run.reports.map((report, n) => {
              if (fates[n] === 'lost') return undefined;
              if (fates[n] === 'limited') return timeout;
              return fates[n] === 'told otherwise' ? reportOf({ b1: 'passed' }) : report;
            }),
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
    expect(result.batch?.notes).toEqual([
      'most candidates pass their failing tests, or take long: batches would run them twice',
    ]);
    expect(withoutUse(result)).toEqual(await validate(await suiteOf(before), list, { budget }));
  });

  it('asks for further batches where one has none that it can run, and for none where it says so', async () => {
    for (const off of [false, true]) {
      const suite = await suiteOf(before);
      const { runBatch, sizes } = batchOf(suite, (run, { length }) =>
        length > 1 ? run : { reports: run.reports.map(() => undefined), notes: [], ...(off ? { off } : {}) },
      );
      const result = await validate(suite, variants(bad, 30), { runBatch });
      expect(sizes).toEqual(off ? [8] : [8, 16, 6]);
      expect(result.batch).toMatchObject(off ? { rejected: 0, alone: 30 } : { rejected: 22, alone: 8 });
    }
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

  it('runs nothing twice, and tells nothing twice, where all are run alone after all', async () => {
    const suite = await suiteOf(before);
    const list = [...variants(good, 3), ...variants(bad, 45)];
    const lie = reportOf({ b1: 'passed' });
    const { runBatch } = batchOf(suite, (run) => ({
      ...run,
      reports: run.reports.map((report, n) => (n === 7 ? lie : report)),
    }));
    const told: [string, number][] = [];
    const onEvent = ({ message, done = 0 }: { message: string; done?: number }) => told.push([message, done]);
    const budget = { executions: 12 };
    const result = await validate(suite, list, { runBatch, budget, onEvent });
    expect(result).toMatchObject({ executions: 12, stopped: 'budget', batch: { alone: 9, rejected: 0 } });
    expect(suite.runs).toHaveLength(12);
    expect(withoutUse(result)).toEqual(await validate(await suiteOf(before), list, { budget }));
    expect(told.map(([message]) => message)).toEqual([...new Set(told.map(([message]) => message))]);
    expect(told.map(([, done]) => done)).toEqual([2, 4, 6, 7, 8, 9, 10, 11, 12]);
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
