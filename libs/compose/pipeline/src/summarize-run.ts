import { parseLoc, type RunOutcome, type RunSummary, type TestRunReport } from '@h/contracts';
import type { Question } from './ask-model.ts';
import { decodeSource } from './decode-source.ts';
import type { Diagnosis, DiagnosisOutcome } from './diagnose-failure.ts';
import { lineAt } from './line-at.ts';
import type { Observation } from './observe-failure.ts';
import type { Session } from './open-session.ts';
import type { Candidate, Proposal } from './propose-candidates.ts';
import { type Protection, testFilesOf } from './protect-patches.ts';
import type { RunDirectory } from './run-directory.ts';
import { summarizeObservation } from './summarize-observation.ts';
import { VERSION } from './version.ts';
import { patchName } from './write-records.ts';

export interface FinishedRun {
  readonly command: string;
  readonly outcome: DiagnosisOutcome;
  readonly observation?: Observation;
  readonly proposal?: Proposal;
  readonly protection?: Protection;
  readonly outcome_name: RunOutcome;
  readonly exit_code: number;
}

/** Stages of the design that do not exist yet: said in every summary, never pretended. */
const NOT_BUILT = [
  'impact analysis: consumers are not analysed, so no patch is better than UNPROVEN',
  'behaviour net and surface gates',
];

/** Collects what the stages said into one record without measured values. */
export async function summarize(session: Session, run: RunDirectory, finished: FinishedRun): Promise<RunSummary> {
  const { outcome, observation, proposal, protection } = finished;
  const questions = [observation?.question, proposal?.asked?.question, protection?.question].filter(
    (one) => one !== undefined,
  );
  const diagnosis = outcome.status === 'failing' ? outcome.diagnosis : undefined;
  const { runner, cwd, reason } = session.detection;
  return {
    run_id: run.id,
    h_version: VERSION,
    command: finished.command,
    outcome: finished.outcome_name,
    exit_code: finished.exit_code,
    tree: session.repository.tree,
    environment: session.environment,
    runner: { name: runner, cwd, reason },
    isolation: { ...session.isolation, downgrades: [...session.isolation.downgrades] },
    tests: countTests(outcome),
    ...(diagnosis === undefined ? {} : { localization: localization(diagnosis, observation) }),
    ...(proposal === undefined ? {} : { candidates: countCandidates(proposal, protection) }),
    ...(finished.observation === undefined || diagnosis === undefined
      ? {}
      : {
          observation: summarizeObservation(
            finished.observation,
            await sourcesOf(session, finished.observation, diagnosis.sources),
          ),
        }),
    ...(questions.length === 0 ? {} : { model: questions.map(told) }),
    patches: protection === undefined ? [] : listPatches(protection),
    not_built: NOT_BUILT,
    warnings: [
      ...session.warnings,
      ...(diagnosis?.warnings ?? []),
      ...reportNotes(outcome),
      ...observationNotes(observation),
      ...refusals(proposal),
      ...changedTests(outcome, proposal, protection),
      ...(protection?.unconfirmed ?? []).map((one) => `plausible once, not when run again, and left out: ${one}`),
    ],
    files: [...run.files(), 'run-summary.json', 'summary.md'].sort(),
  };
}

function told({ entry, status, detail }: Question) {
  return { entry, status, ...(detail === undefined ? {} : { detail }) };
}

function countTests(outcome: DiagnosisOutcome): RunSummary['tests'] {
  const { tests } = outcome.status === 'failing' ? outcome.diagnosis.baseline : outcome.baseline;
  const passed = tests.filter((test) => test.outcome === 'passed').length;
  const failing = outcome.status === 'failing' ? [...outcome.diagnosis.failing] : [];
  const excluded = [...(outcome.status === 'failing' ? outcome.diagnosis.excluded : outcome.excluded)];
  return { total: tests.length, passed, failing, other: tests.length - passed - failing.length, excluded };
}

function reportNotes(outcome: DiagnosisOutcome): string[] {
  const reports =
    outcome.status === 'failing' ? [outcome.diagnosis.baseline, outcome.diagnosis.observed] : [outcome.baseline];
  const errors =
    reports[0]?.collection_errors.map(
      ({ file, message }) => `not collected: ${file ?? ''} ${message.split('\n', 1)[0]}`,
    ) ?? [];
  return [...new Set([...reports.flatMap(({ notes }) => notes ?? []), ...errors, ...notRun(reports[0])])];
}

/** Why a patch that the caller brought was not applied; templates that do not fit are no news. */
function refusals(proposal?: Proposal): string[] {
  if (proposal?.external !== true) return [];
  return proposal.set.rejected.map(({ candidate_id, reason, path, nearest, diagnostics }) => {
    const where = path === undefined ? '' : ` in ${path}`;
    const near = nearest === undefined ? '' : `; nearest are lines ${nearest.span.join(' to ')} (${nearest.cause})`;
    const [first] = diagnostics ?? [];
    const said = first === undefined ? '' : `: line ${first.line}: ${first.message}`;
    return `candidate ${candidate_id.slice(0, 8)} was not applied: ${reason}${where}${near}${said}`;
  });
}

/** The sources of the ranking, and those of the slice beside them: the failing test's file is not ranked. */
async function sourcesOf(session: Session, { slice }: Observation, known: ReadonlyMap<string, string>) {
  const sources = new Map(known);
  for (const file of new Set(slice.slice.map(({ location }) => parseLoc(location).file))) {
    const text = sources.has(file) ? undefined : await readSource(session, file);
    if (text !== undefined) sources.set(file, text);
  }
  return sources;
}

