// What one pass over the rows knows as it goes: frames, rows under way, and who touched what.
import type { DefUseRow, RawEvent } from '@h/contracts';
import type { NameBinder, Scope } from './bind-names.ts';
import type { DependenceGraph } from './dependence-graph.ts';
import type { ObjectId, ObjectTracker } from './track-objects.ts';

export interface Frame extends Scope {
  readonly entry: number;
  /** Row under way in the calling frame; -1: unknown. */
  readonly caller: number;
  last: number;
  lastIncomplete: number;
  lastBranch: number;
  returned: boolean;
  /** It returned something else than nothing: no generator, unless it was resumed. */
  hasResult: boolean;
  resumed: boolean;
  /** Node of what it gives to the statement that runs it now; what that is shows later. */
  gift: number;
  /** Node of the rows that may have yielded since that statement runs it. */
  yielded: number;
  /** The row that runs it now, as far as known; -1: unknown. */
  runner: number;
}

export interface Read {
  /** The name it is reached through. */
  readonly name: string;
  readonly object: ObjectId;
  /** Node of what had changed it as the row began. */
  readonly before: number;
}

/** A row that has begun and is not known to have ended. */
export interface UnderWay {
  readonly row: number;
  readonly frame: Frame;
  /** Objects it reads. */
  readonly reads: Read[];
  /** Objects that the functions it called handed back; of many the last stands for the rest, which it is joined with. */
  received: readonly ObjectId[];
  /** Node of what the functions it called have returned so far. */
  results: number;
  called: boolean;
  applied: boolean;
}

export interface Visit {
  readonly row: number;
  readonly frame: Frame;
  /** The innermost row under way then; -1: none. */
  readonly under: number;
  readonly gift: number;
}

export interface Pass {
  readonly rows: readonly DefUseRow[];
  readonly events: readonly RawEvent[];
  readonly graph: DependenceGraph;
  readonly tracker: ObjectTracker;
  readonly binder: NameBinder;
  readonly frames: Map<number, Frame>;
  /** Innermost last. */
  readonly stack: UnderWay[];
  /** The same by row. */
  readonly byRow: (UnderWay | undefined)[];
  /** Where a frame was entered or resumed by an unknown row, oldest first. */
  readonly visits: Visit[];
  /** Objects behind names that no row bound, by file and name. */
  readonly unbound: Map<string, ObjectId>;
}
