import type { SpectrumStatement } from '@h/contracts';

/** Index of the statement a line belongs to, or undefined: the one that starts there, else the innermost whose lines hold it. */
export type Locate = (file: string, line: number) => number | undefined;

interface FileIndex {
  readonly starts: Map<number, number>;
  /** Statements of more than one line. */
  readonly longer: number[];
  readonly known: Map<number, number | undefined>;
}

/** Looks lines up among statements; of those around a line the shortest is innermost, of equally short ones the one that starts last. */
export function locateStatements(statements: readonly SpectrumStatement[]): Locate {
  const files = new Map<string, FileIndex>();
  for (const [index, { file, first, last }] of statements.entries()) {
    const entry: FileIndex = files.get(file) ?? { starts: new Map(), longer: [], known: new Map() };
    files.set(file, entry);
    if (!entry.starts.has(first)) entry.starts.set(first, index);
    if (last > first) entry.longer.push(index);
  }
  return (file, line) => {
    const entry = files.get(file);
    const start = entry?.starts.get(line);
    if (entry === undefined || start !== undefined) return start;
    if (!entry.known.has(line)) entry.known.set(line, innermost(statements, entry.longer, line));
    return entry.known.get(line);
  };
}

function innermost(
  statements: readonly SpectrumStatement[],
  candidates: readonly number[],
  line: number,
): number | undefined {
  let best: { index: number; length: number; first: number } | undefined;
  for (const index of candidates) {
    const { first = 0, last = 0 } = statements[index] ?? {};
    const length = last - first;
    const around = first <= line && line <= last;
    if (around && (best === undefined || length < best.length || (length === best.length && first > best.first))) {
      best = { index, length, first };
    }
  }
  return best?.index;
}
