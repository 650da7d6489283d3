import type { FileLines } from '@h/contracts';
import type {
  CoverageFormat,
  CoverageReport,
  CoverageWarning,
  CoverageWarningCode,
  FileCoverage,
  TestCoverage,
} from './coverage-report.ts';
import { createLineCollector, formatRanges, type LineCollector, type LineRanges, uniteRanges } from './line-ranges.ts';
import { type Placed, type PlaceOptions, placeFile } from './place-files.ts';

/** Where the lines of one file go, for one test or for none. A line in both was executed. */
export interface FileCollector {
  readonly executed: LineCollector;
  readonly missed: LineCollector;
}

export interface ReportBuilder {
  /** `test` undefined: outside any test. undefined where the file is left out. The same call gives the same collector. */
  file(given: string | Placed, test: string | undefined): FileCollector | undefined;
  /** Names a test, so that it is listed even if it executed nothing. */
  test(id: string): void;
  warn(code: CoverageWarningCode, example: string): void;
  finish(): CoverageReport;
}

type Files = Map<string, FileCollector>;

/** What every reader fills: paths placed, lines united, all of it sorted. */
export function buildReport(format: CoverageFormat, options: PlaceOptions): ReportBuilder {
  const placed = new Map<string, Placed>();
  const tests = new Map<string, Files>();
  const outside: Files = new Map();
  const warnings = new Map<CoverageWarningCode, CoverageWarning>();

  function warn(code: CoverageWarningCode, example: string): void {
    const known = warnings.get(code);
    warnings.set(code, { code, count: (known?.count ?? 0) + 1, example: known?.example ?? example.slice(0, 200) });
  }

  function place(given: string): Placed {
    const known = placed.get(given);
    if (known !== undefined) return known;
    const found = placeFile(given, options);
    placed.set(given, found);
    if (found.status !== 'placed') warn(found.status, given);
    return found;
  }

  return {
    warn,
    test: (id) => void valueAt(tests, id, () => new Map()),
    file(given, test) {
      const found = typeof given === 'string' ? place(given) : given;
      if (found.status !== 'placed') return undefined;
      const files = test === undefined ? outside : valueAt(tests, test, (): Files => new Map());
      return valueAt(files, found.path, () => ({ executed: createLineCollector(), missed: createLineCollector() }));
    },
    finish: () => ({
      format,
      ...(tests.size === 0 ? {} : { tests: [...tests].map(toTest).sort(by('id')), outside: toLines(outside) }),
      total: toTotal([outside, ...tests.values()]),
      warnings: [...warnings.values()].sort(by('code')),
    }),
  };
}

function valueAt<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Compares code units. */
export function by<Key extends string>(key: Key) {
  return (one: Record<Key, string>, other: Record<Key, string>): number =>
    one[key] < other[key] ? -1 : one[key] > other[key] ? 1 : 0;
}

function toTest([id, files]: readonly [string, Files]): TestCoverage {
  return { id, files: toLines(files) };
}

function toLines(files: Files): FileLines[] {
  return [...files]
    .map(([file, { executed }]) => ({ file, lines: formatRanges(executed.ranges()) }))
    .filter(({ lines }) => lines !== '')
    .sort(by('file'));
}

function toTotal(all: readonly Files[]): FileCoverage[] {
  const united = new Map<string, { executed: LineRanges; missed: LineRanges }>();
  for (const [file, lines] of all.flatMap((files) => [...files])) {
    const { executed, missed } = united.get(file) ?? { executed: [], missed: [] };
    united.set(file, {
      executed: uniteRanges(executed, lines.executed.ranges()),
      missed: uniteRanges(missed, lines.missed.ranges()),
    });
  }
  return [...united]
    .map(([file, { executed, missed }]) => ({
      file,
      lines: formatRanges(executed),
      executable: formatRanges(uniteRanges(executed, missed)),
    }))
    .sort(by('file'));
}
