import { hashRecord, type LedgerEntry, type Sha } from '@h/contracts';
import { type AnnotationMode, annotateDifferences } from './annotate-differences.ts';
import { compareTestRuns, resultsOf } from './compare-test-runs.ts';
import { deriveObligations, type ObligationSubject } from './derive-obligations.ts';
import { regressionStatus } from './regression-status.ts';

export interface LedgerSubject extends ObligationSubject {
  /** The candidate id. */
  readonly patch_id: Sha;
  /** The model's answer as it came; whatever is wrong with it becomes a violation. Absent: nothing was asked. */
  readonly annotations?: unknown;
  /** `advisory` by default. */
  readonly annotationMode?: AnnotationMode;
  /** Hash of this patch's entry of an earlier round, which stays. */
  readonly supersedes?: Sha;
}

/** Builds what is stored for one patch: what differs, what is proven, what is not, and the status looked up from it. */
export function buildLedger(subject: LedgerSubject): LedgerEntry {
  const { patch_id, annotations, annotationMode, emptyDiff, supersedes } = subject;
  const { divergences } = compareTestRuns(subject);
  const { discharged, untested, editedTestFiles } = deriveObligations(subject);
  const { differences, violations } = annotateDifferences(divergences, annotations, annotationMode);
  const parts = {
    obligations: [...discharged],
    unexpected_differences: [...differences],
    untested_obligations: [...untested],
  };
  const regression_status = regressionStatus(parts, emptyDiff === undefined ? {} : { emptyDiff });
  return {
    ledger: { patch_id, ...parts, regression_status },
    skip_log: (subject.skipped ?? []).map(({ test, reason }) => ({ test, reason })),
    violations: [
      ...editedTestFiles.map((file) => ({ source: 'patch', kind: 'test_file_changed', digest: hashRecord(file) })),
      ...violations,
    ],
    fix: { verdict: fixVerdict(subject), neighbours: [] },
    ...(supersedes === undefined ? {} : { supersedes }),
  };
}

/** A failing test that still does not pass shows an incomplete fix; that all pass does not show a complete one. */
function fixVerdict({ candidate, failing }: LedgerSubject): 'incomplete_fix' | 'unknown' {
  const results = resultsOf(candidate);
  return failing.every((test) => results.get(test)?.outcome === 'passed') ? 'unknown' : 'incomplete_fix';
}
