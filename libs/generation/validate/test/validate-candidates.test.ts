import { setTimeout as sleep } from 'node:timers/promises';
import { CandidateValidation, canonicalJson, sha256Hex } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Validation } from '../src/index.ts';
import { candidateOf, changeTo, type Outcomes, suiteOf, validate } from './scripted-suite.ts';

const before: Outcomes = { b1: 'failed', n1: 'passed', n2: 'passed' };
const good: Outcomes = { b1: 'passed', n1: 'passed', n2: 'passed' };
const failing: Outcomes = { b1: 'error', n1: 'passed', n2: 'passed' };
const broken: Outcomes = { b1: 'passed', n1: 'passed', n2: 'failed' };
const statuses = ({ validations }: Validation) => validations.map(({ status }) => status);
/** The same outcomes written differently: another tree. */
const variant = (outcomes: Outcomes, n: number) =>
  candidateOf({ ...outcomes, [`z${n}`]: 'passed' }, `variant ${n} ${JSON.stringify(outcomes)}`);

describe('validateCandidates', () => {
  it('runs the failing tests first and the suite only when they pass', async () => {
    const suite = await suiteOf(before);
    const result = await validate(suite, [candidateOf(failing), candidateOf(broken), candidateOf(good)]);
    expect(statuses(result)).toEqual(['failing', 'neighbour_broken', 'plausible']);
    expect(suite.runs.map((run) => run.replace(/ on .*/, ''))).toEqual(['b1', 'b1', 'all', 'b1', 'all']);
    expect(result.validations.map(({ executions }) => executions)).toEqual([1, 2, 2]);
    expect(result).toMatchObject({ executions: 5, stopped: 'exhausted', not_validated: [] });
    for (const validation of result.validations) expect(CandidateValidation.parse(validation)).toEqual(validation);
  });

  it('runs only what a candidate reaches, beside the failing tests', async () => {
    const suite = await suiteOf(before);
    const reach = new Map([
      [candidateOf(good).candidate_id, ['n2']],
      [candidateOf(broken).candidate_id, ['n1']],
      [candidateOf(failing).candidate_id, []],
    ]);
    const select = async ({ candidate_id }: { candidate_id: string }) => reach.get(candidate_id) ?? ('all' as const);
    const lucky = variant(good, 1);
    const result = await validate(suite, [candidateOf(good), candidateOf(broken), lucky, candidateOf(failing)], {
      select,
    });
    const runs = suite.runs.map((run) => run.replace(/ on .*/, ''));
    expect(runs).toEqual(['b1', 'b1 n2', 'b1', 'b1 n1', 'b1', 'all', 'b1']);
    // n2 breaks, but the selection said that the candidate cannot reach it
    expect(statuses(result)).toEqual(['plausible', 'plausible', 'plausible', 'failing']);
    expect(result.reports.get(candidateOf(good).candidate_id)?.tests.map(({ test }) => test)).toEqual(['b1', 'n2']);
  });

  it('needs one execution for a candidate that reaches no other test', async () => {
    const suite = await suiteOf(before);
    const result = await validate(suite, [candidateOf(good)], { select: async () => [] });
    expect(result.validations).toMatchObject([{ status: 'plausible', executions: 1 }]);
    expect(result.reports.get(candidateOf(good).candidate_id)?.tests).toHaveLength(1);
  });

  it('gives the whole report of those that reached the suite, resting on both executions', async () => {
    const result = await validate(await suiteOf(before), [candidateOf(failing), candidateOf(broken)]);
    expect([...result.reports.keys()]).toEqual([candidateOf(broken).candidate_id]);
    const report = result.reports.get(candidateOf(broken).candidate_id);
    expect(report?.tests.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'failed']);
    expect(report?.execution_ids).toHaveLength(2);
  });

  it('does not hold against a candidate what did not pass before or is flaky', async () => {
    const suite = await suiteOf({ ...before, x1: 'error', f1: 'passed' });
    const baseline = {
      ...suite.baseline,
      tests: suite.baseline.tests.map((t) => (t.test === 'f1' ? { ...t, flaky: true } : t)),
    };
    const result = await validate(suite, [candidateOf({ ...good, x1: 'timeout', f1: 'failed' })], { baseline });
    expect(statuses(result)).toEqual(['plausible']);
  });

  it('is not fooled by a candidate that deletes or skips a test', async () => {
    const { b1: _, ...without } = good;
    const result = await validate(await suiteOf(before), [
      candidateOf(without),
      candidateOf({ ...good, n1: 'skipped' }),
      candidateOf({ ...good, n2: 'gone' }),
      candidateOf({ ...good, n2: 'uncollected' }),
    ]);
    expect(statuses(result)).toEqual(['crash', 'neighbour_broken', 'neighbour_broken', 'neighbour_broken']);
  });

  it('needs one execution where nothing else passed before', async () => {
    const result = await validate(await suiteOf({ b1: 'failed' }), [candidateOf({ b1: 'passed' })]);
    expect(result.validations).toMatchObject([{ status: 'plausible', executions: 1 }]);
    expect(result.reports.size).toBe(1);
  });

  it('checks only what passed before where no failing test is named', async () => {
    const suite = await suiteOf(good);
    const result = await validate(suite, [candidateOf(broken), candidateOf({ ...good, z: 'failed' })]);
    expect(statuses(result)).toEqual(['neighbour_broken', 'plausible']);
    expect(suite.runs).toHaveLength(2);
  });

  it('spends nothing on a tree it has seen, or on one that changes nothing', async () => {
    const suite = await suiteOf(before);
    const again = { candidate_id: sha256Hex('again'), changes: changeTo(good) };
    const nothing = { candidate_id: sha256Hex('nothing'), changes: changeTo(before) };
    const result = await validate(suite, [candidateOf(good), again, nothing]);
    expect(result.validations.map(({ status, executions }) => [status, executions])).toEqual([
      ['plausible', 2],
      ['plausible', 0],
      ['failing', 0],
    ]);
    expect(result.reports.get(again.candidate_id)).toEqual(result.reports.get(candidateOf(good).candidate_id));
    expect(suite.runs).toHaveLength(2);
  });

  it('names at most 20 tests that did not pass', async () => {
    const many = (outcome: 'passed' | 'failed') =>
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`n${n}`, outcome]));
    const result = await validate(await suiteOf({ ...before, ...many('passed') }), [
      candidateOf({ ...good, ...many('failed') }),
    ]);
    expect(result.validations[0]?.first_failing).toHaveLength(20);
  });

  it('lets the budget end between the two executions of a candidate', async () => {
    const suite = await suiteOf(before);
    const result = await validate(suite, [candidateOf(good), variant(good, 1)], { budget: { executions: 3 } });
    expect(result).toMatchObject({ executions: 3, stopped: 'budget', not_validated: [variant(good, 1).candidate_id] });
    expect(suite.runs).toHaveLength(3);
  });

  it('stops after enough plausible candidates', async () => {
    const candidates = [variant(failing, 1), variant(good, 1), variant(good, 2), variant(good, 3)];
    const result = await validate(await suiteOf(before), candidates, {
      budget: { executions: 99, stopAfterPlausible: 2 },
    });
    expect(statuses(result)).toEqual(['failing', 'plausible', 'plausible']);
    expect(result).toMatchObject({ stopped: 'enough_plausible', not_validated: [variant(good, 3).candidate_id] });
  });

  it('goes on for so many executions after the first plausible candidate', async () => {
    const candidates = [variant(failing, 1), variant(good, 1), variant(failing, 2), variant(good, 2), variant(good, 3)];
    const validateFurther = async (furtherExecutions: number) =>
      statuses(await validate(await suiteOf(before), candidates, { budget: { executions: 99, furtherExecutions } }));
    expect(await validateFurther(0)).toEqual(['failing', 'plausible']);
    expect(await validateFurther(1)).toEqual(['failing', 'plausible', 'failing']);
    expect(await validateFurther(2)).toEqual(['failing', 'plausible', 'failing', 'plausible']);
    expect(await validateFurther(9)).toHaveLength(5);
  });

  it('reports progress in candidate order', async () => {
    const events: string[] = [];
    await validate(await suiteOf(before), [candidateOf(failing), candidateOf(good)], {
      budget: { executions: 9 },
      onEvent: ({ message, done, total }) => events.push(`${message.slice(13)} ${done}/${total}`),
    });
    expect(events).toEqual(['failing 1/9', 'plausible 3/9']);
  });

  it('keeps the executor busy', async () => {
    const suite = await suiteOf(before, () => sleep(5));
    await validate(
      suite,
      Array.from({ length: 8 }, (_, n) => variant(failing, n)),
      { concurrency: 4 },
    );
    expect(suite.mostInFlight).toBe(4);
  });

  it('rejects with what the runner rejects with, once nothing runs any more', async () => {
    const suite = await suiteOf(before, () => sleep(5));
    let settled = 0;
    const runTests: typeof suite.runTests = async (command, tree, options) => {
      try {
        if (suite.runs.length === 1) throw new Error('no runner');
        return await suite.runTests(command, tree, options);
      } finally {
        settled += 1;
      }
    };
    const candidates = Array.from({ length: 6 }, (_, n) => variant(good, n));
    await expect(validate(suite, candidates, { runTests, concurrency: 2 })).rejects.toThrow('no runner');
    expect(settled).toBe(2);
  });
});

