import { malformed } from '../errors.ts';
import { listAt, objectAt } from '../read-json.ts';

/** How often the code at an offset was executed; undefined where no range says. */
export type CountAt = (offset: number) => number | undefined;

interface Range {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/**
 * The ranges of all functions of one script as one table: the innermost range around an offset says. Functions lie inside each other, and
 * the blocks of a function inside it; of equal ranges the later one is inner. Throws `malformed_coverage`.
 */
export function countOffsets(functions: readonly unknown[], at: string): { countAt: CountAt; negative: number } {
  const ranges = functions.flatMap((entry, index) => rangesOf(entry, `${at}.functions[${index}]`));
  const order = ranges.map((range, index) => ({ ...range, index }));
  order.sort((a, b) => a.start - b.start || b.end - a.end || a.index - b.index);
  const starts: number[] = [];
  const counts: (number | undefined)[] = [];
  const say = (offset: number, count: number | undefined) => {
    if (starts.at(-1) === offset) counts[counts.length - 1] = count;
    else {
      starts.push(offset);
      counts.push(count);
    }
  };
  const open: Range[] = [];
  const close = (until: number) => {
    for (let inner = open.at(-1); inner !== undefined && inner.end <= until; inner = open.at(-1)) {
      open.pop();
      say(inner.end, open.at(-1)?.count);
    }
  };
  for (const range of order) {
    close(range.start);
    // A range that reaches out of the one around it is cut there: the table stays well nested.
    const end = Math.min(range.end, open.at(-1)?.end ?? range.end);
    say(range.start, range.count);
    open.push({ ...range, end });
  }
  close(Number.POSITIVE_INFINITY);
  return {
    countAt: (offset) => counts[lastAtOrBefore(starts, offset)],
    negative: ranges.filter(({ count }) => count < 0).length,
  };
}

function rangesOf(entry: unknown, at: string): Range[] {
  const { ranges } = objectAt('v8', entry, at);
  return listAt('v8', ranges, `${at}.ranges`).flatMap((value, index) => {
    const where = `${at}.ranges[${index}]`;
    const { startOffset: start, endOffset: end, count } = objectAt('v8', value, where);
    if (!isOffset(start) || !isOffset(end) || end < start)
      throw malformed('v8', 'offsets in order were expected', { at: where });
    if (typeof count !== 'number' || !Number.isFinite(count))
      throw malformed('v8', 'a count was expected', { at: `${where}.count` });
    return start === end ? [] : [{ start, end, count }];
  });
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Index of the last number at or before one; -1 where there is none. */
export function lastAtOrBefore(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
