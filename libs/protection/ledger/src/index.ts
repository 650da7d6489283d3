export type { AnnotationMode } from './annotate-differences.ts';
export { buildLedger, type LedgerSubject } from './build-ledger.ts';
export {
  type ComparisonSubject,
  compareTestRuns,
  type ObservedOutcome,
  type TestComparison,
  type UnprovenRule,
  type UnprovenTest,
} from './compare-test-runs.ts';
export { discharges, type ImpactFindings, type ObligationSubject } from './derive-obligations.ts';
export { rankPatches } from './rank-patches.ts';
export { isAccidental, regressionStatus, type StatusParts } from './regression-status.ts';
