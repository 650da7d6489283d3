// Probe events of a run turned into its two parallel records: what was seen, and what each executed statement wrote and read.
import type { ProbeEvent } from '@h/agents';
import {
  type DefUseRow,
  type ObservedRun,
  parseLoc,
  type RawEvent,
  type Sha,
  type TestId,
  type ValueText,
} from '@h/contracts';
import type { ProbeSite } from './draft-probes.ts';
import { firstName } from './flow/analyze-flow.ts';

export interface FoldedEvents {
  readonly events: RawEvent[];
  readonly rows: DefUseRow[];
  /** Events of other tests, or of no probe of the table, that were left out. */
  readonly foreign: number;
  /** Sequences of events right before which others are missing. */
  readonly gaps: number[];
  readonly thinned: NonNullable<ObservedRun['thinned']>;
}

export interface FoldedRun {
  readonly execution_id: Sha;
  readonly test: TestId;
  /** Hits that are not recorded, by probe. */
  readonly missing?: readonly { readonly n: number; readonly missing: number }[];
}

/** Text of these says all there is: where it stays the same, the value did. */
const PRIMITIVES = new Set(
  'int float complex bool str bytes NoneType number string boolean undefined null bigint symbol'.split(' '),
);

/** One event and one row per executed statement, in the order they began. */
export function foldEvents(
  seen: readonly ProbeEvent[],
  sites: readonly ProbeSite[],
  { execution_id, test, missing = [] }: FoldedRun,
): FoldedEvents {
  const kept = seen.flatMap((event, index) =>
    sites[event.n] !== undefined && (event.test === undefined || event.test === test) ? [index] : [],
  );
  const places = new Map(kept.map((index, sequence) => [index, sequence]));
  const frames = new Map<number, Frame>();
  const events: RawEvent[] = [];
  const rows: DefUseRow[] = [];
  const gaps: number[] = [];
  let since = 0;
  for (const [sequence, index] of kept.entries()) {
    const event = seen[index] as ProbeEvent;
    const isGap = seen.slice(since, index + 1).some(({ gap }) => gap);
    since = index + 1;
    if (isGap) {
      gaps.push(sequence);
      forget(frames);
    }
    const site = sites[event.n] as ProbeSite;
    const frame: Frame = frames.get(event.frame) ?? { last: new Map(), raised: new Map() };
    frames.set(event.frame, frame);
    const parent = controlParent(site, frame);
    catchName(site, frame, rows);
    events.push(rawEvent(event, site, sequence, execution_id));
    rows.push(rowOf(event, site, sequence, parent, places));
    if (site.role === 'entry') frame.entry = sequence;
    frame.last.set(site.n, sequence);
    if (!event.completed) frame.raised.set(site.n, sequence);
  }
  const counts = new Map<number, number>();
  for (const index of missing.length === 0 ? [] : kept)
    counts.set(seen[index]?.n ?? -1, (counts.get(seen[index]?.n ?? -1) ?? 0) + 1);
  const thinned = missing.flatMap(({ n, missing }) => thinnedAt(sites[n], missing, counts.get(n) ?? 0));
  return { events, rows, foreign: seen.length - kept.length, gaps, thinned: thinned.sort(byLocation) };
}

/** Behind a gap nobody knows which branch ran last: what is left is the entry. */
function forget(frames: ReadonlyMap<number, Frame>): void {
  for (const { last, raised } of frames.values()) {
    last.clear();
    raised.clear();
  }
}

function thinnedAt(site: ProbeSite | undefined, missing: number, recorded: number): FoldedEvents['thinned'] {
  if (site === undefined) return [];
  const { file, line, point = 'trace' } = site;
  return [{ location: `${file}:${line}`, probe_id: point, executed: recorded + missing, recorded }];
}

function byLocation(a: { location: string }, b: { location: string }): number {
  const [one, two] = [parseLoc(a.location), parseLoc(b.location)];
  return one.file === two.file ? one.line - two.line : one.file < two.file ? -1 : 1;
}

/** One activation: where it stands. */
interface Frame {
  entry?: number;
  /** Sequence of the last execution, by probe number. */
  readonly last: Map<number, number>;
  /** Sequence of the last execution that did not complete, by probe number. */
  readonly raised: Map<number, number>;
}

