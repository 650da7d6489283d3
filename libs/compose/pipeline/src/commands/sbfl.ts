import { existsSync, readFileSync } from 'node:fs';
import { envelope, type SpectrumReport, TestOutcome, type TestRunReport } from '@h/contracts';
import { type FormulaName, formulas, projectProbePoints, writeSarif, writeText } from '@h/sbfl';
import { type Command, Option } from 'commander';
import { badInput, EXIT } from '../errors.ts';
import { type CoverageSource, rankCoverage, rankPlain } from '../rank-coverage.ts';
import { openRecord, readJson, readSource } from './read-input.ts';

interface Flags {
  readonly results?: string;
  readonly spectrum?: string;
  readonly before?: string;
  readonly coverage?: string[];
  readonly repo?: string;
  readonly root?: string;
  readonly test?: string[];
  readonly formula?: FormulaName;
  readonly perTest?: boolean;
  readonly json?: boolean;
  readonly points?: boolean;
  readonly sarif?: boolean;
}

const EXAMPLES = `
The result list is an h/test-run-report/1 or plain JSON: {"test_a": "passed", "test_b": "failed"}, or a list of
{"test": "test_a", "outcome": "passed"}. Coverage is coverage.py JSON (--show-contexts), LCOV (TN:), Istanbul or V8 JSON, Cobertura or
JaCoCo XML. A spectrum is an h/spectrum/1, or CSV that begins with "test,outcome,a.py:3,…" or "location,ef,ep,nf,np".

Examples:
  $ h sbfl --results results.json --coverage coverage.json --repo .
  $ h sbfl --results results.json --before results-of-main.json --coverage test_a=a.lcov test_b=b.lcov
  $ h sbfl --spectrum matrix.csv --sarif > ranking.sarif
  $ h sbfl --results .h/runs/<id>/test-run-report-with-coverage.json --json`;

/** Adds `sbfl`: ranks statements from files that other tools wrote; runs nothing. */
export function addSbflCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('sbfl')
    .helpGroup('One stage, records in and out:')
    .description('rank statements from a result list and coverage files, without running anything')
    .option('--results <file>', 'outcome per test ("-": stdin)')
    .option('--coverage <file...>', 'coverage with tests in it, or one file a test as ID=FILE')
    .addOption(
      new Option('--spectrum <file>', 'a spectrum as CSV or JSON, instead of both ("-": stdin)').conflicts('results'),
    )
    .option('--before <file>', 'results without the change: what fails there too is left out')
    .option('--repo <dir>', 'the sources: lines become statements')
    .option('--root <path>', 'absolute path of the repository where the coverage was made')
    .option('--test <id...>', 'failing tests to explain (default: all that fail)')
    .addOption(new Option('--formula <name>', 'formula to rank by').choices(Object.keys(formulas)).default('ochiai'))
    .option('--per-test', 'rank for each failing test too, and merge (with --json)')
    .option('--json', 'print the h/spectrum-report/1')
    .option('--points', 'print the h/candidate-probe-points/1: the first fifty')
    .option('--sarif', 'print SARIF 2.1.0')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const { report, warnings } = await rank(flags);
      for (const warning of warnings) process.stderr.write(`h: ${warning}\n`);
      process.stdout.write(`${answerOf(report, flags)}\n`);
      finish(report.statements.length === 0 ? EXIT.nothingFailing : EXIT.patch);
    });
}

async function rank(flags: Flags) {
  const { formula = 'ochiai', perTest = false } = flags;
  if (flags.spectrum !== undefined)
    return rankPlain(flags.spectrum, await readSource(flags.spectrum), { formula, perTest });
  if (flags.results === undefined) throw badInput('Nothing to rank.', 'Give --results with --coverage, or --spectrum.');
  return rankCoverage({
    results: await readResults(flags.results),
    coverage: (flags.coverage ?? []).map(openCoverage),
    formula,
    perTest,
    ...(flags.before === undefined ? {} : { before: await readResults(flags.before) }),
    ...(flags.repo === undefined ? {} : { repo: flags.repo }),
    ...(flags.root === undefined ? {} : { root: flags.root }),
    ...(flags.test === undefined ? {} : { failing: flags.test }),
  });
}

function answerOf(report: SpectrumReport, { json, points, sarif }: Flags): string {
  if (sarif === true) return writeSarif(report).trimEnd();
  if (points === true) return JSON.stringify(envelope('CandidateProbePoints', projectProbePoints(report)));
  return json === true ? JSON.stringify(envelope('SpectrumReport', report)) : writeText(report);
}

function openCoverage(given: string): CoverageSource {
  const equals = given.lastIndexOf('=');
  const isNamed = equals > 0 && !existsSync(given);
  const name = isNamed ? given.slice(equals + 1) : given;
  try {
    return { name, bytes: readFileSync(name), ...(isNamed ? { test: given.slice(0, equals) } : {}) };
  } catch (error) {
    throw badInput(`Cannot read ${name}: ${(error as Error).message}`, 'Name a coverage file, or ID=FILE.', error);
  }
}

async function readResults(source: string): Promise<TestRunReport> {
  const given = await readJson(source);
  if (typeof given === 'object' && given !== null && 'schema' in given)
    return openRecord(source, given, ['TestRunReport']).data;
  const tests = listResults(given);
  if (tests === undefined)
    throw badInput(
      `${source === '-' ? 'stdin' : source} is no result list.`,
      'Give {"test_a": "passed", …}, a list of {"test", "outcome"}, or an h/test-run-report/1.',
    );
  return { runner: 'external', environment: '0'.repeat(64), execution_ids: [], tests, collection_errors: [] };
}

function listResults(plain: unknown): TestRunReport['tests'] | undefined {
  if (typeof plain !== 'object' || plain === null || Object.keys(plain).length === 0) return undefined;
  const pairs = Array.isArray(plain)
    ? plain.map((one: { test?: unknown; outcome?: unknown; file?: unknown } | null) => [
        one?.test,
        one?.outcome,
        one?.file,
      ])
    : Object.entries(plain);
  const tests: TestRunReport['tests'] = [];
  for (const [test, outcome, file] of pairs) {
    const parsed = TestOutcome.safeParse(outcome);
    if (typeof test !== 'string' || test === '' || !parsed.success) return undefined;
    tests.push({ test, file: typeof file === 'string' && file !== '' ? file : fileOf(test), outcome: parsed.data });
  }
  return tests;
}

/** The file that an id begins with, as most runners write it; else the id itself, which is no file of the coverage. */
function fileOf(test: string): string {
  return test.split(/::| > /, 1)[0] || test;
}
