// The wire form of probe events: NDJSON, one JSON array a line, its first element a tag. Written by the probe runtimes of
// every language into PROBE_EVENTS_FILE, append only, by one process; what is written outlives the process.
//
//   ["h",1,"python"]                    head, the first line: major version, then the language ("python" | "node"). Another head
//                                       starts another process: its ids and frames are its own, from 0.
//   ["p",n,[before names],[after names]]  probe n is placed; the names in the order in which its values come. Before any event of n.
//   ["q",n,"why"]                       probe n could not be placed.
//   ["t","test id"]   ["t"]             the test under way from here on; none.
//   ["b",id,n,frame,[before values]]    a statement begins. `id` counts begins and entries of the process from 0, in order.
//   ["b",id,n,frame,[before],[after]]   a statement began, and completed.
//   ["a",id,[after values]]             statement `id` completed.
//   ["k",id,"branch",[after values]]    the branch statement `id` took this branch (see ProbeEvent.branch), and is complete thereby.
//   ["r",id,value,[after values]]       the return statement `id` completed, giving `value`.
//   ["x",id,value]                      statement `id` raised; without the value: what it raised is not known.
//   ["e",id,n,frame,[after values],caller id]   an entry, complete at once. caller: id of the statement under way in the calling
//                                       frame; left out when not certain.
//   ["l",first,last]                    the stream is as long as it may be: from here on only the first hits of each probe are
//                                       written as they come, and the last ones at the end.
//   ["d",n,hits]                        so many hits of probe n are not recorded.
//   ["D"]                               the last hits of all probes follow.
//   ["c"]                               a limit was reached: nothing is recorded from here on.
//   ["n","message"]                     a note.
//
// A value is [type,text], [type,text,truncated] or [type,text,truncated,ref], truncated 0, 1 or 2: some of it is masked, so
// that there is more of it too; 0 instead of a value: the name is unbound. Elements at the end of a line may be left out. A loop's header is a new event each time it is evaluated. An event
// without "a", "k", "r" or "x" did not complete: it raised, or the process ended in it.
import type { TestId, ValueText } from '@h/contracts';
import { unsupportedProtocol } from './errors.ts';
import { PROBE_PROTOCOL } from './probe-table.ts';

/** One executed statement of the probed functions. */
export interface ProbeEvent {
  /** `ProbeSpec.n`. */
  readonly n: number;
  /** Serial of the activation, from 0: the same for all statements of one call; a generator or coroutine keeps its own. */
  readonly frame: number;
  /** Entry only: index in the list of events of the statement under way in the calling planned frame; absent when not certain. */
  readonly caller?: number;
  /** Events are missing right before this one. */
  readonly gap?: true;
  /** The test under way when the statement began; absent when none was, or the agents do not know. */
  readonly test?: TestId;
  /** By name; unbound names are absent. */
  readonly before?: Record<string, ValueText>;
  /** By name, after the statement completed; unbound names are absent. Of an entry: the parameters. */
  readonly after?: Record<string, ValueText>;
  /**
   * Role branch, once decided. if, elif: 'true' or 'false'. while, do, for: 'iteration' or 'done'. match, switch: 'case 1', 'case 2' …
   * by place in the source (a default clause counts), 'none' when nothing matched.
   */
  readonly branch?: string;
  /** Role return: what it returned. */
  readonly returned?: ValueText;
  /** false: it raised, or the process ended in it. */
  readonly completed: boolean;
  /** What it raised; absent when it did not or that is not known. */
  readonly raised?: ValueText;
}

/** What the probes of a run saw. */
export interface ProbeReading {
  /** In the order in which the statements began. */
  readonly events: ProbeEvent[];
  /** A limit of the table was reached: events are missing. */
  readonly truncated: boolean;
  /** Probes of which only the first and the last hits are recorded, by number; `missing` hits are not. Absent: none. */
  readonly thinned?: { readonly n: number; readonly missing: number }[];
  /** What could not be observed or read, and why. */
  readonly notes: string[];
  /** Probes that were placed, ascending: their file was loaded. */
  readonly placed: number[];
}

