// Which steps of a slice a pack of bounded size shows. The slice itself stays whole.
import type { DynamicSlice, Loc } from '@h/contracts';
import type { PackParts } from './assemble-pack.ts';
import { buildObservation, indexRuns } from './build-observation.ts';
import { findCounterpart } from './find-counterpart.ts';

/** Bytes of a pack as JSON where the caller sets no bound: about 1,500 tokens. */
export const PACK_BYTES = 4096;

export interface SelectOptions {
  /** Places "file:line" that are in question, such as those of hypotheses (`probe_points` of a plan say where "file::function" is): in the pack whatever its size, where the slice holds them. */
  readonly points?: readonly string[];
  /** Statements, the most suspicious first. */
  readonly order?: readonly Loc[];
  /** Bound of the pack; the divergence, the failure and the points go in all the same. */
  readonly maxBytes?: number;
}

/**
 * The part of a slice to make a pack of: one step of each statement, the one nearest to the failure. First the divergence, the failing statement and the points, then
 * statements by `order`, then the others by how near they are, as long as there is room; one that is too large is passed over. `discarded` counts what is left out.
 */
export function selectSlice(parts: PackParts, options: SelectOptions = {}): DynamicSlice {
  const { points = [], order = [], maxBytes = PACK_BYTES } = options;
  const { slice, links, discarded, irreducible, ...rest } = parts.slice;
  const nearest = new Map<Loc, number>();
  for (const [index, { location }] of slice.entries()) if (!nearest.has(location)) nearest.set(location, index);
  const sizeOf = measure(parts);
  const chosen = new Set<number>();
  const needed = [findDivergence(parts), slice.findIndex(({ relation }) => relation === 'root')];
  for (const index of [...needed, ...points.map((point) => nearest.get(point.replace(/^(?:\.\/)+/, '')) ?? -1)])
    if (index >= 0) chosen.add(index);
  let room = maxBytes - sizeOf.frame - [...chosen].reduce((sum, index) => sum + sizeOf.step(index), 0);
  const shown = new Set([...chosen].map((index) => slice[index]?.location));
  for (const location of [...order, ...nearest.keys()]) {
    const index = nearest.get(location);
    if (index === undefined || shown.has(location)) continue;
    const size = sizeOf.step(index);
    if (size > room) continue;
    shown.add(location);
    chosen.add(index);
    room -= size;
  }
  const kept = [...chosen].sort((a, b) => a - b);
  return {
    ...rest,
    ...(irreducible !== undefined && kept.length === slice.length ? { irreducible } : {}),
    slice: kept.flatMap((index) => slice[index] ?? []),
    links: kept.flatMap((index) => links[index] ?? []),
    discarded: discarded + slice.length - kept.length,
  };
}

function findDivergence({ slice, divergence }: PackParts): number {
  const { first_divergence, failing_execution_id } = divergence;
  return slice.links.findIndex(
    ({ execution_id, sequence }) => execution_id === failing_execution_id && sequence === first_divergence?.sequence,
  );
}

/** Bytes of a pack without its steps but for the passing run at the divergence, and of each step. */
function measure({ slice, divergence, runs }: PackParts) {
  const indexed = indexRuns(runs);
  const masked = new Set(divergence.masked);
  const observe = (execution_id: string, sequence: number) => {
    const run = indexed.get(execution_id);
    return run === undefined ? undefined : buildObservation(run, sequence, masked);
  };
  const counterpart = findCounterpart(divergence, slice, indexed);
  const passing = counterpart === undefined ? [] : [observe(counterpart.execution_id, counterpart.sequence)];
  const { primary_suspects } = divergence;
  const execution_ids = [...indexed.keys()];
  return {
    frame: bytesOf({ evidence_pack: passing, primary_suspects, execution_ids, gated: true }),
    step(index: number): number {
      const { execution_id = '', sequence = -1 } = slice.links[index] ?? {};
      return bytesOf(observe(execution_id, sequence) ?? null) + 1;
    },
  };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
