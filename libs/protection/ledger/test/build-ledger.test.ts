import { canonicalJson, hashRecord, LedgerEntry, sha256Hex, type TestOutcome } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLedger, compareTestRuns, type LedgerSubject } from '../src/index.ts';
import { runOf } from './test-runs.ts';

const patch_id = sha256Hex('patch');
const subject: LedgerSubject = {
  patch_id,
  baseline: runOf({ bug: 'failed', a: 'passed', b: 'passed' }),
  candidate: runOf({ bug: 'passed', a: 'passed', b: 'failed' }),
  failing: ['bug'],
  impact: 'not_analysed',
};
const repaired = { ...subject, candidate: runOf({ bug: 'passed', a: 'passed', b: 'passed' }) };
const says = (divergence_id: string, classification: string) => ({ annotations: [{ divergence_id, classification }] });

describe('buildLedger', () => {
  it('is at best UNPROVEN until impact analysis exists', () => {
    const entry = buildLedger(repaired);
    expect(LedgerEntry.parse(entry)).toEqual(entry);
    expect(entry).toEqual({
      ledger: {
        patch_id,
        obligations: [],
        unexpected_differences: [],
        untested_obligations: [
          { behavior: 'consumers not analysed', evidence: [], impact_source: 'impact analysis has not run' },
        ],
        regression_status: 'UNPROVEN',
      },
      skip_log: [],
      violations: [],
      fix: { verdict: 'unknown', neighbours: [] },
    });
  });

  it('is DIVERGENT when a test that passed does not pass any more', () => {
    const { ledger } = buildLedger(subject);
    expect(ledger.regression_status).toBe('DIVERGENT');
    expect(ledger.unexpected_differences).toMatchObject([
      { divergence_id: 'test:b', rule: 'passed_then_failed', marker: 'accidental' },
    ]);
  });

  it('keeps intended changes out of the ledger', () => {
    expect(buildLedger(repaired).ledger.unexpected_differences).toEqual([]);
  });

  it('calls a fix incomplete when a failing test does not pass, and nothing more than unknown when all do', () => {
    const verdict = (candidate: LedgerSubject['candidate']) => buildLedger({ ...subject, candidate }).fix.verdict;
    expect(verdict(runOf({ bug: 'failed', a: 'passed', b: 'passed' }))).toBe('incomplete_fix');
    expect(verdict(runOf({ a: 'passed', b: 'passed' }))).toBe('incomplete_fix');
    expect(verdict(repaired.candidate)).toBe('unknown');
  });

  it('names the entry it supersedes', () => {
    expect(buildLedger({ ...subject, supersedes: patch_id }).supersedes).toBe(patch_id);
  });

  it('gives the same bytes when run twice, and whatever the order of the reports', () => {
    const reversed = (report: LedgerSubject['baseline']) => ({ ...report, tests: [...report.tests].reverse() });
    const bytes = canonicalJson(buildLedger(subject));
    expect(canonicalJson(buildLedger(subject))).toBe(bytes);
    expect(
      canonicalJson(
        buildLedger({ ...subject, baseline: reversed(subject.baseline), candidate: reversed(subject.candidate) }),
      ),
    ).toBe(bytes);
  });
});

describe('annotations', () => {
  function check(
    annotations: unknown,
    expected: { status: string; kind?: string; difference?: object },
    mode?: 'advisory' | 'effective',
  ) {
    const entry = buildLedger({ ...subject, annotations, ...(mode === undefined ? {} : { annotationMode: mode }) });
    expect(entry.ledger.regression_status).toBe(expected.status);
    expect(entry.violations).toEqual(
      expected.kind === undefined ? [] : [{ source: 'intent', kind: expected.kind, digest: hashRecord(annotations) }],
    );
    if (expected.difference) expect(entry.ledger.unexpected_differences).toMatchObject([expected.difference]);
    else expect(entry.ledger.unexpected_differences[0]).not.toHaveProperty('annotation');
    expect(LedgerEntry.parse(entry)).toEqual(entry);
  }

  it('are attached, and by default clear nothing', () => {
    check(says('test:b', 'intentional'), {
      status: 'DIVERGENT',
      difference: { annotation: 'intentional', marker: 'accidental' },
    });
    expect(
      buildLedger({ ...subject, annotations: says('test:b', 'intentional') }).ledger.unexpected_differences[0],
    ).not.toHaveProperty('cleared');
  });
  it('clear where they are effective, and the ledger says so', () =>
    check(
      says('test:b', 'intentional'),
      { status: 'UNPROVEN', difference: { annotation: 'intentional', marker: 'accidental', cleared: true } },
      'effective',
    ));
  it('may name an intended change, which stays out of the ledger', () =>
    check(says('test:bug', 'accidental'), { status: 'DIVERGENT' }));
  it('may be none', () => check({ annotations: [] }, { status: 'DIVERGENT' }));

  it.each(['advisory', 'effective'] as const)('are void as a whole when anything is wrong with them (%s)', (mode) => {
    const good = says('test:b', 'intentional').annotations;
    const is = (annotations: unknown, kind: string) => check(annotations, { status: 'DIVERGENT', kind }, mode);
    is(
      { annotations: [...good, { divergence_id: 'test:nobody', classification: 'intentional' }] },
      'unknown_divergence',
    );
    is(
      { annotations: [...good, { divergence_id: 'test:b', classification: 'accidental' }] },
      'divergence_annotated_twice',
    );
    is({ annotations: good, regression_status: 'PROTECTED' }, 'malformed_annotations');
    is(says('test:b', 'no divergence'), 'malformed_annotations');
    is([], 'malformed_annotations');
    is('It is fine.', 'malformed_annotations');
    is(null, 'malformed_annotations');
  });
});

