import type { DefUseRow, RawEvent } from '@h/contracts';
import { sequenceMismatch } from './errors.ts';
import { logRows } from './log-rows.ts';
import { sliceLog } from './slice-log.ts';

export interface SlicedRow {
  readonly sequence: number;
  /** data_dependency outranks control_dependency where a row is both; root: the criterion itself. */
  readonly relation: 'data_dependency' | 'control_dependency' | 'root';
  /**
   * Dependences between it and the criterion, as it was first reached; 0: the criterion itself. The fewest, unless a decision not to run something
   * (`omissions`, followed afterwards) makes a shorter way.
   */
  readonly depth: number;
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
  /** With `omissions`: rows that were meant to raise and did not. Every decision of what they called counts that might have raised. */
  readonly endured?: readonly number[];
}

/**
 * Everything the rows `from` depend on, through data and control, across calls: the backward dynamic slice (Agrawal and Horgan 1990).
 *
 * Throws `sequence_mismatch` where a row is not numbered by its index, `unknown_row` where `from` names none.
 */
export function sliceRows(rows: readonly DefUseRow[], from: readonly number[], options: SliceOptions = {}): RowSlice {
  for (const [index, { sequence }] of rows.entries())
    if (sequence !== index) throw sequenceMismatch('Row', index, sequence);
  const { omissions = false, endured = [] } = options;
  const { relations, depths, steps } = sliceLog(logRows(rows, options.events), from, {
    omissions,
    endured,
    depths: true,
  });
  const listed = [...new Set(from)].map((sequence): SlicedRow => ({ sequence, relation: 'root', depth: 0 }));
  for (let sequence = rows.length - 1; sequence >= 0; sequence -= 1) {
    const flag = relations[sequence] ?? 0;
    const depth = depths?.[sequence] ?? 0;
    if (flag === 1) listed.push({ sequence, relation: 'control_dependency', depth });
    if (flag === 2) listed.push({ sequence, relation: 'data_dependency', depth });
  }
  return { rows: listed, steps };
}
