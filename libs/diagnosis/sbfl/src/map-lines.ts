import { type FileLines, parseLines, type RepoPath, type SpectrumStatement } from '@h/contracts';
import { locateStatements } from './locate-statements.ts';
import { type OutlinedStatements, ownLine, type StatementLines } from './own-line.ts';

/** Per file its statements, with their blocks where these are known. */
export type StatementTables = Readonly<Record<RepoPath, readonly StatementLines[] | OutlinedStatements>>;

export interface MappedLines {
  /** Sorted by file in code-unit order, then first line; each file and first line once. */
  readonly entities: readonly SpectrumStatement[];
  /** 0-based indexes into `entities` of the lines of a file. */
  readonly indexesOf: (lines: FileLines) => readonly number[];
}

/**
 * Statements as entities that coverage can tell apart. Those that start on one line are one, with the widest lines; `statement` if any is.
 * A covered line that belongs to no statement becomes a one-line statement, so that nothing that ran is lost.
 */
export function mapLines(
  tables: StatementTables,
  ignored: ReadonlySet<RepoPath>,
  covered: readonly FileLines[],
): MappedLines {
  const known = Object.entries(tables)
    .filter(([file]) => !ignored.has(file))
    .flatMap(([file, table]) => mergeStarts(file, 'blocks' in table ? table.statements : table));
  const lineOf = ownedLines(tables, known);
  const entities = [...known, ...unmapped(known, covered, lineOf)].sort(
    (a, b) => compareText(a.file, b.file) || a.first - b.first,
  );
  const locate = locateStatements(entities);
  const seen = new Map<string, readonly number[]>();
  return {
    entities,
    indexesOf({ file, lines }) {
      const key = `${lines} ${file}`;
      const found = seen.get(key) ?? parseLines(lines).flatMap((line) => locate(file, lineOf(file, line)) ?? []);
      seen.set(key, found);
      return found;
    },
  };
}

/** The line itself, or the first line of the statement it belongs to without lying in it. */
function ownedLines(tables: StatementTables, known: readonly SpectrumStatement[]) {
  const locate = locateStatements(known);
  const owned = new Map<string, number>();
  return (file: RepoPath, line: number): number => {
    const table = Object.hasOwn(tables, file) ? tables[file] : undefined;
    if (table === undefined || !('blocks' in table) || locate(file, line) !== undefined) return line;
    const key = `${line} ${file}`;
    const first = owned.get(key) ?? ownLine(table, line) ?? line;
    owned.set(key, first);
    return first;
  };
}

function mergeStarts(file: RepoPath, lines: readonly StatementLines[]): SpectrumStatement[] {
  const starts = new Map<number, SpectrumStatement>();
  for (const { first, last, kind } of lines) {
    const held = starts.get(first) ?? { file, first, last, kind };
    const merged = held.kind === 'statement' || kind === 'statement' ? 'statement' : held.kind;
    starts.set(first, { file, first, last: Math.max(last, held.last), kind: merged });
  }
  return [...starts.values()];
}

function unmapped(
  known: readonly SpectrumStatement[],
  covered: readonly FileLines[],
  lineOf: (file: RepoPath, line: number) => number,
): SpectrumStatement[] {
  const locate = locateStatements(known);
  const found = new Map<string, SpectrumStatement>();
  const seen = new Set<string>();
  for (const { file, lines } of covered) {
    if (seen.has(`${lines} ${file}`)) continue;
    seen.add(`${lines} ${file}`);
    for (const line of parseLines(lines)) {
      if (locate(file, lineOf(file, line)) !== undefined) continue;
      found.set(`${line} ${file}`, { file, first: line, last: line, kind: 'statement' });
    }
  }
  return [...found.values()];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