/** The branch that ran last of those that decide, the statement that raised where a handler runs, else the entry. */
function controlParent({ controllers, guarded, role }: ProbeSite, frame: Frame): number | undefined {
  if (role === 'entry') return undefined;
  const found = [
    ...controllers.flatMap((n) => frame.last.get(n) ?? []),
    ...guarded.flatMap((n) => frame.raised.get(n) ?? []),
  ];
  return found.length === 0 ? frame.entry : Math.max(...found);
}

/** The statement that raised gave a handler's variable its value. */
function catchName({ guarded, caught }: ProbeSite, { raised }: Frame, rows: DefUseRow[]): void {
  if (caught.length === 0) return;
  const row = rows[Math.max(-1, ...guarded.flatMap((n) => raised.get(n) ?? []))];
  if (row !== undefined) row.defs = [...new Set([...row.defs, ...caught])].sort();
}

function rowOf(
  event: ProbeEvent,
  site: ProbeSite,
  sequence: number,
  parent: number | undefined,
  places: ReadonlyMap<number, number>,
): DefUseRow {
  const caller = event.caller === undefined ? undefined : places.get(event.caller);
  return {
    sequence,
    location: `${site.file}:${site.line}`,
    function: site.function,
    frame: event.frame,
    role: site.role,
    defs: site.isPerItem && event.branch === 'done' ? [] : [...site.defs],
    may_defs: mayDefs(event, site),
    uses: [...site.uses],
    ...(parent === undefined ? {} : { control_parent: parent }),
    ...(caller === undefined ? {} : { caller }),
    completed: event.completed,
    ...(site.yields === undefined ? {} : { yields: site.yields }),
    ...(site.isGuarded === undefined ? {} : { guarded: site.isGuarded }),
  };
}

/** What may have been changed, less what the values show was not: primitives that stayed, exposed variables whose whole text stayed. */
function mayDefs({ before = {}, after = {} }: ProbeEvent, { touches, exposed, defs }: ProbeSite): string[] {
  const direct = touches.filter((path) => {
    const name = firstName(path);
    return !stayed(before[name], exposed.includes(name) ? after[name] : (after[name] ?? before[name]));
  });
  const others = exposed.filter((name) => {
    const [from, to] = [before[name], after[name]];
    return from === undefined || to === undefined || !isWhole(from) || !isEqual(from, to);
  });
  const surely = new Set(defs);
  return [...new Set([...direct, ...others])].filter((name) => !surely.has(name)).sort();
}

/** Whether the text says all there is: of a function or class in a value it says the name, not what was put on it. */
function isWhole({ type, text, truncated }: ValueText): boolean {
  return !truncated && (PRIMITIVES.has(type) || !text.includes('<'));
}

/** A primitive is what it was, unless its name was bound to another value. */
function stayed(before: ValueText | undefined, after: ValueText | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    PRIMITIVES.has(before.type) &&
    !before.masked &&
    isEqual(before, after)
  );
}

function isEqual(a: ValueText, b: ValueText): boolean {
  return a.type === b.type && a.text === b.text && a.ref === b.ref;
}

function rawEvent(event: ProbeEvent, site: ProbeSite, sequence: number, execution_id: Sha): RawEvent {
  const names = new Set([...Object.keys(event.before ?? {}), ...Object.keys(event.after ?? {})]);
  const variables: Record<string, ValueText> = {};
  const from: Record<string, ValueText> = {};
  const to: Record<string, ValueText> = {};
  for (const name of [...names].sort()) {
    const [before, after] = [event.before?.[name], event.after?.[name]];
    put(variables, name, after ?? before);
    if (before === undefined || after === undefined || isEqual(before, after)) continue;
    put(from, name, before);
    put(to, name, after);
  }
  const isChanged = Object.keys(from).length > 0;
  const hasValue = names.size > 0 || event.returned !== undefined || event.raised !== undefined;
  return {
    execution_id,
    sequence,
    kind: isChanged ? 'state_delta' : hasValue ? 'value' : 'path',
    probe_id: site.point ?? 'trace',
    location: `${site.file}:${site.line}`,
    payload: {
      ...(names.size === 0 ? {} : { variables }),
      ...(event.branch === undefined ? {} : { branch_taken: event.branch }),
      ...(event.returned === undefined ? {} : { return_value: event.returned }),
      ...(event.raised === undefined ? {} : { exception: event.raised }),
      ...(isChanged ? { state_delta: { from, to } } : {}),
    },
  };
}

function put(values: Record<string, ValueText>, name: string, value: ValueText | undefined): void {
  if (value !== undefined)
    Object.defineProperty(values, name, { value, enumerable: true, writable: true, configurable: true });
}
