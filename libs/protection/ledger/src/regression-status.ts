import type { PreservationLedger, RegressionStatus, UnexpectedDifference } from '@h/contracts';
import { discharges } from './derive-obligations.ts';

/** The parts of a ledger that its status is looked up from. */
export type StatusParts = Pick<PreservationLedger, 'obligations' | 'unexpected_differences' | 'untested_obligations'>;

/**
 * Looks the status up; the first line that applies decides (design/contracts.md "Status table"; seed 19 §3.1):
 *
 *  1. an unexpected difference is accidental → DIVERGENT
 *  2. an obligation is untested or has no evidence that discharges it, or a patch that changes something has no obligation → UNPROVEN
 *  3. else PROTECTED
 */
export function regressionStatus(parts: StatusParts, options: { readonly emptyDiff?: boolean } = {}): RegressionStatus {
  const { obligations, unexpected_differences, untested_obligations } = parts;
  if (unexpected_differences.some(isAccidental)) return 'DIVERGENT';
  if (untested_obligations.length > 0) return 'UNPROVEN';
  if (obligations.some(({ evidence }) => !evidence.some(discharges))) return 'UNPROVEN';
  if (obligations.length === 0 && options.emptyDiff !== true) return 'UNPROVEN';
  return 'PROTECTED';
}

/** Whether a difference counts against the patch: the marker or the annotation says accidental, and nothing cleared it. */
export function isAccidental({ marker, annotation, cleared }: UnexpectedDifference): boolean {
  return cleared !== true && (marker === 'accidental' || annotation === 'accidental');
}
