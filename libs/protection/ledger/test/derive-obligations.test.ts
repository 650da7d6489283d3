import { sha256Hex } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { buildLedger, type LedgerSubject } from '../src/index.ts';
import { runOf } from './test-runs.ts';

const patch_id = sha256Hex('patch');
const edge = 'SessionConfig -> SessionManager';
const impactOf = (...tests: string[]) => ({ obligations: [{ behavior: 'sessions open', impact_source: edge, tests }] });
const kept = runOf({ a: 'passed', b: 'passed' });

function check(more: Partial<LedgerSubject>, expected: { discharged: string[]; untested: string[]; status: string }) {
  const { ledger } = buildLedger({
    patch_id,
    baseline: kept,
    candidate: kept,
    failing: [],
    impact: impactOf('a'),
    ...more,
  });
  expect({
    discharged: ledger.obligations.map(({ behavior }) => behavior),
    untested: ledger.untested_obligations.map(({ behavior }) => behavior),
    status: ledger.regression_status,
  }).toEqual(expected);
  return ledger;
}
const proven = { discharged: ['sessions open'], untested: [], status: 'PROTECTED' };
const open = { discharged: [], untested: ['sessions open'], status: 'UNPROVEN' };

describe('obligations', () => {
  it('are discharged by a test that passed before and after', () => {
    const { obligations } = check({}, proven);
    expect(obligations).toEqual([
      {
        behavior: 'sessions open',
        impact_source: edge,
        evidence: [{ test: 'a', baseline: 'passed', candidate: 'passed' }],
      },
    ]);
  });

  it('are never derived from the tests that exist', () => {
    check({ impact: { obligations: [] } }, { discharged: [], untested: [], status: 'UNPROVEN' });
  });

  it('stay untested while impact analysis has not run', () => {
    check({ impact: 'not_analysed' }, { discharged: [], untested: ['consumers not analysed'], status: 'UNPROVEN' });
    check({ impact: 'not_analysed', emptyDiff: true }, { discharged: [], untested: [], status: 'PROTECTED' });
  });

  it('are not discharged by no test, an unknown test, or one that failed before', () => {
    check({ impact: impactOf() }, open);
    check({ impact: impactOf('nobody') }, open);
    check({ baseline: runOf({ a: 'failed', b: 'passed' }), failing: ['a'] }, open);
  });

  it('are not discharged while one of their tests passed before and does not now', () => {
    const candidate = runOf({ a: 'passed', b: 'failed' });
    const { untested_obligations } = check({ impact: impactOf('b', 'a'), candidate }, { ...open, status: 'DIVERGENT' });
    expect(untested_obligations[0]?.evidence.map(({ test }) => test)).toEqual(['a', 'b']);
  });

  it('are not discharged by a flaky test', () => {
    check({ baseline: runOf({ a: 'flaky', b: 'passed' }) }, open);
    check({ candidate: runOf({ a: 'flaky', b: 'passed' }) }, open);
    check({ baseline: runOf({ a: 'flaky', b: 'passed' }), impact: impactOf('a', 'b') }, proven);
  });

  it('are not discharged by runs in different environments', () => {
    const elsewhere = runOf({ a: 'passed', b: 'passed' }, sha256Hex('elsewhere'));
    check(
      { candidate: elsewhere },
      { ...open, untested: ['baseline and candidate ran in different environments', 'sessions open'] },
    );
  });

  it('become untested when the patch edits their test file, and the edit is a violation', () => {
    check({ changedFiles: ['a.py', 'src.py'] }, { ...open, untested: ['sessions open', 'tests of a.py'] });
    const { violations } = buildLedger({
      patch_id,
      baseline: kept,
      candidate: kept,
      failing: [],
      impact: impactOf('a'),
      changedFiles: ['a.py'],
    });
    expect(violations).toEqual([{ source: 'patch', kind: 'test_file_changed', digest: sha256Hex('"a.py"') }]);
  });

  it('list every test about which the runs say nothing', () => {
    const { untested_obligations } = check(
      { baseline: runOf({ a: 'passed', b: 'failed' }), candidate: runOf({ a: 'passed', b: 'skipped', c: 'failed' }) },
      { discharged: ['sessions open'], untested: ['outcome of b', 'outcome of c'], status: 'UNPROVEN' },
    );
    expect(untested_obligations).toEqual([
      {
        behavior: 'outcome of b',
        impact_source: 'failure_silenced',
        evidence: [{ test: 'b', baseline: 'failed', candidate: 'skipped' }],
      },
      {
        behavior: 'outcome of c',
        impact_source: 'no_baseline',
        evidence: [{ test: 'c', baseline: 'missing', candidate: 'failed' }],
      },
    ]);
  });
});
