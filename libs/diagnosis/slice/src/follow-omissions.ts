// Potential dependences (Gyimóthy, Beszédes and Forgács 1999): a decision that might have gone another way, and then written what is used.
import type { DefUseRow, RawEvent } from '@h/contracts';
import { resultOf, type Walk } from './dependence-graph.ts';
import { splitPath } from './read-values.ts';

/**
 * Adds decisions that are in no dependence chain, because what they decided was *not* to run: a branch of a function that contributes to the slice,
 * before the last statement that does, whose other way writes a name that a sliced statement of that call reads, or leaves the function.
 *
 * What the other way writes is learnt from the run itself; a way it never took may write anything. Linear in rows and names.
 */
export function followOmissions(
  walk: Walk,
  rows: readonly DefUseRow[],
  events: readonly RawEvent[],
  reached: readonly number[],
): void {
  const ways = learnWays(rows, events);
  const frames = new Map<number, FrameUse>();
  for (const row of rows) if (row.role === 'branch') useOf(frames, row.frame).branches.push(row.sequence);
  for (let fresh = [...reached]; fresh.length > 0; ) {
    const added: number[] = [];
    for (const sequence of fresh) {
      const row = rows[sequence];
      const frame = row && frames.get(row.frame);
      if (row === undefined || frame === undefined || row.role === 'entry') continue;
      for (const branch of readNames(frame, row)) added.push(branch);
      for (
        let at = frame.branches[frame.passed];
        at !== undefined && at < sequence;
        at = frame.branches[frame.passed]
      ) {
        frame.passed += 1;
        if (wants(frame, otherWays(ways, rows[at], events[at]), at)) added.push(at);
      }
    }
    fresh = walk.follow(added.map(resultOf), 'control');
  }
}

/** What ran under one decision at one statement. */
interface Way {
  readonly names: Set<string>;
  /** It left the function, or decided further. */
  leaves: boolean;
}

interface FrameUse {
  readonly branches: number[];
  /** Branches before this index into `branches` have been looked at. */
  passed: number;
  /** First names that sliced statements read. */
  readonly names: Set<string>;
  /** Branches that wait for a name to be read. */
  readonly waiting: Map<string, number[]>;
}

function useOf(frames: Map<number, FrameUse>, frame: number): FrameUse {
  const known = frames.get(frame) ?? { branches: [], passed: 0, names: new Set(), waiting: new Map() };
  frames.set(frame, known);
  return known;
}

/** Per statement and decision what ran under it. */
function learnWays(rows: readonly DefUseRow[], events: readonly RawEvent[]): Map<string, Map<string, Way>> {
  const ways = new Map<string, Map<string, Way>>();
  const wayOf = (row: DefUseRow): Way => {
    const decision = events[row.sequence]?.payload.branch_taken ?? '';
    const all = ways.get(row.location) ?? new Map<string, Way>();
    const way = all.get(decision) ?? { names: new Set(), leaves: false };
    ways.set(row.location, all.set(decision, way));
    return way;
  };
  for (const row of rows) {
    if (row.role === 'branch') wayOf(row);
    const parent = row.control_parent === undefined ? undefined : rows[row.control_parent];
    if (parent?.role !== 'branch') continue;
    const way = wayOf(parent);
    way.leaves ||= row.role !== 'statement' || !row.completed;
    for (const path of [...row.defs, ...row.may_defs]) way.names.add(splitPath(path).base);
  }
  return ways;
}

/** Undefined: no other way was ever taken, it may write anything. */
function otherWays(
  ways: ReadonlyMap<string, ReadonlyMap<string, Way>>,
  row: DefUseRow | undefined,
  event: RawEvent | undefined,
): Way[] | undefined {
  const taken = event?.payload.branch_taken ?? '';
  const others = [...(ways.get(row?.location ?? '') ?? [])].filter(([decision]) => decision !== taken);
  return others.length === 0 ? undefined : others.map(([, way]) => way);
}

/** Whether the branch may matter to what is read so far; else it waits for the names its other ways write. */
function wants(frame: FrameUse, others: readonly Way[] | undefined, branch: number): boolean {
  if (others === undefined || others.some(({ leaves }) => leaves)) return true;
  const names = others.flatMap((way) => [...way.names]);
  if (names.some((name) => frame.names.has(name))) return true;
  for (const name of names) frame.waiting.set(name, [...(frame.waiting.get(name) ?? []), branch]);
  return false;
}

/** Notes what a sliced statement reads; gives back the branches that waited for it. */
function readNames(frame: FrameUse, row: DefUseRow): number[] {
  return [...row.uses, ...row.may_defs].flatMap((path) => {
    const { base } = splitPath(path);
    if (frame.names.has(base)) return [];
    frame.names.add(base);
    const waiting = frame.waiting.get(base) ?? [];
    frame.waiting.delete(base);
    return waiting;
  });
}
