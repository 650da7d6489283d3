import { existsSync, readFileSync } from 'node:fs';
import { envelope, type SpectrumReport, TestOutcome, type TestRunReport } from '@h/contracts';
import { projectProbePoints } from '@h/sbfl';
import type { Command } from 'commander';
import { badInput, EXIT } from '../errors.ts';
import { type CoverageSource, rankCoverage } from '../rank-coverage.ts';
import { openRecord, readJson } from './read-input.ts';

interface Flags {
  readonly results: string;
  readonly coverage?: string[];
  readonly repo?: string;
  readonly root?: string;
  readonly test?: string[];
  readonly json?: boolean;
  readonly points?: boolean;
}

const EXAMPLES = `
The result list is an h/test-run-report/1 or plain JSON: {"test_a": "passed", "test_b": "failed"}, or a list of
{"test": "test_a", "outcome": "passed"}. Coverage is coverage.py JSON (--show-contexts), LCOV (TN:), Istanbul or Cobertura.

Examples:
  $ h sbfl --results results.json --coverage coverage.json --repo .
  $ h sbfl --results results.json --coverage test_a=a.lcov test_b=b.lcov
  $ h sbfl --results .h/runs/<id>/test-run-report-with-coverage.json --json`;

/** Adds `sbfl`: ranks statements from files that other tools wrote; runs nothing. */
export function addSbflCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('sbfl')
    .helpGroup('One stage, records in and out:')
    .description('rank statements from a result list and coverage files, without running anything')
    .requiredOption('--results <file>', 'outcome per test ("-": stdin)')
    .option('--coverage <file...>', 'coverage with tests in it, or one file a test as ID=FILE')
    .option('--repo <dir>', 'the sources: lines become statements')
    .option('--root <path>', 'absolute path of the repository where the coverage was made')
    .option('--test <id...>', 'failing tests to explain (default: all that fail)')
    .option('--json', 'print the h/spectrum-report/1')
    .option('--points', 'print the h/candidate-probe-points/1: the first fifty')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const { report, warnings } = await rankCoverage({
        results: await readResults(flags.results),
        coverage: (flags.coverage ?? []).map(openCoverage),
        ...(flags.repo === undefined ? {} : { repo: flags.repo }),
        ...(flags.root === undefined ? {} : { root: flags.root }),
        ...(flags.test === undefined ? {} : { failing: flags.test }),
      });
      for (const warning of warnings) process.stderr.write(`h: ${warning}\n`);
      process.stdout.write(`${answerOf(report, flags)}\n`);
      finish(report.statements.length === 0 ? EXIT.nothingFailing : EXIT.patch);
    });
}

function answerOf(report: SpectrumReport, { json, points }: Flags): string {
  if (points === true) return JSON.stringify(envelope('CandidateProbePoints', projectProbePoints(report)));
  return json === true ? JSON.stringify(envelope('SpectrumReport', report)) : table(report);
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

const SHOWN = 20;

function table({ verdict, statements, excluded_tests, total_failed, total_passed }: SpectrumReport): string {
  if (statements.length === 0) return 'No failing test executed a statement: nothing to rank.';
  const head = `${total_failed} failing, ${total_passed} passing; ${statements.length} statements ran in a failing test${verdict === 'no_contrast' ? '; no test passes, so nothing tells them apart' : ''}`;
  const rows = statements.slice(0, SHOWN).map(({ rank, score, tier, tie_size, location }) => {
    const shown = tier === 'reserve' ? 0 : score;
    const why = tier === 'reserve' ? '  (every test runs it)' : '';
    return `${String(rank).padStart(4)}  ${shown.toFixed(3)}  ${String(tie_size).padStart(4)} tied  ${location}${why}`;
  });
  const left = excluded_tests.map(({ test, why }) => `left out: ${test}: ${why}`);
  return [
    head,
    ...rows,
    ...(statements.length > SHOWN ? [`      and ${statements.length - SHOWN} more`] : []),
    ...left,
  ].join('\n');
}
