import type { ObservedRun, TestResult, TestRunReport } from '@h/contracts';
import { assemblePack, checkClaim, judgeHypotheses, selectSlice } from '@h/evidence';
import { planProbes, planTrace } from '@h/instrument';
import { chooseSibling, compareRuns, dynamicSlice } from '@h/slice';
import { compareReports, runSuite } from '@h/test-runners';
import type { Command } from 'commander';
import { nearestIds } from '../../diagnose-failure.ts';
import { badInput, EXIT, unknownTest } from '../../errors.ts';
import { observeTestOf, placeOf, pointsInQuestion, readShape } from '../../observe-failure.ts';
import { readRecord } from '../read-input.ts';
import { addStageCommand, type SessionFlags, withSession } from './stage-command.ts';

type Finish = (exitCode: number) => void;

/** Adds `test`, `plan`, `observe`, `slice` and `evidence`. */
export function addDiagnosisStages(program: Command, finish: Finish): void {
  addTest(program, finish);
  addPlan(program, finish);
  addObserve(program, finish);
  addSlice(program, finish);
  addEvidence(program, finish);
}

function addTest(program: Command, finish: Finish): void {
  addStageCommand<SessionFlags & { test?: string[]; coverage?: boolean }>(program, finish, {
    name: 'test',
    description: 'run tests in the sandbox → h/test-run-report',
    options: (command) =>
      withSession(command)
        .option('--test <id...>', 'tests to run (default: all)')
        .option('--coverage', 'record which statements each test executes'),
    example: 'h test --repo shop --coverage > report.json',
    async run(flags, io) {
      const session = await io.open(flags);
      const options = { coverage: flags.coverage === true, signal: io.signal };
      const report = await runSuite(session.suite, session.host, {
        ...options,
        ...(flags.test === undefined ? {} : { tests: flags.test }),
      });
      for (const test of flags.test ?? []) resultOf(report, test);
      io.write('TestRunReport', report);
      return report.tests.length === 0 ? EXIT.usage : EXIT.patch;
    },
  });
}

interface PlanFlags extends SessionFlags {
  readonly results: string;
  readonly points?: string;
  readonly hypotheses?: string;
  readonly test: string;
}

function addPlan(program: Command, finish: Finish): void {
  addStageCommand<PlanFlags>(program, finish, {
    name: 'plan',
    description: 'h/test-run-report with coverage, h/candidate-probe-points → h/probe-plan, h/trace-plan',
    options: (command) =>
      withSession(command)
        .requiredOption('--results <file>', 'the h/test-run-report, with coverage')
        .requiredOption('--test <id>', 'the failing test')
        .option('--points <file>', 'the h/candidate-probe-points')
        .option('--hypotheses <file>', 'an h/hypothesis-set: its points come first'),
    example: 'h plan --repo shop --results report.json --points points.json --test tests/test_cart.py::test_total',
    async run(flags, io) {
      const session = await io.open(flags);
      const { data: report } = await readRecord(flags.results, 'TestRunReport');
      const failing = resultOf(report, flags.test);
      if (!compareReports(report, report).failing.includes(flags.test))
        throw badInput(`${flags.test} does not fail: it ${failing.outcome}.`, 'Name a failing test of the report.');
      const files = (failing.coverage ?? []).map(({ file }) => file);
      const shape = await readShape(session, [...files, failing.file]);
      const points =
        flags.points === undefined ? undefined : (await readRecord(flags.points, 'CandidateProbePoints')).data;
      const set =
        flags.hypotheses === undefined ? undefined : (await readRecord(flags.hypotheses, 'HypothesisSet')).data;
      const plan = planProbes({
        ...shape,
        ...(points === undefined ? {} : { candidates: points }),
        ...(failing.failure === undefined ? {} : { failure: failing.failure }),
        ...(set === undefined ? {} : { hypotheses: set }),
      });
      const places = plan.probe_points.map(({ location }) => placeOf(shape.outlines, location));
      const sibling = chooseSibling(failing, report, places);
      const tests = [failing.test, ...('test' in sibling ? [sibling.test] : [])];
      io.write('ProbePlan', plan);
      const { coverage: executed = [], failure } = failing;
      io.write('TracePlan', planTrace(plan, { ...shape, tests, frames: failure?.frames ?? [], executed }));
      process.stderr.write(`sibling: ${'test' in sibling ? `${sibling.test}. ${sibling.why}` : sibling.none}\n`);
      return EXIT.patch;
    },
  });
}

