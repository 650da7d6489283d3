import type { DefUseRow, RawEvent } from '@h/contracts';
import { buildDependenceGraph } from './build-dependence-graph.ts';
import { resultOf, type Walk } from './dependence-graph.ts';
import { unknownRow } from './errors.ts';
import { followOmissions } from './follow-omissions.ts';

export interface SlicedRow {
  readonly sequence: number;
  /** data_dependency outranks control_dependency where a row is both; root: the criterion itself. */
  readonly relation: 'data_dependency' | 'control_dependency' | 'root';
}

export interface RowSlice {
  /** Roots in the order given, then backwards through the run. */
  readonly rows: readonly SlicedRow[];
  /** Nodes and edges walked: what the slice cost. */
  readonly steps: number;
}

export interface SliceOptions {
  /** The events of the rows, index by index: values make the slice smaller, never wrong. */
  readonly events?: readonly RawEvent[];
  /**
   * Also decisions not to run something that might have written what is used (potential dependences): for a fault that left something out. False
   * when absent.
   */
  readonly omissions?: boolean;
}

/**
 * Everything the rows `from` depend on, through data and control, across calls: the backward dynamic slice (Agrawal and Horgan 1990).
 *
 * Throws `sequence_mismatch` where a row is not numbered by its index, `unknown_row` where `from` names none.
 */
export function sliceRows(rows: readonly DefUseRow[], from: readonly number[], options: SliceOptions = {}): RowSlice {
  for (const root of from) if (rows[root] === undefined) throw unknownRow(root, rows.length);
  const walk = buildDependenceGraph(rows, options.events).walk();
  const reached = walk.follow(from.map(resultOf), 'data');
  if (options.omissions === true) followOmissions(walk, rows, options.events ?? [], reached);
  return { rows: listRows(walk, from), steps: walk.steps() };
}

function listRows({ rows }: Walk, from: readonly number[]): SlicedRow[] {
  const roots = [...new Set(from)];
  const listed = roots.map((sequence): SlicedRow => ({ sequence, relation: 'root' }));
  const isRoot = new Set(roots);
  for (let sequence = rows.length - 1; sequence >= 0; sequence -= 1) {
    const flag = rows[sequence] ?? 0;
    if (flag === 0 || isRoot.has(sequence)) continue;
    listed.push({ sequence, relation: flag === 2 ? 'data_dependency' : 'control_dependency' });
  }
  return listed;
}
