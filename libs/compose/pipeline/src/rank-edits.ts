// Ranked statements and what is known of the failure → candidate edits in budget order.
import { type CandidateBatch, type ObservedRun, type ProposedEdit, parseLoc, type TestFailure } from '@h/contracts';
import { orderProposals, pairEdits, proposeEdits, type RepairTarget } from '@h/fix-templates';
import type { Parser } from '@h/syntax';
import type { Diagnosis } from './diagnose-failure.ts';

export interface RankEditsOptions {
  /** Text of the files of the targets, by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly targets: readonly RepairTarget[];
  readonly failures: readonly TestFailure[];
  /** The failing run with its values; absent: nothing was observed. */
  readonly observed?: ObservedRun;
  readonly parser: Parser;
  readonly limit: number;
  /** Also two blocks in one candidate. */
  readonly multiEdit?: boolean;
}

export interface RankedEdits {
  /** One a statement, then one a file with pairs of changes; what is looked at of each. */
  readonly batches: readonly CandidateBatch[];
  /** Best first, as many as `limit`. */
  readonly proposals: readonly ProposedEdit[];
}

/** Singles that are paired. */
const PAIRED = 60;

/** Candidates of the targets, single changes and late pairs of them, in the order in which to spend a budget. */
export function rankEdits({ sources, targets, parser, limit, multiEdit, ...known }: RankEditsOptions): RankedEdits {
  const files = [...sources].map(([path, text]) => ({ path, text }));
  const evidence = {
    failures: known.failures,
    ...(known.observed === undefined ? {} : { observed: known.observed }),
  };
  const singles = [...proposeEdits({ files, targets, parser, evidence })];
  const pairs = pairEdits(orderProposals(singles, { limit: PAIRED }), {
    files,
    limit,
    ...(multiEdit === undefined ? {} : { multiEdit }),
  });
  const batches = [...singles, ...pairs];
  const proposals = orderProposals(batches, { limit });
  const ids = new Set(proposals.map(({ candidate_id }) => candidate_id));
  return {
    proposals,
    batches: batches
      .map((batch) => ({ ...batch, candidates: batch.candidates.filter(({ candidate_id }) => ids.has(candidate_id)) }))
      .filter(({ candidates }) => candidates.length > 0),
  };
}

/** The statements of the probe points whose source can be read as text, in their order. */
export function targetsOf({ spectrum, report, probePoints, sources }: Diagnosis): RepairTarget[] {
  const lastOf = new Map(spectrum.statements.map(({ file, first, last }) => [`${file}:${first}`, last]));
  const statements = report.statements.filter(({ kind = 'statement' }) => kind === 'statement');
  return statements.slice(0, probePoints.candidate_probe_points.length).flatMap(({ location, score, rank }) => {
    const { file, line: first } = parseLoc(location);
    return sources.has(file) ? [{ file, first, last: lastOf.get(location) ?? first, score, rank }] : [];
  });
}

/** How the failing tests failed, in the order of the report. */
export function failuresOf({ baseline, failing }: Diagnosis): TestFailure[] {
  const wanted = new Set(failing);
  return baseline.tests.flatMap(({ test, failure }) => (wanted.has(test) && failure !== undefined ? [failure] : []));
}
