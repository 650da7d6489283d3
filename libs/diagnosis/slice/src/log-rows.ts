import type { DefUseRow, RawEvent } from '@h/contracts';
import { createDefUseLog, type DefUseLog, type LoggedStatement, namesOf } from '@h/contracts/def-use-log';
import { valueAfter, valueBefore } from './read-values.ts';

/** Rows and their events, index by index, in columns: what slices of it are made of. Without events no values are on record. */
export function logRows(rows: readonly DefUseRow[], events: readonly RawEvent[] = []): DefUseLog {
  const log = createDefUseLog({ rows: Math.max(rows.length, 1) });
  const names: (readonly string[])[] = [];
  for (const [at, row] of rows.entries()) {
    const number = log.statement(row);
    names[number] ??= namesOf(row);
    const { control_parent, completed, frame } = row;
    log.row({ statement: number, frame, control_parent, completed });
    const event = events[at];
    if (row.role === 'entry') log.cell(row.caller === undefined ? 0 : row.caller + 1);
    else if (row.role !== 'statement') log.cell(log.value(outcomeOf(row, event)));
    for (const name of names[number]) {
      log.cell(log.value(valueBefore(row, event, name)));
      log.cell(log.value(valueAfter(row, event, name)));
    }
  }
  return log.finish();
}

function outcomeOf({ role }: LoggedStatement, event: RawEvent | undefined) {
  const taken = event?.payload.branch_taken;
  if (role === 'return') return event?.payload.return_value;
  return taken === undefined ? undefined : { type: 'branch', text: taken, truncated: false };
}
