import type { Difference } from './find-difference.ts';
import { applyMasks } from './find-difference.ts';

/** Fields that measure a run or name it: two runs of the same do not share them. */
const OF_THE_RUN = new Set([
  'cpu_ms',
  'duration_ms',
  'execution_id',
  'execution_ids',
  'ordinal',
  'peak_memory_bytes',
  'wall_ms',
]);

export interface RecordComparison {
  readonly masks: readonly RegExp[];
  /** Further fields to leave out, by name. */
  readonly ignore: ReadonlySet<string>;
}

/** The first place, as a JSON pointer, in which two values of plain data differ; texts are masked. */
export function compareRecords(
  first: unknown,
  other: unknown,
  { masks, ignore }: RecordComparison,
): Difference | undefined {
  const found = compare(first, other, '');
  if (found === undefined) return undefined;
  const { pointer, before, after } = found;
  return {
    field: `records: ${pointer || '/'}`,
    first_difference: `${shorten(before)} | ${shorten(after)}`,
    before,
    after,
  };

  function compare(
    one: unknown,
    two: unknown,
    pointer: string,
  ): { pointer: string; before: string; after: string } | undefined {
    if (isObject(one) && isObject(two)) {
      for (const key of keysOf(one, two)) {
        if (OF_THE_RUN.has(key) || ignore.has(key)) continue;
        const inside = compare(one[key], two[key], `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
        if (inside !== undefined) return inside;
      }
      return Array.isArray(one) === Array.isArray(two) ? undefined : { pointer, before: print(one), after: print(two) };
    }
    const [before, after] = [print(one), print(two)].map((text) => applyMasks(text, masks)) as [string, string];
    return before === after ? undefined : { pointer, before, after };
  }
}

function keysOf(one: Record<string, unknown>, two: Record<string, unknown>): string[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(two)]);
  // Places of a list in their order, names in that of code units.
  return Array.isArray(one) && Array.isArray(two) ? [...keys] : [...keys].sort();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function print(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
