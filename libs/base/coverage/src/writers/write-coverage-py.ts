import { parseLines } from '@h/contracts';
import type { CoverageReport } from '../coverage-report.ts';
import { executableLines, linesOutsideTests } from './lines-outside-tests.ts';

/**
 * A report as `coverage json --show-contexts` writes it, without time and version of a coverage.py: contexts are "<test>|run", and "" for
 * what was executed outside any test. Tests that executed nothing are lost: the format cannot say it.
 */
export function writeCoveragePy(report: CoverageReport): string {
  const contexts = contextsByFile(report);
  const files = report.total.map((entry) => {
    const executed = parseLines(entry.lines);
    const hit = new Set(executed);
    const missing = executableLines(entry).filter((line) => !hit.has(line));
    const summary = {
      covered_lines: executed.length,
      num_statements: executed.length + missing.length,
      missing_lines: missing.length,
      excluded_lines: 0,
    };
    const shown = contexts === undefined ? {} : { contexts: Object.fromEntries(contexts.get(entry.file) ?? []) };
    return [
      entry.file,
      { executed_lines: executed, summary, missing_lines: missing, excluded_lines: [], ...shown },
    ] as const;
  });
  const meta = { format: 3, branch_coverage: false, show_contexts: contexts !== undefined };
  return `${JSON.stringify({ meta, files: Object.fromEntries(files) })}\n`;
}

type Contexts = Map<number, string[]>;

function contextsByFile(report: CoverageReport): Map<string, Contexts> | undefined {
  if (report.tests === undefined) return undefined;
  const byFile = new Map<string, Contexts>(report.total.map(({ file }) => [file, new Map()]));
  const add = (file: string, lines: Iterable<number>, context: string) => {
    const contexts = byFile.get(file);
    for (const line of lines) contexts?.set(line, [...(contexts.get(line) ?? []), context]);
  };
  for (const [file, lines] of linesOutsideTests(report)) add(file, lines, '');
  for (const { id, files } of report.tests)
    for (const { file, lines } of files) add(file, parseLines(lines), `${id}|run`);
  return byFile;
}
