import type { DefUseLog } from '@h/contracts/def-use-log';
import { buildDependenceGraph } from './build-dependence-graph.ts';
import { data, resultOf } from './dependence-graph.ts';
import { unknownRow } from './errors.ts';
import { followOmissions } from './follow-omissions.ts';

export interface LogSlice {
  /** Per row: 0 not in the slice, 1 control_dependency, 2 data_dependency, which outranks it, 3 root. */
  readonly relations: Uint8Array;
  /**
   * Per row of the slice: dependences between it and the rows it starts from, as it was first reached: the fewest, unless a way through an omission is
   * shorter; what stands for several rows at once counts as one more. Where asked for.
   */
  readonly depths?: Int32Array;
  /** Nodes and edges walked: what the slice cost. */
  readonly steps: number;
}

export interface LogSliceOptions {
  /** As in `SliceOptions`. */
  readonly omissions?: boolean;
  /** As in `SliceOptions`. */
  readonly endured?: readonly number[];
  /** With `depths`; omissions need them anyway. */
  readonly depths?: boolean;
}

/**
 * The backward dynamic slice of a stream in columns, which is what `sliceRows` makes of its rows first. Ten million rows take less than a gibibyte.
 *
 * Throws `unknown_row` where `from` names none.
 */
export function sliceLog(
  log: DefUseLog,
  from: readonly number[],
  { omissions = false, endured = [], depths = omissions }: LogSliceOptions = {},
): LogSlice {
  for (const root of from)
    if (!Number.isInteger(root) || root < 0 || root >= log.size) throw unknownRow(root, log.size);
  const { walk: begin, statements } = buildDependenceGraph(log);
  const walk = begin(!depths && !omissions);
  const reached = walk.follow(from.map(resultOf), data);
  if (omissions) followOmissions(walk, log, statements, reached, endured);
  for (const root of from) walk.rows[root] = 3;
  return { relations: walk.rows, ...(depths ? { depths: walk.depths } : {}), steps: walk.steps() };
}
