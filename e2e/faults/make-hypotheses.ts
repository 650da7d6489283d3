// True and false statements about the state around a fault, from the raw events alone: the evidence pack is not looked at.
import type { EvidencePack, HypothesisSet, ObservedRun, StateObservation, ValueText } from '@h/contracts';
import { parseLoc } from '@h/contracts';
import type { Fault } from './draw-faults.ts';

export interface MadeHypothesis {
  readonly hypothesis: HypothesisSet['hypotheses'][number];
  readonly right: boolean;
}

/** False hypotheses wanted of each fault. */
export const WRONG = 4;

interface Point {
  readonly location: string;
  readonly name: string;
  /** Texts seen there in the failing run. */
  readonly seen: ReadonlySet<string>;
  readonly first: ValueText;
}

/**
 * One right hypothesis and up to four wrong ones: that a variable at the statement of the fault, or at the observed statement nearest to it, has a value. The
 * wrong values were really observed elsewhere: at the same place in the passing run, of the same variable at another statement, of another variable of that type.
 * None where the failing run observed nothing in the file of the fault.
 */
export function makeHypotheses(fault: Fault, failing: ObservedRun, passing: ObservedRun | undefined): MadeHypothesis[] {
  const points = pointsOf(fault, failing);
  const [nearest] = points;
  if (nearest === undefined) return [];
  const elsewhere = [...valuesOf(passing), ...valuesOf(failing)];
  const wrong = points
    .flatMap((point) => wrongValues(point, elsewhere).map((value) => ({ point, value })))
    .slice(0, WRONG);
  return [
    { right: true, hypothesis: say('R', nearest, nearest.first) },
    ...wrong.map(({ point, value }, index) => ({ right: false, hypothesis: say(`W${index + 1}`, point, value) })),
  ];
}

function say(hypothesis_id: string, { location, name }: Point, { text }: ValueText): MadeHypothesis['hypothesis'] {
  return {
    hypothesis_id,
    claim: `${name} is ${text} at ${location}`,
    observe: { variable: name, location },
    expectation: `== ${text}`,
  };
}

/** Variables of the failing run by distance from the fault, then by name. Only whole literals: what others are equal to, text cannot tell. */
function pointsOf(fault: Fault, failing: ObservedRun): Point[] {
  const points = new Map<
    string,
    { location: string; name: string; seen: Set<string>; first: ValueText; cut: boolean }
  >();
  for (const { location, name, value } of valuesOf(failing)) {
    if (parseLoc(location).file !== fault.file) continue;
    const key = `${location} ${name}`;
    const point = points.get(key) ?? { location, name, seen: new Set<string>(), first: value, cut: false };
    point.seen.add(value.text);
    points.set(key, isLiteral(value) ? point : { ...point, cut: true });
  }
  const distance = ({ location }: { location: string }) => Math.abs(parseLoc(location).line - fault.line);
  return [...points.values()]
    .filter(({ cut }) => !cut)
    .sort((a, b) => distance(a) - distance(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

interface PlacedValue {
  readonly location: string;
  readonly name: string;
  readonly value: ValueText;
}

function valuesOf(run: ObservedRun | undefined): PlacedValue[] {
  return (run?.events ?? []).flatMap(({ location, payload }) =>
    Object.entries({ ...payload.variables, ...payload.state_delta?.to }).map(([name, value]) => ({
      location,
      name,
      value,
    })),
  );
}

/** At most two a point, each another text: of the same place first, then of the same name, then of the same type. */
function wrongValues({ location, name, seen, first }: Point, elsewhere: readonly PlacedValue[]): ValueText[] {
  const likeness = (other: PlacedValue) =>
    other.location === location && other.name === name ? 0 : other.name === name ? 1 : 2;
  const found = new Map<string, { value: ValueText; like: number }>();
  for (const other of elsewhere) {
    const { value } = other;
    if (value.type !== first.type || seen.has(value.text) || !isLiteral(value)) continue;
    const like = likeness(other);
    const known = found.get(value.text);
    if (known === undefined || like < known.like) found.set(value.text, { value, like });
  }
  return [...found.values()]
    .sort((a, b) => a.like - b.like)
    .slice(0, 2)
    .map(({ value }) => value);
}

const LITERALS = new Set([
  'int',
  'str',
  'bool',
  'NoneType',
  'number',
  'string',
  'boolean',
  'null',
  'undefined',
  'bigint',
]);

function isLiteral({ type, truncated }: ValueText): boolean {
  return LITERALS.has(type) && !truncated;
}

/** The raw trace as a prompt would hold it, cut to `bytes`: the events from the start of the runs, in their order, as observations. */
export function cutTrace(runs: readonly ObservedRun[], bytes: number): EvidencePack {
  const evidence_pack: StateObservation[] = [];
  let room = bytes;
  for (const { execution_id, events } of runs) {
    for (const event of events) {
      room -= new TextEncoder().encode(JSON.stringify(event)).length + 1;
      if (room < 0) break;
      const { variables, state_delta, branch_taken = '', return_value } = event.payload;
      evidence_pack.push({
        execution_id,
        location: event.location,
        path_index: event.sequence,
        variables: { ...variables, ...state_delta?.to },
        return_values: return_value === undefined ? {} : { return: return_value },
        branch_taken: branch_taken === '' ? '' : `${event.location} ${branch_taken}`,
      });
    }
  }
  const execution_ids = [...new Set(evidence_pack.map(({ execution_id }) => execution_id))].sort();
  return { evidence_pack, primary_suspects: [], execution_ids, gated: true };
}