function resultOf({ tests }: TestRunReport, wanted: string): TestResult {
  const found = tests.find(({ test }) => test === wanted);
  if (found === undefined)
    throw unknownTest(
      wanted,
      nearestIds(
        wanted,
        tests.map(({ test }) => test),
      ),
    );
  if (found.outcome === 'not_run')
    throw badInput(
      `${wanted} did not run.`,
      'Either it is no test of this repository, or the process ended before it: h test shows which there are.',
    );
  return found;
}

interface ObserveFlags extends SessionFlags {
  readonly plan: string;
  readonly trace: string;
  readonly test: string;
  readonly ordinal?: string;
}

function addObserve(program: Command, finish: Finish): void {
  addStageCommand<ObserveFlags>(program, finish, {
    name: 'observe',
    description: 'h/probe-plan, h/trace-plan, a test → h/observed-run',
    options: (command) =>
      withSession(command)
        .requiredOption('--plan <file>', 'the h/probe-plan')
        .requiredOption('--trace <file>', 'the h/trace-plan')
        .requiredOption('--test <id>', 'the test to observe')
        .option('--ordinal <n>', 'tells runs of the same test apart', '0'),
    example:
      'h observe --repo shop --plan plan.json --trace trace.json --test tests/test_cart.py::test_total > failing.json',
    async run(flags, io) {
      const session = await io.open(flags);
      const { data: plan } = await readRecord(flags.plan, 'ProbePlan');
      const { data: trace } = await readRecord(flags.trace, 'TracePlan');
      const wanted = { plan, trace, test: flags.test, ordinal: Number(flags.ordinal) };
      const run = await observeTestOf(session, wanted, io.signal);
      io.write('ObservedRun', run);
      if (run.outcome !== 'not_run') return EXIT.patch;
      process.stderr.write(
        `h: ${flags.test} did not run: ${run.notes.join('; ') || 'the runner has no test of this name'}\n`,
      );
      return EXIT.noPatch;
    },
  });
}

interface SliceFlags {
  readonly failing: string[];
  readonly passing?: string[];
}

function addSlice(program: Command, finish: Finish): void {
  addStageCommand<SliceFlags>(program, finish, {
    name: 'slice',
    description: 'h/observed-run of a failing and a passing test, each twice → h/divergence-record, h/dynamic-slice',
    options: (command) =>
      command
        .requiredOption('--failing <file...>', 'the failing test, observed twice')
        .option('--passing <file...>', 'the passing test, observed twice'),
    example: 'h slice --failing f0.json f1.json --passing p0.json p1.json',
    async run({ failing: failingFiles, passing: passingFiles = [] }, io) {
      const [failing, failingAgain] = await readRuns(failingFiles);
      const [passing, passingAgain] = await readRuns(passingFiles);
      if (failing === undefined) throw badInput('No failing run is given.', 'Name one or two files with --failing.');
      const sibling = passing === undefined ? undefined : { test: passing.test, why: 'chosen by the caller' };
      const divergence = compareRuns({ failing, failingAgain, passing, passingAgain, sibling });
      io.write('DivergenceRecord', divergence);
      io.write('DynamicSlice', dynamicSlice(divergence, failing));
      return EXIT.patch;
    },
  });
}

async function readRuns(files: readonly string[]): Promise<ObservedRun[]> {
  const runs: ObservedRun[] = [];
  for (const file of files) runs.push((await readRecord(file, 'ObservedRun')).data);
  return runs;
}

interface EvidenceFlags {
  readonly divergence?: string;
  readonly plan?: string;
  readonly slice?: string;
  readonly runs?: string[];
  readonly pack?: string;
  readonly claim?: string[];
  readonly hypotheses?: string;
  readonly ranking?: string;
}

