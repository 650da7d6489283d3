import type { ClaimCheck } from '@h/contracts';

export interface CitationRate {
  readonly cited: number;
  readonly supported: number;
  /** From 0 to 1; null: nothing was cited. */
  readonly rate: number | null;
}

/** The share of cited values that the pack holds (seed 12 §6: the target is 1); whatever is contradicted or absent counts against it. */
export function gateCitationRate(checks: readonly ClaimCheck[]): CitationRate {
  const supported = checks.filter(({ verdict }) => verdict === 'supported').length;
  return { cited: checks.length, supported, rate: checks.length === 0 ? null : supported / checks.length };
}