describe('laws', () => {
  const rank = { PROTECTED: 0, UNPROVEN: 1, DIVERGENT: 2 };
  const outcome = fc.constantFrom<TestOutcome | 'missing' | 'flaky'>(
    'passed',
    'passed',
    'passed',
    'failed',
    'error',
    'timeout',
    'skipped',
    'not_run',
    'xfailed',
    'xpassed',
    'missing',
    'flaky',
  );
  const tests = ['a', 'b', 'c', 'd'];
  const run = fc.record(Object.fromEntries(tests.map((test) => [test, outcome])));
  const impact = fc.constantFrom<LedgerSubject['impact']>(
    'not_analysed',
    { obligations: [] },
    { obligations: [{ behavior: 'x', impact_source: 'x -> y', tests: ['a'] }] },
    {
      obligations: [
        { behavior: 'x', impact_source: 'x -> y', tests: ['a', 'b'] },
        { behavior: 'z', impact_source: 'x -> z', tests: ['c'] },
      ],
    },
  );
  const subjects = fc.record({
    patch_id: fc.constant(patch_id),
    baseline: run.map((outcomes) => runOf(outcomes)),
    candidate: run.map((outcomes) => runOf(outcomes)),
    failing: fc.subarray(tests),
    impact,
    emptyDiff: fc.boolean(),
    changedFiles: fc.subarray(['a.py', 'src.py']),
  });
  const statusOf = (one: LedgerSubject) => rank[buildLedger(one).ledger.regression_status];

  it('no annotation improves a status by default', () => {
    const classification = fc.constantFrom('intentional', 'accidental', 'nothing');
    const answer = fc.array(
      fc.record({ divergence_id: fc.constantFrom(...tests.map((t) => `test:${t}`), 'test:?'), classification }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(subjects, answer, (one, annotations) => {
        expect(statusOf({ ...one, annotations: { annotations } })).toBeGreaterThanOrEqual(statusOf(one));
      }),
      { numRuns: 800 },
    );
  });

  it('a test that stops passing never improves a status', () => {
    fc.assert(
      fc.property(
        subjects,
        fc.constantFrom(...tests),
        fc.constantFrom<TestOutcome>('failed', 'error', 'timeout', 'not_run', 'skipped', 'xfailed'),
        (one, test, outcome) => {
          const passed = (results: typeof one.candidate.tests) =>
            results.some((r) => r.test === test && r.outcome === 'passed' && r.flaky !== true);
          fc.pre(passed(one.baseline.tests) && passed(one.candidate.tests));
          const candidate = {
            ...one.candidate,
            tests: one.candidate.tests.map((r) => (r.test === test ? { ...r, outcome } : r)),
          };
          expect(statusOf({ ...one, candidate })).toBe(rank.DIVERGENT);
        },
      ),
      { numRuns: 800 },
    );
  });

  it('every entry is a record that keeps its own rules', () => {
    fc.assert(
      fc.property(subjects, (one) => {
        const entry = buildLedger(one);
        expect(LedgerEntry.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
        const { obligations, unexpected_differences, untested_obligations, regression_status } = entry.ledger;
        const ids = unexpected_differences.map(({ divergence_id }) => divergence_id);
        expect(ids).toEqual([...ids].sort());
        if (regression_status === 'PROTECTED') {
          expect([ids, untested_obligations]).toEqual([[], []]);
          expect(one.emptyDiff || obligations.length > 0).toBe(true);
        }
        const found = compareTestRuns(one).divergences.filter((d) => d.classification === 'regression_evidence');
        expect(ids).toEqual(found.map((d) => d.divergence_id));
      }),
      { numRuns: 800 },
    );
  });
});