describe('cancelling', () => {
  const endless = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

  it('does nothing when the signal is aborted already', async () => {
    const suite = await suiteOf(before);
    const result = await validate(suite, [candidateOf(good)], { signal: AbortSignal.abort() });
    expect(result).toEqual({
      validations: [],
      reports: new Map(),
      executions: 0,
      stopped: 'cancelled',
      not_validated: [candidateOf(good).candidate_id],
    });
    expect(suite.runs).toEqual([]);
  });

  it('settles within 100 ms with what was decided, and leaves nothing running', async () => {
    const suite = await suiteOf(before);
    const cancel = new AbortController();
    let running = 0;
    const runTests: typeof suite.runTests = async (command, tree, options) => {
      if (suite.runs.length < 3) return suite.runTests(command, tree, options);
      running += 1;
      return endless(options?.signal).finally(() => {
        running -= 1;
      });
    };
    const candidates = [candidateOf(failing), candidateOf(good), variant(good, 1), variant(good, 2)];
    const pending = validate(suite, candidates, { runTests, concurrency: 2, signal: cancel.signal });
    await sleep(30);
    const start = performance.now();
    cancel.abort();
    const result = await pending;
    expect(performance.now() - start).toBeLessThan(100);
    expect(running).toBe(0);
    expect(statuses(result)).toEqual(['failing', 'plausible']);
    expect(result).toMatchObject({
      stopped: 'cancelled',
      not_validated: candidates.slice(2).map((c) => c.candidate_id),
    });
  });

  it('keeps what was decided ahead of a candidate that still ran', async () => {
    const suite = await suiteOf(before);
    const cancel = new AbortController();
    const runTests: typeof suite.runTests = async (command, tree, options) => {
      if (suite.runs.length > 0) return suite.runTests(command, tree, options);
      suite.runs.push('endless');
      return endless(options?.signal);
    };
    const pending = validate(suite, [candidateOf(good), candidateOf(failing)], {
      runTests,
      concurrency: 2,
      signal: cancel.signal,
    });
    await sleep(30);
    cancel.abort();
    const result = await pending;
    expect(statuses(result)).toEqual(['failing']);
    expect(result).toMatchObject({ executions: 2, not_validated: [candidateOf(good).candidate_id] });
  });

  it('tells a deadline from a cancellation', async () => {
    const suite = await suiteOf(before);
    const runTests: typeof suite.runTests = (_command, _tree, options) => endless(options?.signal);
    const result = await validate(suite, [candidateOf(good)], { runTests, signal: AbortSignal.timeout(10) });
    expect(result).toMatchObject({ stopped: 'deadline', validations: [], executions: 1 });
  });

  it('takes a partial report of an aborted run for no verdict', async () => {
    const suite = await suiteOf(before);
    const cancel = new AbortController();
    const runTests: typeof suite.runTests = async (command, tree) => {
      cancel.abort();
      return suite.runTests(command, tree);
    };
    expect((await validate(suite, [candidateOf(failing)], { runTests, signal: cancel.signal })).validations).toEqual(
      [],
    );
  });
});

