import { parseLines } from '@h/contracts';
import type { CoverageReport } from '../coverage-report.ts';
import { executableLines } from './lines-outside-tests.ts';

export interface IstanbulOptions {
  /** Put before each path with a "/": Istanbul's tools look files up by absolute path. Absent: paths stay relative. */
  readonly root?: string;
}

/**
 * A report as `coverage-final.json` of Istanbul, in total: each executable line is a statement over the whole line, counted 1 or 0. Functions
 * and branches are empty, for nothing is known of them. Tests are lost: the format knows none.
 */
export function writeIstanbul(report: CoverageReport, { root }: IstanbulOptions = {}): string {
  const files = report.total.map((entry) => {
    const path = root === undefined ? entry.file : `${root.replace(/[/\\]$/, '')}/${entry.file}`;
    const hit = new Set(parseLines(entry.lines));
    const lines = executableLines(entry);
    const statementMap = lines.map(
      (line, id) => [id, { start: { line, column: 0 }, end: { line, column: null } }] as const,
    );
    const counts = lines.map((line, id) => [id, hit.has(line) ? 1 : 0] as const);
    const none = { fnMap: {}, branchMap: {}, f: {}, b: {} };
    return [
      path,
      { path, statementMap: Object.fromEntries(statementMap), s: Object.fromEntries(counts), ...none },
    ] as const;
  });
  return `${JSON.stringify(Object.fromEntries(files))}\n`;
}
