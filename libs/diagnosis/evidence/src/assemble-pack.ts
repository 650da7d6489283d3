import type { DivergenceRecord, DynamicSlice, EvidencePack, ObservedRun, StateObservation } from '@h/contracts';
import { buildObservation, type IndexedRun, indexRuns } from './build-observation.ts';
import { findCounterpart, isLike, recordedValues } from './find-counterpart.ts';
import { compareObservations, gatePack, type Violation } from './gate-pack.ts';

export interface PackParts {
  readonly slice: DynamicSlice;
  readonly divergence: DivergenceRecord;
  /** The failing run, and the passing one where there is one. */
  readonly runs: readonly ObservedRun[];
}

export type AssembledPack =
  | { readonly status: 'gated'; readonly pack: EvidencePack }
  | { readonly status: 'rejected'; readonly violations: readonly Violation[] };

/**
 * The evidence pack of one diagnosis: an observation per statement of the slice, and the passing run at the divergence. Masked values are left out.
 *
 * Rejected where a slice item is not what its event recorded, where its run is not given, or where the gate finds anything else.
 */
export function assemblePack({ slice, divergence, runs }: PackParts): AssembledPack {
  const indexed = indexRuns(runs);
  const masked = new Set(divergence.masked);
  const links = [...slice.links, ...[findCounterpart(divergence, slice, indexed) ?? []].flat()];
  const violations = checkItems(slice, indexed);
  const observations = new Map<string, StateObservation>();
  for (const { execution_id, sequence } of links) {
    const run = indexed.get(execution_id);
    const observation = run && buildObservation(run, sequence, masked);
    if (observation !== undefined) observations.set(`${execution_id} ${sequence}`, observation);
  }
  const evidence_pack = [...observations.values()].sort(compareObservations);
  const pack: EvidencePack = {
    evidence_pack,
    primary_suspects: [...divergence.primary_suspects],
    execution_ids: [...new Set(evidence_pack.map(({ execution_id }) => execution_id))].sort(),
    gated: true,
  };
  violations.push(...gatePack(pack, runs, { divergence, slice }));
  return violations.length === 0 ? { status: 'gated', pack } : { status: 'rejected', violations };
}

/** Slice items whose event does not exist, lies elsewhere, or recorded another value. */
function checkItems({ slice, links }: DynamicSlice, runs: ReadonlyMap<string, IndexedRun>): Violation[] {
  if (slice.length !== links.length) {
    return [{ code: 'malformed', path: 'slice/links', message: `${slice.length} items have ${links.length} links.` }];
  }
  return slice.flatMap((item, index): Violation[] => {
    const link = links[index];
    const indexed = link && runs.get(link.execution_id);
    const path = `slice/${index}`;
    if (link === undefined || indexed === undefined)
      return [{ code: 'unknown_execution', path, message: `No run ${link?.execution_id} was observed.` }];
    const event = indexed.run.events[link.sequence];
    if (event === undefined) return [{ code: 'unknown_step', path, message: `The run has no step ${link.sequence}.` }];
    if (event.location === item.location && recordedValues(event).some(isLike(item.value))) return [];
    return [
      { code: 'not_observed', path, message: `Step ${link.sequence} is at ${event.location} and holds no such value.` },
    ];
  });
}