describe('misuse', () => {
  const check = async (more: Parameters<typeof validate>[2], code: string, candidates = [candidateOf(good)]) => {
    const suite = await suiteOf(before);
    await expect(validate(suite, candidates, more)).rejects.toMatchObject({
      code,
      hint: expect.stringContaining(' or '),
    });
    expect(suite.runs).toEqual([]);
  };

  it('refuses what cannot be meant', async () => {
    await check({ budget: { executions: -1 } }, 'invalid_budget');
    await check({ budget: { executions: 1.5 } }, 'invalid_budget');
    await check({ budget: { executions: 1, stopAfterPlausible: 0 } }, 'invalid_budget');
    await check({ budget: { executions: 1, furtherExecutions: -1 } }, 'invalid_budget');
    await check({ concurrency: 0 }, 'invalid_concurrency');
    await check({}, 'duplicate_candidate', [candidateOf(good), candidateOf(good)]);
    await check({ failing: [], baseline: { ...(await suiteOf(before)).baseline, tests: [] } }, 'nothing_to_check');
  });
});

describe('laws', () => {
  const outcomes = fc.constantFrom(good, failing, broken, before, { ...good, n1: 'not_run' as const });
  const scenario = fc.record({
    // Few variants, so that equal trees turn up.
    candidates: fc.array(fc.tuple(outcomes, fc.integer({ min: 0, max: 2 })), { maxLength: 12 }),
    executions: fc.integer({ min: 0, max: 26 }),
    limits: fc.record(
      { stopAfterPlausible: fc.integer({ min: 1, max: 3 }), furtherExecutions: fc.integer({ min: 0, max: 6 }) },
      { requiredKeys: [] },
    ),
    concurrency: fc.integer({ min: 2, max: 5 }),
    pauses: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 30, maxLength: 30 }),
  });

  it('gives the sequential result and keeps within the budget whatever the concurrency and the timing', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ candidates, executions, limits, concurrency, pauses }) => {
        const budget = { executions, ...limits };
        const changes = candidates.map(([change, n], index) => ({
          candidate_id: sha256Hex(String(index)),
          changes: variant(change, n).changes,
        }));
        const sequential = await suiteOf(before);
        const parallel = await suiteOf(before, async (run) => {
          for (let turn = 0; turn < (pauses[run % pauses.length] ?? 0); turn += 1) await sleep(0);
        });
        const expected = await validate(sequential, changes, { budget });
        const got = await validate(parallel, changes, { budget, concurrency });
        const bytes = ({ reports, ...rest }: Validation) =>
          canonicalJson({ ...rest, reports: Object.fromEntries(reports) });
        expect(bytes(got)).toBe(bytes(expected));
        expect(parallel.runs.length).toBeLessThanOrEqual(executions);
        expect(sequential.runs).toHaveLength(expected.executions);
      }),
      { numRuns: 200 },
    );
  });

  it('gives the same bytes when run twice', async () => {
    const run = async () => {
      const { reports, ...rest } = await validate(await suiteOf(before), [
        candidateOf(failing),
        candidateOf(broken),
        candidateOf(good),
      ]);
      return canonicalJson({ ...rest, reports: Object.fromEntries(reports) });
    };
    expect(await run()).toBe(await run());
  });
});
