import type { RunSummary, ValueText } from '@h/contracts';
import { renderEvidence } from '@h/evidence';
import { annotateSlice } from './annotate-slice.ts';
import { lineAt } from './line-at.ts';
import type { Observation } from './observe-failure.ts';

/** What a summary says of an observation: nothing of the raw events but how many there were. */
export function summarizeObservation(
  observation: Observation,
  sources: ReadonlyMap<string, string>,
): NonNullable<RunSummary['observation']> {
  const { test, plan, runs, divergence, slice, pack, hypotheses, verdicts } = observation;
  const { first_divergence: first, sibling, reason, primary_suspects } = divergence;
  return {
    test,
    ...(sibling === undefined ? {} : { sibling }),
    ...(reason === undefined ? {} : { reason }),
    ...(first === null
      ? {}
      : {
          first_divergence: {
            location: first.location,
            text: lineAt(sources, first.location),
            ...(first.name === undefined ? {} : { name: first.name }),
            passing: told(first.passing_value),
            failing: told(first.failing_value),
          },
        }),
    primary_suspects,
    ...((divergence.masked ?? []).length === 0 ? {} : { wavering: [...(divergence.masked ?? [])] }),
    probe_points: plan.probe_points.length,
    raw_events: runs.reduce((sum, { events }) => sum + events.length, 0),
    raw_bytes: runs.reduce((sum, { events }) => sum + sizeOf(events), 0),
    pack_observations: pack?.evidence_pack.length ?? 0,
    pack_bytes: pack === undefined ? 0 : sizeOf(pack),
    slice_text: annotateSlice(slice, sources, primary_suspects),
    discarded: slice.discarded,
    pack_text:
      pack === undefined
        ? ''
        : renderEvidence(pack, {
            maxBytes: SUMMARY_BYTES,
            names: runNames(observation),
            first: plan.probe_points.map(({ location }) => location),
          }),
    hypotheses: (hypotheses?.hypotheses ?? []).map(({ hypothesis_id, claim }) => {
      const { verdict = 'unobserved', why } = verdicts.find((one) => one.hypothesis_id === hypothesis_id) ?? {};
      return { hypothesis_id, claim, verdict, ...(why === undefined ? {} : { why }) };
    }),
  };
}

/** Half a page: the whole pack is in its record. */
const SUMMARY_BYTES = 3000;

function runNames({ runs: [failing, passing] }: Observation): Record<string, string> {
  return {
    ...(failing === undefined ? {} : { [failing.execution_id]: 'failing' }),
    ...(passing === undefined ? {} : { [passing.execution_id]: 'passing' }),
  };
}

function told({ type, text, truncated, masked }: ValueText): string {
  return `${text}${truncated && !masked ? '…' : ''} (${type})`;
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