function readSource({ repository }: Session, file: string): Promise<string | undefined> {
  return repository.reader.read(file).then(decodeSource, () => undefined);
}

function observationNotes(observation?: Observation): string[] {
  if (observation === undefined) return [];
  const notes = new Set(observation.runs.flatMap((run) => run.notes));
  const rejected = observation.violations.map((one) => `the gate rejected the evidence: ${one}`);
  return [...[...notes].map((note) => `observing: ${note}`), ...rejected];
}

/**
 * Candidates that change tests: those ran as they were before, so that no patch is judged by tests of its own. Tests inside a program cannot be kept
 * apart from it; that is said of what is handed over, and of what the caller brought.
 */
function changedTests(outcome: DiagnosisOutcome, proposal?: Proposal, protection?: Protection): string[] {
  if (outcome.status !== 'failing') return [];
  const { tests, mixed } = testFilesOf(outcome.diagnosis);
  const handed = new Set(protection?.patches.map(({ candidate }) => candidate.record.candidate_id));
  return (proposal?.candidates ?? []).flatMap(({ record, changes }) => {
    const id = record.candidate_id.slice(0, 8);
    const among = (files: ReadonlySet<string>) => changes.map(({ path }) => path).filter((path) => files.has(path));
    const [kept, own] = [among(tests), among(mixed)];
    const isShown = proposal?.external === true || handed.has(record.candidate_id);
    return [
      ...(kept.length === 0
        ? []
        : [`candidate ${id} changes tests (${kept.join(', ')}): they ran as they were before`]),
      ...(own.length === 0 || !isShown
        ? []
        : [`candidate ${id} changes ${own.join(', ')}, which hold tests too: those were run as it has them`]),
    ];
  });
}

const NAMED_TESTS = 10;

/** Tests that neither passed nor failed for a reason worth a look. */
function notRun(report: TestRunReport | undefined): string[] {
  const tests = report?.tests.filter(({ outcome }) => outcome === 'not_run').map(({ test }) => test) ?? [];
  const shown = tests.slice(0, NAMED_TESTS).map((test) => `did not run: ${test}`);
  return tests.length > NAMED_TESTS ? [...shown, `and ${tests.length - NAMED_TESTS} more did not run`] : shown;
}

const SHOWN_STATEMENTS = 50;

/** Statements that hold state; in the order of the observation where there is one. */
function localization(
  { report, probePoints, sources }: Diagnosis,
  observation?: Observation,
): NonNullable<RunSummary['localization']> {
  const ranked = new Map(report.statements.map((one) => [one.location, one]));
  const describe = (location: string, rank: number) => {
    const { tie_size = 1, tier, score = 0 } = ranked.get(location) ?? {};
    const suspiciousness = tier === 'reserve' ? 0 : score;
    return { rank, location, suspiciousness, tie_size, text: lineAt(sources, location) };
  };
  const observed = observation?.ranking.statements
    .filter(({ location }) => (ranked.get(location)?.kind ?? 'statement') === 'statement')
    .slice(0, SHOWN_STATEMENTS)
    .map(({ location, spectrum_rank, depth }, index) => ({
      ...describe(location, index + 1),
      spectrum_rank,
      ...(depth === undefined ? {} : { depth }),
    }));
  const top = observed ?? probePoints.candidate_probe_points.map(({ rank, location }) => describe(location, rank));
  return { verdict: report.verdict, statements: report.statements.length, top };
}

function countCandidates(
  { proposed, set, candidates }: Proposal,
  protection?: Protection,
): NonNullable<RunSummary['candidates']> {
  const validations = protection?.validation.validations ?? [];
  const count = (status: string) => validations.filter((one) => one.status === status).length;
  return {
    proposed,
    parsing: proposed - set.rejected.length,
    distinct: candidates.length,
    validated: validations.length,
    plausible: protection?.patches.filter(({ validation }) => validation.status === 'plausible').length ?? 0,
    neighbour_broken: count('neighbour_broken'),
    executions: protection?.validation.executions ?? 0,
    stopped: protection?.validation.stopped ?? 'not validated',
    first: candidates
      .slice(0, 20)
      .map((candidate) => ({ candidate_id: candidate.record.candidate_id, ...placeOf(candidate) })),
  };
}

const DIFF_CHARACTERS = 4096;

function placeOf({ path, line, origin, record }: Candidate) {
  const { encoding, data } = record.unified_diff;
  const diff = encoding === 'utf8' ? data.slice(0, DIFF_CHARACTERS) : 'not UTF-8: see the file';
  return { path, line, origin, diff };
}

function listPatches({ patches }: Protection): RunSummary['patches'] {
  return patches.map((patch, index) => {
    const { ledger, fix } = patch.entry;
    return {
      patch_id: ledger.patch_id,
      file: `${patchName(patch, index)}.diff`,
      ...placeOf(patch.candidate),
      validation: patch.validation.status,
      regression_status: ledger.regression_status,
      obligations: ledger.obligations.length,
      untested_obligations: ledger.untested_obligations.length,
      unexpected_differences: ledger.unexpected_differences.length,
      tests_not_run: patch.entry.skip_log.length,
      fix: fix.verdict,
    };
  });
}
