import type { LedgerEntry, PatchRanking } from '@h/contracts';
import { isAccidental } from './regression-status.ts';

type Ranked = PatchRanking['ranked'][number];

/** One criterion: smaller is better, and how it reads. */
interface Criterion {
  readonly value: (patch: Standing) => number;
  readonly reason: (patch: Standing) => string;
}

interface Standing extends Omit<Ranked, 'reasons'> {
  readonly accidental: number;
  readonly untested: number;
}

const STATUS = ['PROTECTED', 'UNPROVEN', 'DIVERGENT'] as const;
const FIX = ['complete', 'unknown', 'incomplete_fix'] as const;

/** In the order they decide. */
const CRITERIA: readonly Criterion[] = [
  {
    value: ({ regression_status }) => STATUS.indexOf(regression_status),
    reason: ({ regression_status }) => `regression status ${regression_status}`,
  },
  { value: ({ fix }) => FIX.indexOf(fix), reason: ({ fix }) => `fix ${fix}` },
  { value: ({ accidental }) => accidental, reason: ({ accidental }) => `accidental differences: ${accidental}` },
  {
    value: ({ evidenced_share }) => -evidenced_share,
    reason: ({ evidenced_share }) => `obligations with evidence: ${Math.floor(evidenced_share * 100)} %`,
  },
  { value: ({ untested }) => untested, reason: ({ untested }) => `untested obligations: ${untested}` },
  { value: ({ votes }) => -votes, reason: ({ votes }) => `votes: ${votes}` },
];

/**
 * Orders patches by what their ledgers prove: status, then fix, accidental differences, share of obligations with
 * evidence, untested obligations, votes. Patches equal in all of these keep the order given, and the ranking says so.
 */
export function rankPatches(
  entries: readonly LedgerEntry[],
  options: {
    /** By patch id: proposals that came to it; 1 where absent. */
    readonly votes?: Readonly<Record<string, number>>;
  } = {},
): PatchRanking {
  const standings = entries
    .map((entry) => standingOf(entry, options.votes?.[entry.ledger.patch_id] ?? 1))
    .sort(compare);
  const tied = standings.filter((standing) => compare(standing, standings[0] ?? standing) === 0).length;
  return {
    ranked: standings.map(rankedOf),
    ...(tied > 1
      ? {
          undecided: `${tied} patches share the first place: nothing known here tells them apart, so they keep the order given.`,
        }
      : {}),
  };
}

function standingOf({ ledger, fix }: LedgerEntry, votes: number): Standing {
  const { patch_id, regression_status, obligations, untested_obligations, unexpected_differences } = ledger;
  const all = obligations.length + untested_obligations.length;
  return {
    patch_id,
    regression_status,
    fix: fix.verdict,
    votes,
    evidenced_share: all === 0 ? 0 : obligations.length / all,
    accidental: unexpected_differences.filter(isAccidental).length,
    untested: untested_obligations.length,
  };
}

function compare(a: Standing, b: Standing): number {
  for (const { value } of CRITERIA) if (value(a) !== value(b)) return value(a) - value(b);
  return 0;
}

function rankedOf(standing: Standing): Ranked {
  const { accidental: _accidental, untested: _untested, ...ranked } = standing;
  return { ...ranked, reasons: CRITERIA.map(({ reason }) => reason(standing)) };
}
