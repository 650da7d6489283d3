// Coverage files and test results made elsewhere → ranked statements. Nothing is run.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpectrumReport, TestId, TestRunReport } from '@h/contracts';
import { attachCoverage, type CoverageReport, combineTests, placeFile, readCoverage } from '@h/coverage';
import {
  type FormulaName,
  rankEachTest,
  rankStatements,
  readSpectrum,
  scoreBranches,
  spectrumFromReport,
} from '@h/sbfl';
import { createParser, languageOf, type Outline } from '@h/syntax';
import { badInput } from './errors.ts';

/** A coverage file; `test` where the file is of one test and does not say so itself. */
export interface CoverageSource {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly test?: TestId;
}

export interface RankChoice {
  /** "ochiai" when absent. */
  readonly formula?: FormulaName;
  /** With a ranking for each failing test, and their merge. */
  readonly perTest?: boolean;
}

export interface RankOptions extends RankChoice {
  /** Outcome per test, such as `h/test-run-report/1`; with coverage of its own, `coverage` may be empty. */
  readonly results: TestRunReport;
  readonly coverage: readonly CoverageSource[];
  /** Folder of the sources: with it lines become statements; without, each line is one. */
  readonly repo?: string;
  /** Absolute path of the repository where the coverage was made. */
  readonly root?: string;
  /** Failing tests to explain; all that fail when absent. */
  readonly failing?: readonly TestId[];
  /** Outcomes without the change: what fails there too is left out. */
  readonly before?: TestRunReport;
}

export interface RankedCoverage {
  readonly report: SpectrumReport;
  readonly warnings: readonly string[];
}

/** Ranks statements from a result list and coverage files of other tools. Throws `bad_input`. */
export async function rankCoverage(options: RankOptions): Promise<RankedCoverage> {
  const read = options.coverage.map((source) => ({ source, coverage: readOne(source, options) }));
  const { report, warnings } = attach(options.results, read);
  const known = new Set(report.tests.map(({ test }) => test));
  const absent = options.failing?.find((test) => !known.has(test));
  if (absent !== undefined)
    throw badInput(`The results have no test ${JSON.stringify(absent)}.`, 'Name tests as the result list does.');
  const { statements, unreadable } = await readStatements(report, options.repo);
  const spectrum = spectrumFromReport(report, statements, {
    ...(options.failing === undefined ? {} : { failing: options.failing }),
    ...(options.before === undefined ? {} : { before: options.before }),
    ignoreFiles: [...new Set(report.tests.map(({ file }) => file))],
  });
  const lastLines = Object.fromEntries(report.tests.map(({ test, last_lines }) => [test, last_lines ?? []]));
  const { formula = 'ochiai', perTest = false } = options;
  const rank = perTest ? rankEachTest : rankStatements;
  const adjacentBranch = scoreBranches(spectrum, statements, { formula });
  return { report: rank(spectrum, { lastLines, formula, adjacentBranch }), warnings: [...warnings, ...unreadable] };
}

/** Ranks statements of a spectrum as CSV or JSON. Throws `bad_input`. */
export function rankPlain(
  name: string,
  text: string,
  { formula = 'ochiai', perTest = false }: RankChoice,
): RankedCoverage {
  try {
    const spectrum = readSpectrum(text);
    const report =
      perTest && 'hits' in spectrum ? rankEachTest(spectrum, { formula }) : rankStatements(spectrum, { formula });
    return {
      report,
      warnings: perTest && !('hits' in spectrum) ? [`${name} holds counts alone: no test can be ranked for`] : [],
    };
  } catch (error) {
    const { message, hint = 'Give an h/spectrum/1 or CSV.' } = error as Error & { hint?: string };
    throw badInput(`${name} cannot be read as a spectrum: ${message}`, hint, error);
  }
}

function readOne({ name, bytes }: CoverageSource, { root, repo }: RankOptions): CoverageReport {
  const place = root === undefined ? {} : { root };
  // V8's own files hold offsets: the text they are of is read from the repository.
  const sourceOf = (url: string) => {
    const placed = placeFile(url, place);
    if (repo === undefined || placed.status !== 'placed') return undefined;
    try {
      return { text: readFileSync(join(repo, placed.path), 'utf8') };
    } catch {
      return undefined; // said as a warning by the reader
    }
  };
  try {
    return readCoverage(bytes, { ...place, sourceOf });
  } catch (error) {
    const { message } = error as Error;
    const hint = 'Give coverage.py JSON (with --show-contexts), LCOV, Istanbul or V8 JSON, Cobertura or JaCoCo XML.';
    throw badInput(`${name} cannot be read as coverage: ${message}`, hint, error);
  }
}

type Read = { readonly source: CoverageSource; readonly coverage: CoverageReport };

function attach(results: TestRunReport, read: readonly Read[]): { report: TestRunReport; warnings: string[] } {
  if (read.length === 0) return { report: results, warnings: [] };
  const warnings = read.flatMap(({ source, coverage }) =>
    coverage.warnings.map(({ code, count, example }) => `${source.name}: ${code} (${count}), such as ${example}`),
  );
  const { report, unmatched, unknown } = attachCoverage(results, merge(read));
  if (unmatched.length > 0)
    warnings.push(`${unmatched.length} tests of the results are not in the coverage and left out: ${some(unmatched)}`);
  if (unknown.length > 0)
    warnings.push(`${unknown.length} tests of the coverage are not in the results: ${some(unknown)}`);
  if (unmatched.length === results.tests.length)
    throw badInput(
      `No test of the results is in the coverage; results have ${some(unmatched)}, the coverage ${some(unknown)}`,
      'Name the tests alike in both, or give one file a test: --coverage ID=FILE.',
    );
  return { report, warnings };
}

function merge(read: readonly Read[]): CoverageReport {
  const named = read.flatMap(({ source, coverage }) =>
    source.test === undefined ? [] : [{ id: source.test, coverage }],
  );
  const [first, ...others] = read.filter(({ source }) => source.test === undefined);
  if (first === undefined) return combineTests(named);
  if (others.length > 0 || named.length > 0)
    throw badInput(
      'More than one coverage file, and not each says its test.',
      'Give either one file with the tests in it, or one file a test: --coverage ID=FILE.',
    );
  if (first.coverage.tests === undefined)
    throw badInput(
      `${first.source.name} says what ran in total, not per test.`,
      'Either record contexts (coverage.py: --show-contexts, LCOV: TN:) or give one file a test: --coverage ID=FILE.',
    );
  return first.coverage;
}

function some(ids: readonly string[]): string {
  return `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
}

async function readStatements(report: TestRunReport, repo: string | undefined) {
  const statements: Record<string, Outline> = {};
  const unreadable: string[] = [];
  if (repo === undefined) return { statements, unreadable };
  const parser = await createParser();
  for (const file of filesOf(report)) {
    const language = languageOf(file);
    if (language === undefined) continue;
    const text = await readFile(join(repo, file), 'utf8').catch(() => undefined);
    if (text === undefined) unreadable.push(`${file} is not in ${repo}: each of its lines is taken for a statement`);
    else statements[file] = parser.outline(text, language);
  }
  parser.dispose();
  return { statements, unreadable };
}

function filesOf({ tests, import_coverage }: TestRunReport): string[] {
  const covered = [...tests.flatMap(({ coverage }) => coverage ?? []), ...(import_coverage ?? [])];
  return [...new Set(covered.map(({ file }) => file))].sort();
}
