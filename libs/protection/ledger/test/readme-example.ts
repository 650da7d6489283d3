import { buildLedger, rankPatches } from '@h/ledger';

const run = (outcomes: Record<string, 'passed' | 'failed'>) => ({
  runner: 'mine',
  environment: '0'.repeat(64),
  execution_ids: [],
  tests: Object.entries(outcomes).map(([test, outcome]) => ({ test, file: 'test_cart.py', outcome, duration_ms: 1 })),
  collection_errors: [],
});
const baseline = run({ rounds: 'failed', adds: 'passed', removes: 'passed' });
const ledgerOf = (patch_id: string, candidate: ReturnType<typeof run>) =>
  buildLedger({ patch_id, baseline, candidate, failing: ['rounds'], impact: 'not_analysed' });

export const kept = ledgerOf('1'.repeat(64), run({ rounds: 'passed', adds: 'passed', removes: 'passed' }));
export const broke = ledgerOf('2'.repeat(64), run({ rounds: 'passed', adds: 'passed', removes: 'failed' }));
// kept.ledger.regression_status: 'UNPROVEN', for its untested obligation "consumers not analysed"
// broke.ledger.regression_status: 'DIVERGENT', for the unexpected difference "test:removes", rule "passed_then_failed"
export const { ranked } = rankPatches([broke, kept]); // kept first
