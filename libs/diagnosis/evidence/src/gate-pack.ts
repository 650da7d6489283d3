import {
  canonicalJson,
  type DivergenceRecord,
  type DynamicSlice,
  EvidencePack,
  type ObservedRun,
  type Sha,
  type StateObservation,
} from '@h/contracts';
import { buildObservation, type IndexedRun, indexRuns } from './build-observation.ts';
import { findCounterpart } from './find-counterpart.ts';

export interface Violation {
  readonly code:
    | 'malformed'
    | 'unknown_execution'
    | 'unknown_step'
    | 'not_observed'
    | 'missing'
    | 'not_in_slice'
    | 'wrong_order'
    | 'wrong_executions'
    | 'unknown_suspect';
  /** Where in the pack: "evidence_pack/0/variables/x". */
  readonly path: string;
  readonly message: string;
}

export interface GateOptions {
  /** With it masked values are unstable and may not stand in the pack, and the suspects have to be its own. */
  readonly divergence?: DivergenceRecord | undefined;
  /** With it the pack holds exactly its statements, and the passing run at the divergence. */
  readonly slice?: DynamicSlice | undefined;
}

/**
 * Every reason why the pack may not be cited; none: every field of every observation is what a probe of that run recorded at that step.
 *
 * Each observation is built again from the raw events and has to be equal to the last character. Linear in runs and pack.
 */
export function gatePack(pack: unknown, runs: readonly ObservedRun[], options: GateOptions = {}): Violation[] {
  const parsed = EvidencePack.safeParse(pack);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => violation('malformed', path.map(String).join('/'), message));
  }
  const { evidence_pack, execution_ids, primary_suspects } = parsed.data;
  const indexed = indexRuns(runs);
  const masked = new Set(options.divergence?.masked);
  return [
    ...evidence_pack.flatMap((observation, index) => gateObservation(observation, index, indexed, masked)),
    ...checkOrder(evidence_pack),
    ...checkExecutions(evidence_pack, execution_ids),
    ...checkSuspects(primary_suspects, indexed, options.divergence),
    ...checkSlice(evidence_pack, indexed, options),
  ];
}

function gateObservation(
  observation: StateObservation,
  index: number,
  runs: ReadonlyMap<Sha, IndexedRun>,
  masked: ReadonlySet<string>,
): Violation[] {
  const path = `evidence_pack/${index}`;
  const indexed = runs.get(observation.execution_id);
  if (indexed === undefined) {
    return [violation('unknown_execution', `${path}/execution_id`, `No run ${observation.execution_id} was observed.`)];
  }
  const seen = buildObservation(indexed, observation.path_index, masked);
  if (seen === undefined) {
    return [violation('unknown_step', `${path}/path_index`, `The run has no step ${observation.path_index}.`)];
  }
  return [
    ...(['location', 'branch_taken'] as const)
      .filter((field) => seen[field] !== observation[field])
      .map((field) => violation('not_observed', `${path}/${field}`, `Observed was ${JSON.stringify(seen[field])}.`)),
    ...(['variables', 'return_values'] as const).flatMap((field) =>
      compareValues(seen[field], observation[field], `${path}/${field}`),
    ),
  ];
}

type Values = StateObservation['variables'];

function compareValues(seen: Values, claimed: Values, path: string): Violation[] {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(claimed)])];
  return names.flatMap((name) => {
    const at = `${path}/${name}`;
    if (!Object.hasOwn(claimed, name))
      return [violation('missing', at, 'It was recorded at this step and is left out.')];
    if (!Object.hasOwn(seen, name)) return [violation('not_observed', at, 'No probe recorded it at this step.')];
    return isSameJson(seen[name], claimed[name])
      ? []
      : [violation('not_observed', at, `Observed was ${JSON.stringify(seen[name])}.`)];
  });
}

function checkOrder(observations: readonly StateObservation[]): Violation[] {
  return observations.flatMap((observation, index) => {
    const before = observations[index - 1];
    if (before === undefined || compareObservations(before, observation) < 0) return [];
    return [
      violation('wrong_order', `evidence_pack/${index}`, 'Observations go by execution, then path_index, each once.'),
    ];
  });
}

/** By execution, then by step. */
export function compareObservations(a: StateObservation, b: StateObservation): number {
  return compareText(a.execution_id, b.execution_id) || a.path_index - b.path_index;
}

function checkExecutions(observations: readonly StateObservation[], ids: readonly Sha[]): Violation[] {
  const expected = [...new Set(observations.map(({ execution_id }) => execution_id))].sort(compareText);
  if (isSameJson(expected, ids)) return [];
  return [violation('wrong_executions', 'execution_ids', `The observations come from ${JSON.stringify(expected)}.`)];
}

function checkSuspects(
  suspects: readonly string[],
  runs: ReadonlyMap<Sha, IndexedRun>,
  divergence: DivergenceRecord | undefined,
): Violation[] {
  if (divergence !== undefined) {
    if (isSameJson(suspects, divergence.primary_suspects)) return [];
    const message = `The divergence names ${JSON.stringify(divergence.primary_suspects)}.`;
    return [violation('unknown_suspect', 'primary_suspects', message)];
  }
  const known = suspects.length === 0 ? new Set<string>() : nameSuspects([...runs.values()]);
  return suspects.flatMap((suspect, index) =>
    known.has(suspect) ? [] : [violation('unknown_suspect', `primary_suspects/${index}`, 'No run recorded it.')],
  );
}

/** All that can be a suspect: "file:line name" of every recorded value, and the operands of failed assertions. */
function nameSuspects(runs: readonly IndexedRun[]): Set<string> {
  const known = new Set<string>();
  for (const { run } of runs) {
    for (const operand of [run.failure?.actual, run.failure?.expected]) if (operand !== undefined) known.add(operand);
    for (const { location, payload } of run.events) {
      const names = [...Object.keys({ ...payload.variables, ...payload.state_delta?.to })];
      if (payload.branch_taken !== undefined) names.push('branch');
      if (payload.return_value !== undefined) names.push('return');
      names.push('raise');
      for (const name of names) known.add(`${location} ${name}`);
    }
  }
  return known;
}

function checkSlice(
  observations: readonly StateObservation[],
  runs: ReadonlyMap<Sha, IndexedRun>,
  { slice, divergence }: GateOptions,
): Violation[] {
  if (slice === undefined) return [];
  const wanted = new Set(slice.links.map(({ execution_id, sequence }) => `${execution_id} ${sequence}`));
  const counterpart = divergence && findCounterpart(divergence, slice, runs);
  if (counterpart !== undefined) wanted.add(`${counterpart.execution_id} ${counterpart.sequence}`);
  const outside = observations.flatMap(({ execution_id, path_index }, index) =>
    wanted.delete(`${execution_id} ${path_index}`)
      ? []
      : [violation('not_in_slice', `evidence_pack/${index}`, 'The failure does not depend on this step.')],
  );
  return [...outside, ...[...wanted].map((step) => violation('missing', 'evidence_pack', `Step ${step} is left out.`))];
}

function violation(code: Violation['code'], path: string, message: string): Violation {
  return { code, path, message };
}

function isSameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
