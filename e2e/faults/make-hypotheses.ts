// True and false statements about the state around a fault, from the raw events alone: the evidence pack is not looked at. The true one comes from a run
// of the failing test that the judge never sees: what strikes it out is wrong about the program, not about the record.
import type { EvidencePack, HypothesisSet, ObservedRun, StateObservation, ValueText } from '@h/contracts';
import { parseLoc } from '@h/contracts';
import type { Fault } from './draw-faults.ts';

export interface MadeHypothesis {
  readonly hypothesis: HypothesisSet['hypotheses'][number];
  readonly right: boolean;
}

/** False hypotheses wanted of each fault. */
export const WRONG = 4;
const PER_POINT = 2;

interface Point {
  readonly location: string;
  readonly name: string;
  /** Texts seen there in the run. */
  readonly seen: ReadonlySet<string>;
  readonly first: ValueText;
}

export interface ObservedRuns {
  readonly failing: ObservedRun;
  /** The failing test once more; absent: no right hypothesis. */
  readonly again?: ObservedRun | undefined;
  readonly passing?: ObservedRun | undefined;
}

/**
 * One right hypothesis and up to four wrong ones: that a variable at the statement of the fault, or at the observed statement nearest to it, has a value. The
 * right value is the first that `again` observed there. The wrong values were really observed elsewhere: at the same place in the passing run, of the same variable at another statement, of another variable, of its type
 * first. Statements of other files come last. Decisions that went the other way fill up what is
 * missing. None where a run observed no whole literal.
 */
export function makeHypotheses(fault: Fault, { failing, again, passing }: ObservedRuns): MadeHypothesis[] {
  const points = pointsOf(fault, failing);
  const right = (again === undefined ? [] : pointsOf(fault, again)).slice(0, 1);
  const elsewhere = [...valuesOf(passing), ...valuesOf(failing)];
  const each = points.map((point) => ({ point, values: wrongValues(point, elsewhere) }));
  const pick = (isAlike: boolean, from: number, to: number) =>
    each.flatMap(({ point, values }) =>
      values
        .filter(({ type }) => (type === point.first.type) === isAlike)
        .slice(from, to)
        .map((value) => ({ point, value })),
    );
  // Two a point; more, and values of other types, where that is not enough.
  const wrong = [...pick(true, 0, PER_POINT), ...pick(true, PER_POINT, WRONG), ...pick(false, 0, WRONG)].slice(
    0,
    WRONG,
  );
  const decisions = wrongDecisions(fault, failing).slice(0, WRONG - wrong.length);
  return [
    ...right.map((point) => ({ right: true, hypothesis: say('R', point, point.first) })),
    ...wrong.map(({ point, value }, index) => ({ right: false, hypothesis: say(`W${index + 1}`, point, value) })),
    ...decisions.map((hypothesis) => ({ right: false, hypothesis })),
  ];
}

/** Where values are too few: that a decision, which always went one way, went the other; nearest to the fault first. */
function wrongDecisions(fault: Fault, failing: ObservedRun): MadeHypothesis['hypothesis'][] {
  const ways = new Map<string, Set<string>>();
  for (const { location, payload } of failing.events) {
    if (payload.branch_taken === undefined || parseLoc(location).file !== fault.file) continue;
    ways.set(location, (ways.get(location) ?? new Set()).add(payload.branch_taken));
  }
  const distance = (location: string) => Math.abs(parseLoc(location).line - fault.line);
  return [...ways]
    .filter(([, way]) => way.size === 1 && (way.has('true') || way.has('false')))
    .sort(([a], [b]) => distance(a) - distance(b))
    .map(([location, way]) => {
      const text = way.has('true') ? 'not taken' : 'taken';
      return {
        hypothesis_id: `B ${location}`,
        claim: `the branch at ${location} is ${text}`,
        observe: { variable: 'branch', location },
        expectation: `branch ${text}`,
      };
    });
}

function say(hypothesis_id: string, { location, name }: Point, { text }: ValueText): MadeHypothesis['hypothesis'] {
  return {
    hypothesis_id,
    claim: `${name} is ${text} at ${location}`,
    observe: { variable: name, location },
    expectation: `== ${text}`,
  };
}

/** Variables of a run by distance from the fault, then by name. Only whole literals: what others are equal to, text cannot tell. */
function pointsOf(fault: Fault, failing: ObservedRun): Point[] {
  const points = new Map<
    string,
    { location: string; name: string; seen: Set<string>; first: ValueText; cut: boolean }
  >();
  for (const { location, name, value } of valuesOf(failing)) {
    const key = `${location} ${name}`;
    const point = points.get(key) ?? { location, name, seen: new Set<string>(), first: value, cut: false };
    point.seen.add(value.text);
    points.set(key, isLiteral(value) ? point : { ...point, cut: true });
  }
  const distance = ({ location }: { location: string }) => {
    const { file, line } = parseLoc(location);
    return file === fault.file ? Math.abs(line - fault.line) : Number.MAX_SAFE_INTEGER;
  };
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

/** Each another text: of the same place first, then of the same name, then of the same type, then any. */
function wrongValues({ location, name, seen, first }: Point, elsewhere: readonly PlacedValue[]): ValueText[] {
  const likeness = (other: PlacedValue) =>
    (other.location === location && other.name === name ? 0 : other.name === name ? 1 : 2) +
    (other.value.type === first.type ? 0 : 3);
  const found = new Map<string, { value: ValueText; like: number }>();
  for (const other of elsewhere) {
    const { value } = other;
    if (seen.has(value.text) || !isLiteral(value) || mayEqual(value, first)) continue;
    const like = likeness(other);
    const known = found.get(value.text);
    if (known === undefined || like < known.like) found.set(value.text, { value, like });
  }
  return [...found.values()].sort((a, b) => a.like - b.like).map(({ value }) => value);
}

/** In Python 1 == True, in both languages 1 == 1.0, in JavaScript null == undefined: such a hypothesis is not plainly wrong. */
function mayEqual(a: ValueText, b: ValueText): boolean {
  if (a.type === b.type) return false;
  return [NUMBERS, NOTHING].some((alike) => alike.has(a.type) && alike.has(b.type));
}

const NUMBERS = new Set(['int', 'float', 'bool', 'number', 'boolean', 'bigint']);
const NOTHING = new Set(['null', 'undefined']);

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
