import type { DefUseRow, DivergenceRecord, DynamicSlice, ObservedRun, RawEvent, ValueText } from '@h/contracts';
import { limitOf } from './compared-rows.ts';
import { foreignRecord } from './errors.ts';
import { own, valueAfter } from './read-values.ts';
import { sliceFailure } from './slice-failure.ts';
import { branchValue, nothing } from './trace-diff.ts';

export interface FailureSliceOptions {
  /** Whether decisions *not* to run something count, where that might have written what the failure depends on; true when absent. */
  readonly omissions?: boolean;
}

/**
 * The events of the centered record that the failure depends on: the backward dynamic slice of the whole failing run, cut to the record.
 *
 * Throws `foreign_record` where the record is of another run, `sequence_mismatch` where rows are not numbered by their index.
 */
export function dynamicSlice(
  record: DivergenceRecord,
  failing: ObservedRun,
  { omissions = true }: FailureSliceOptions = {},
): DynamicSlice {
  if (record.failing_execution_id !== failing.execution_id)
    throw foreignRecord(record.failing_execution_id, failing.execution_id);
  const { rows, events, execution_id } = failing;
  const inRecord = new Set(record.centered_record.map(({ sequence }) => sequence));
  const kept = sliceFailure(failing, { omissions }).rows.filter(({ sequence }) => inRecord.has(sequence));
  const discarded = inRecord.size - kept.length;
  return {
    slice: kept.map(({ sequence, relation }) => ({
      location: rows[sequence]?.location ?? '',
      value: chooseValue(rows[sequence], events[sequence]),
      relation,
    })),
    links: kept.map(({ sequence, depth }) => ({ execution_id, sequence, depth })),
    discarded,
    ...(discarded === 0 && kept.length > 0 ? { irreducible: true as const } : {}),
    ...(limitOf(failing) === Number.POSITIVE_INFINITY ? {} : { incomplete: true as const }),
  };
}

/** What a row stands for: its decision, its return, what it raised, what it wrote, what it read; `none` where nothing was recorded. */
function chooseValue(row: DefUseRow | undefined, event: RawEvent | undefined): ValueText {
  if (row === undefined || event === undefined) return nothing;
  const { branch_taken, return_value, exception, variables } = event.payload;
  const outcome = branchValue(branch_taken) ?? return_value ?? exception;
  if (outcome !== undefined) return outcome;
  for (const path of [...row.defs, ...row.may_defs]) {
    const written = valueAfter(row, event, path.replace(/[.[?].*/s, ''));
    if (written !== undefined) return written;
  }
  const [read] = row.uses.flatMap((name) => own(variables, name) ?? []);
  return read ?? nothing;
}