/** A longer text is not a value of an agent: the contract bounds it. */
const VALUE_CHARACTERS = 4096;

type Line = readonly unknown[];
type Open = { -readonly [key in keyof ProbeEvent]: ProbeEvent[key] };

interface Names {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Reads what probes wrote, one event per executed statement, in the order the statements began. Lines that are no probe line and a
 * last line cut by the death of the process are left out and noted. Throws `unsupported_protocol` on another major version.
 */
export function readProbeEvents(text: string): ProbeReading {
  const reader = createReader();
  let unreadable = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (end > start) {
      const line = text.slice(start, end).replaceAll('\0', ''); // a killed process leaves the unused end of its last block
      if (line !== '' && !reader.read(parseLine(line))) unreadable += 1;
    }
    start = end + 1;
  }
  return reader.finish(unreadable);
}

function parseLine(line: string): Line {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function createReader() {
  const segments: Segment[] = [];
  const notes: string[] = [];
  const missing = new Map<number, number>();
  let truncated = false;
  let isThinned = false;
  let isWhole = true;
  const current = () => {
    const last = segments.at(-1);
    if (last !== undefined) return last;
    notes.push('the events have no head');
    return startSegment();
  };
  const startSegment = () => {
    const segment = createSegment();
    segments.push(segment);
    return segment;
  };
  return {
    /** false: the line is none of this protocol, or speaks of a statement that never began. */
    read(line: Line): boolean {
      const [tag, first, second] = line;
      if (tag === 'h' && typeof first === 'number') {
        if (first !== PROBE_PROTOCOL) throw unsupportedProtocol(first);
        startSegment();
      } else if (tag === 'c') truncated = true;
      else if (tag === 'l') {
        isThinned = true;
        isWhole = false;
      } else if (tag === 'd' && isCount(first) && isCount(second))
        missing.set(first, (missing.get(first) ?? 0) + second);
      else if (tag === 'D') isWhole = true;
      else if (tag === 'n' && typeof first === 'string') notes.push(first);
      else if (tag === 'q' && isCount(first) && typeof second === 'string') notes.push(`probe ${first}: ${second}`);
      else if (typeof tag === 'string' && Object.hasOwn(READERS, tag))
        return (READERS[tag]?.(current(), line) ?? false) || (isThinned && 'akrx'.includes(tag)); // its beginning was left out
      else return false;
      return true;
    },
    finish(unreadable: number): ProbeReading {
      const events: ProbeEvent[] = [];
      let frames = 0;
      for (const segment of segments) frames = finish(segment, events, frames);
      if (!isWhole) notes.push('the run ended before the last hits were written');
      if (unreadable > 0) notes.push(`${unreadable} ${unreadable === 1 ? 'line' : 'lines'} could not be read`);
      const placed = new Set(segments.flatMap((segment) => [...segment.names.keys()]));
      const thinned = [...missing].map(([n, hits]) => ({ n, missing: hits })).sort((a, b) => a.n - b.n);
      return {
        events,
        truncated: truncated || !isWhole || thinned.length > 0,
        ...(thinned.length === 0 ? {} : { thinned }),
        notes,
        placed: [...placed].sort((a, b) => a - b),
      };
    },
  };
}

/** What the lines of one process say. */
interface Segment {
  readonly names: Map<number, Names>;
  readonly began: Map<number, Open>;
  readonly callers: Map<number, number>;
  test: string | undefined;
}

function createSegment(): Segment {
  return { names: new Map(), began: new Map(), callers: new Map(), test: undefined };
}

/** By tag; false: the line is not well formed, or speaks of a statement that is not under way. */
const READERS: Record<string, (segment: Segment, line: Line) => boolean> = {
  p: ({ names }, [, n, before, after]) => {
    if (!isCount(n) || !isNames(before) || !isNames(after)) return false;
    names.set(n, { before, after });
    return true;
  },
  t: (segment, [, name]) => {
    segment.test = typeof name === 'string' && name !== '' ? name : undefined;
    return true;
  },
  b: (segment, line) => {
    const event = begin(segment, line);
    if (event === undefined) return false;
    put(event, 'before', segment.names.get(event.n)?.before, line[4]);
    if (Array.isArray(line[5])) complete(segment, event, line[5]);
    return true;
  },
  e: (segment, line) => {
    const event = begin(segment, line);
    if (event === undefined) return false;
    complete(segment, event, line[4]);
    if (isCount(line[5])) segment.callers.set(line[1] as number, line[5]);
    return true;
  },
  a: (segment, [, id, values]) => {
    const event = openOf(segment, id);
    if (event !== undefined) complete(segment, event, values);
    return event !== undefined;
  },
  k: (segment, [, id, branch, values]) => {
    const event = openOf(segment, id);
    if (event === undefined || typeof branch !== 'string') return false;
    event.branch = branch;
    complete(segment, event, values);
    return true;
  },
  r: (segment, [, id, value, values]) => {
    const event = openOf(segment, id);
    const returned = readValue(value);
    if (event === undefined || returned === undefined) return false;
    event.returned = returned;
    complete(segment, event, values);
    return true;
  },
  x: (segment, [, id, value]) => {
    const event = openOf(segment, id);
    const raised = readValue(value);
    if (event !== undefined && raised !== undefined) event.raised = raised;
    return event !== undefined;
  },
};

function begin({ names, began, test }: Segment, [, id, n, frame]: Line): Open | undefined {
  if (!isCount(id) || !isCount(n) || !isCount(frame) || began.has(id) || !names.has(n)) return undefined;
  const event: Open = { n, frame, completed: false, ...(test === undefined ? {} : { test }) };
  began.set(id, event);
  return event;
}

function openOf({ began }: Segment, id: unknown): Open | undefined {
  const event = isCount(id) ? began.get(id) : undefined;
  return event === undefined || event.completed || event.raised !== undefined ? undefined : event;
}

function complete({ names }: Segment, event: Open, values: unknown): void {
  event.completed = true;
  put(event, 'after', names.get(event.n)?.after, values);
}

/** Appends the events in order of their begin, frames counted from `frames` on; gives the next free frame. */
function finish({ began, callers }: Segment, events: ProbeEvent[], frames: number): number {
  const ids = [...began.keys()].sort((a, b) => a - b);
  const places = new Map(ids.map((id, index) => [id, events.length + index]));
  let next = frames;
  let previous = -1;
  for (const id of ids) {
    const event = began.get(id);
    if (event === undefined) continue;
    if (id > previous + 1) event.gap = true;
    previous = id;
    const caller = places.get(callers.get(id) ?? -1);
    if (caller !== undefined) event.caller = caller;
    event.frame += frames;
    next = Math.max(next, event.frame + 1);
    events.push(event);
  }
  return next;
}

function put(event: Open, field: 'before' | 'after', names: readonly string[] | undefined, values: unknown): void {
  if (names === undefined || !Array.isArray(values)) return;
  const found: [string, ValueText][] = [];
  for (const [index, name] of names.entries()) {
    const value = readValue(values[index]);
    if (value !== undefined) found.push([name, value]);
  }
  if (found.length > 0) event[field] = Object.fromEntries(found);
}

function readValue(wire: unknown): ValueText | undefined {
  if (!Array.isArray(wire)) return undefined;
  const [type, text, truncated = 0, ref] = wire as Line;
  if (typeof type !== 'string' || typeof text !== 'string' || text.length > VALUE_CHARACTERS) return undefined;
  if (truncated !== 0 && truncated !== 1 && truncated !== 2) return undefined;
  const masked = truncated === 2 ? { masked: true as const } : {};
  return { type, text, truncated: truncated !== 0, ...masked, ...(isCount(ref) ? { ref } : {}) };
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
