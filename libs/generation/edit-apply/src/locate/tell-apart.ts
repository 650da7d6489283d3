import type { ApplyRejection, Span } from '@h/contracts';
import type { SnapshotFile } from '../open-snapshot.ts';
import { startOfLine } from '../write/line-table.ts';

type Apart = NonNullable<ApplyRejection['apart']>;

/** Lines looked at above and below a match. */
const REACH = 60;
const SHOWN_LENGTH = 200;

/**
 * For each match the nearest line, above before below, that no other match has in that place: what to copy into the search so that it
 * means that match. Its own first line where none does, as with two matches in one line.
 */
export function tellApart(file: SnapshotFile, matches: readonly Span[]): Apart {
  const table = file.unified().lines();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const { bytes } = file.unified();
  const textOf = (line: number): string => {
    if (line < 1 || line > table.starts.length) return '';
    const start = startOfLine(table, line - 1);
    const end = Math.min(startOfLine(table, line), start + 4 * SHOWN_LENGTH);
    return decoder.decode(bytes.subarray(start, end)).replace(/\n$/, '').slice(0, SHOWN_LENGTH);
  };
  const found: Apart = matches.map(([first]) => ({ line: first, text: textOf(first) }));
  let open = matches.map((_, i) => i);
  for (let distance = 0; distance <= REACH && open.length > 0; distance++) {
    for (const lineOf of [([first]: Span) => first - distance, ([, last]: Span) => last + distance]) {
      const seen = new Map<string, number>();
      const texts = matches.map((match) => textOf(lineOf(match)));
      for (const text of texts) seen.set(text, (seen.get(text) ?? 0) + 1);
      open = open.filter((i) => {
        const [match, text = ''] = [matches[i], texts[i]];
        if (match === undefined || text.trim() === '' || seen.get(text) !== 1) return true;
        found[i] = { line: lineOf(match), text };
        return false;
      });
    }
  }
  return found;
}
