// An observed run told in lines, so that a test shows what happened.
import { ObservedRun, parseRecord, type ValueText } from '@h/contracts';

/** `sequence frame line role <control parent ^caller branch {values} -> returned x raised`, by row. */
export function storyOf(run: ObservedRun): string[] {
  parseRecord(ObservedRun, run);
  return run.rows.map((row) => {
    const event = run.events[row.sequence];
    const { variables = {}, branch_taken, return_value, exception } = event?.payload ?? {};
    const parts = [
      `${row.sequence} f${row.frame} ${row.location.split(':').pop()} ${row.role}`,
      row.control_parent === undefined ? '' : `<${row.control_parent}`,
      row.caller === undefined ? '' : `^${row.caller}`,
      branch_taken ?? '',
      textOf(variables),
      return_value === undefined ? '' : `-> ${return_value.text}`,
      exception === undefined ? '' : `x ${exception.text}`,
      row.completed ? '' : '!',
    ];
    return parts.filter((part) => part !== '').join(' ');
  });
}

function textOf(values: Record<string, ValueText>): string {
  const pairs = Object.entries(values).map(([name, { text }]) => `${name}=${text}`);
  return pairs.length === 0 ? '' : `{${pairs.join(', ')}}`;
}
