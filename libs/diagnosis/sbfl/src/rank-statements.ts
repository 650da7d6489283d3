// The order of suspicion: seed 12 §3.1 with its contradiction between formula and text resolved (README, "The contradiction").
import {
  type Loc,
  parseLoc,
  type RankedStatement,
  type Spectrum,
  type SpectrumReport,
  type SpectrumStatement,
  type TestId,
} from '@h/contracts';
import { buildSpectrum, type CountedSpectrum } from './build-spectrum.ts';
import { hitsMismatch } from './errors.ts';
import { type Locate, locateStatements } from './locate-statements.ts';
import { type FormulaName, formulas } from './suspiciousness-formulas.ts';

export interface RankOptions {
  /** "ochiai" when absent, the only one that probe points are projected from. */
  readonly formula?: FormulaName;
  /** Per failing test: statements in the order of their last execution, most recent first (`last_lines` of a `TestResult`). */
  readonly lastLines?: Readonly<Record<TestId, readonly Loc[]>>;
  /** Score of the most suspicious branch next to a statement, by its location; higher is more suspicious, a missing one counts as 0. */
  readonly adjacentBranch?: Readonly<Record<Loc, number>>;
}

/**
 * Ranks every statement that a failing test executed; none is cut.
 *
 * Order: discriminating before reserve; statements before imports and definitions; the formula, higher first; how late it last ran before
 * a failure; adjacent branch; file in code-unit order; first line. Reserve are statements that every counted test executed, some of them
 * passing. Without a passing test the verdict is `no_contrast` and the formula is left out of the order; without a failing test nothing
 * is ranked. Throws `duplicate_test`, `duplicate_statement`, `statement_out_of_range`, `hits_mismatch`.
 */
export function rankStatements(spectrum: Spectrum | CountedSpectrum, options: RankOptions = {}): SpectrumReport {
  const counted = 'hits' in spectrum ? countSpectrum(spectrum) : spectrum;
  const { formula = 'ochiai' } = options;
  const contrast = counted.failing.length > 0 && counted.totalPassed > 0;
  const keyed = keyStatements(counted, formula, contrast, options);
  const order = keyed.sort(compareKeys);
  return {
    formula,
    verdict: contrast ? 'ok' : 'no_contrast',
    total_failed: counted.failing.length,
    total_passed: counted.totalPassed,
    statements: numberRanks(order, counted.groups),
    excluded_tests: [...counted.excluded].sort((a, b) => compareText(a.test, b.test)),
  };
}

function countSpectrum({ tests, statements, hits, excluded_tests = [] }: Spectrum): CountedSpectrum {
  if (hits.length !== tests.length) throw hitsMismatch(hits.length, tests.length);
  const builder = buildSpectrum(statements);
  for (const [index, test] of tests.entries()) builder.add({ ...test, hits: hits[index] ?? '' });
  const counted = builder.spectrum();
  return { ...counted, excluded: [...excluded_tests, ...counted.excluded] };
}

interface Keyed {
  readonly index: number;
  readonly statement: SpectrumStatement;
  readonly failed: number;
  readonly passed: number;
  readonly score: number;
  readonly reserve: boolean;
  /** 0 for a statement, 1 for an import or a definition. */
  readonly kind: number;
  /** The score where it decides the order, else 0. */
  readonly decisive: number;
  readonly distance: number;
  readonly branch: number;
}

function keyStatements(
  counted: CountedSpectrum,
  formula: FormulaName,
  contrast: boolean,
  options: RankOptions,
): Keyed[] {
  const { statements, failed, passed, failing, totalPassed } = counted;
  const distances = recency(statements, failing, options.lastLines ?? {});
  const branches = options.adjacentBranch ?? {};
  const totals = { totalFailed: failing.length, totalPassed };
  return statements.flatMap((statement, index) => {
    const counts = { failed: failed[index] ?? 0, passed: passed[index] ?? 0, ...totals };
    if (counts.failed === 0) return [];
    const score = formulas[formula](counts);
    return {
      index,
      statement,
      failed: counts.failed,
      passed: counts.passed,
      score,
      reserve: contrast && counts.failed === totals.totalFailed && counts.passed === totalPassed,
      kind: statement.kind === 'statement' ? 0 : 1,
      decisive: contrast ? score : 0,
      distance: distances[index] ?? Number.POSITIVE_INFINITY,
      branch: own(branches, locationOf(statement)) ?? 0,
    };
  });
}

/**
 * Per statement: how many other statements ran for the last time between its own last execution and the end of a failing test; of several
 * failing tests the least. Infinity where no failing test names it. Places that are no statement of the spectrum take no number.
 */
function recency(
  statements: readonly SpectrumStatement[],
  failing: readonly TestId[],
  lastLines: Readonly<Record<TestId, readonly Loc[]>>,
): Float64Array {
  const distances = new Float64Array(statements.length).fill(Number.POSITIVE_INFINITY);
  const locate = locateStatements(statements);
  for (const test of failing) {
    const seen = new Set<number>();
    for (const location of own(lastLines, test) ?? []) {
      const index = locateLoc(locate, location);
      if (index === undefined) continue;
      distances[index] = Math.min(distances[index] ?? 0, seen.size);
      seen.add(index);
    }
  }
  return distances;
}

function locateLoc(locate: Locate, location: Loc): number | undefined {
  const { file, line } = parseLoc(location);
  return locate(file, line);
}

function compareKeys(a: Keyed, b: Keyed): number {
  return compareTies(a, b) || a.distance - b.distance || b.branch - a.branch || comparePlaces(a.statement, b.statement);
}

/** What tier, kind and formula say: 0 for statements that only the tie-break orders. */
function compareTies(a: Keyed, b: Keyed): number {
  return Number(a.reserve) - Number(b.reserve) || a.kind - b.kind || b.decisive - a.decisive;
}

function comparePlaces(a: SpectrumStatement, b: SpectrumStatement): number {
  return compareText(a.file, b.file) || a.first - b.first;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function numberRanks(order: readonly Keyed[], groups: Uint32Array): RankedStatement[] {
  const tied = runEnds(order, (a, b) => compareTies(a, b) === 0);
  const alike = runEnds(order, (a, b) => compareTies(a, b) === 0 && a.distance === b.distance && a.branch === b.branch);
  const numbers = new Map<number, number>();
  return order.map((keyed, position) => {
    const group = groups[keyed.index] ?? 0;
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    const [start = 0, end = 0] = tied[position] ?? [];
    return {
      location: locationOf(keyed.statement),
      kind: keyed.statement.kind,
      score: keyed.score,
      tier: keyed.reserve ? 'reserve' : 'discriminating',
      failed_runs: keyed.failed,
      passed_runs: keyed.passed,
      rank: position + 1,
      tie_size: end - start,
      worst_rank: alike[position]?.[1] ?? position + 1,
      group: numbers.get(group) ?? 0,
    };
  });
}

/** Per position: the half-open range of neighbours that are the same. */
function runEnds(
  order: readonly Keyed[],
  same: (a: Keyed, b: Keyed) => boolean,
): (readonly [start: number, end: number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let start = 0; start < order.length; start = runs.length) {
    let end = start + 1;
    while (end < order.length && same(order[start] as Keyed, order[end] as Keyed)) end += 1;
    const run = [start, end] as const;
    while (runs.length < end) runs.push(run);
  }
  return runs;
}

function locationOf({ file, first }: SpectrumStatement): Loc {
  return `${file}:${first}`;
}

/** The value under a key that the caller gave, never one that every object has. */
function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
