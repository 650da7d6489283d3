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
