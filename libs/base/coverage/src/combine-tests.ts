import type { FileLines } from '@h/contracts';
import { by } from './build-report.ts';
import type { CoverageReport, CoverageWarning, FileCoverage } from './coverage-report.ts';
import { formatRanges, type LineRanges, parseRanges, uniteRanges } from './line-ranges.ts';

export interface TestRun {
  readonly id: string;
  /** What was executed while this test ran alone; tests it names itself are taken together. */
  readonly coverage: CoverageReport;
}

/** One report per test, for formats that know no tests, from one coverage file a test. A test given twice is united. */
export function combineTests(runs: Iterable<TestRun>): CoverageReport {
  const tests = new Map<string, Map<string, LineRanges>>();
  const total = new Map<string, { executed: LineRanges; executable: LineRanges | undefined }>();
  const warnings = new Map<string, CoverageWarning>();
  for (const { id, coverage } of runs) {
    const files = tests.get(id) ?? new Map<string, LineRanges>();
    tests.set(id, files);
    for (const { file, lines, executable } of coverage.total) {
      const hit = parseRanges(lines);
      const known = total.get(file) ?? { executed: [], executable: [] };
      files.set(file, uniteRanges(files.get(file) ?? [], hit));
      total.set(file, {
        executed: uniteRanges(known.executed, hit),
        executable:
          executable === undefined || known.executable === undefined
            ? undefined
            : uniteRanges(known.executable, parseRanges(executable)),
      });
    }
    for (const { code, count, example } of coverage.warnings) {
      const known = warnings.get(code);
      warnings.set(code, { code, count: count + (known?.count ?? 0), example: known?.example ?? example });
    }
  }
  return {
    tests: [...tests].map(([id, files]) => ({ id, files: toLines(files) })).sort(by('id')),
    outside: [],
    total: [...total].map(toTotal).sort(by('file')),
    warnings: [...warnings.values()].sort(by('code')),
  };
}

function toLines(files: ReadonlyMap<string, LineRanges>): FileLines[] {
  return [...files]
    .filter(([, ranges]) => ranges.length > 0)
    .map(([file, ranges]) => ({ file, lines: formatRanges(ranges) }))
    .sort(by('file'));
}

function toTotal([file, { executed, executable }]: readonly [
  string,
  { executed: LineRanges; executable: LineRanges | undefined },
]): FileCoverage {
  const lines = formatRanges(executed);
  return executable === undefined ? { file, lines } : { file, lines, executable: formatRanges(executable) };
}
