import type { DefUseRow, RawEvent } from '@h/contracts';
import { sequenceMismatch } from './errors.ts';
import { logRows } from './log-rows.ts';
import { sliceLog } from './slice-log.ts';

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
  for (const [index, { sequence }] of rows.entries())
    if (sequence !== index) throw sequenceMismatch('Row', index, sequence);
  const { relations, steps } = sliceLog(logRows(rows, options.events), from, { omissions: options.omissions === true });
  const listed = [...new Set(from)].map((sequence): SlicedRow => ({ sequence, relation: 'root' }));
  for (let sequence = rows.length - 1; sequence >= 0; sequence -= 1) {
    const flag = relations[sequence] ?? 0;
    if (flag === 1) listed.push({ sequence, relation: 'control_dependency' });
    if (flag === 2) listed.push({ sequence, relation: 'data_dependency' });
  }
  return { rows: listed, steps };
}