function addEvidence(program: Command, finish: Finish): void {
  addStageCommand<EvidenceFlags>(program, finish, {
    name: 'evidence',
    description:
      'h/divergence-record, h/dynamic-slice, runs → h/evidence-pack; or a pack, claims, hypotheses → h/claim-check, h/hypothesis-verdict',
    options: (command) =>
      command
        .option('--divergence <file>', 'the h/divergence-record')
        .option('--slice <file>', 'the h/dynamic-slice')
        .option('--runs <file...>', 'the observed runs: the failing one, and the passing one')
        .option('--ranking <file>', 'an h/refined-ranking: what the pack shows first')
        .option('--pack <file>', 'an h/evidence-pack to check against')
        .option('--claim <file...>', 'an h/claim to check')
        .option(
          '--hypotheses <file>',
          'an h/hypothesis-set: to judge (with --runs, else none is struck out), or to show the points of',
        )
        .option('--plan <file>', 'the h/probe-plan that was made for the hypotheses: where their points are'),
    example: 'h evidence --divergence d.json --slice s.json --runs f0.json p0.json > pack.json',
    async run(flags, io) {
      if (flags.pack !== undefined && flags.claim === undefined && flags.hypotheses === undefined)
        throw badInput('Nothing to check against the pack.', 'Give --claim or --hypotheses.');
      if (flags.pack !== undefined) return checkAgainst(flags.pack, flags, io.write);
      if (flags.divergence === undefined || flags.slice === undefined)
        throw badInput('Nothing to assemble.', 'Give either --divergence, --slice and --runs, or --pack.');
      const parts = {
        divergence: (await readRecord(flags.divergence, 'DivergenceRecord')).data,
        slice: (await readRecord(flags.slice, 'DynamicSlice')).data,
        runs: await readRuns(flags.runs ?? []),
      };
      const ranked =
        flags.ranking === undefined ? [] : (await readRecord(flags.ranking, 'RefinedRanking')).data.statements;
      const asked =
        flags.hypotheses === undefined ? undefined : (await readRecord(flags.hypotheses, 'HypothesisSet')).data;
      const plan = flags.plan === undefined ? { probe_points: [] } : (await readRecord(flags.plan, 'ProbePlan')).data;
      const slice = selectSlice(parts, {
        order: ranked.map(({ location }) => location),
        points: pointsInQuestion(plan, asked),
      });
      const assembled = assemblePack({ ...parts, slice });
      if (assembled.status === 'gated') {
        io.write('EvidencePack', assembled.pack);
        return EXIT.patch;
      }
      for (const violation of assembled.violations)
        process.stderr.write(`h: the gate rejects: ${JSON.stringify(violation)}\n`);
      return EXIT.noPatch;
    },
  });
}

async function checkAgainst(
  file: string,
  flags: EvidenceFlags,
  write: Parameters<Parameters<typeof addStageCommand>[2]['run']>[1]['write'],
) {
  const { data: pack } = await readRecord(file, 'EvidencePack');
  let unsupported = 0;
  for (const one of flags.claim ?? []) {
    const check = checkClaim(pack, (await readRecord(one, 'Claim')).data);
    if (check.verdict !== 'supported') unsupported += 1;
    write('ClaimCheck', check);
  }
  if (flags.hypotheses !== undefined) {
    const runs = await readRuns(flags.runs ?? []);
    const failing = runs.find((run) => run.outcome !== 'passed' && pack.execution_ids.includes(run.execution_id));
    const { data: set } = await readRecord(flags.hypotheses, 'HypothesisSet');
    const verdicts = judgeHypotheses(pack, set, { runs, execution_id: failing?.execution_id });
    for (const verdict of verdicts) write('HypothesisVerdict', verdict);
    if (verdicts.some(({ why }) => why === 'run_not_given'))
      process.stderr.write(
        'h: a pack shows one step of a statement that may have run often: it alone strikes no hypothesis out. Give its runs with --runs.\n',
      );
  }
  return unsupported === 0 ? EXIT.patch : EXIT.noPatch;
}
