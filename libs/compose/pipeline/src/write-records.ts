// One enveloped record per stage. Measured values go to `measured/`, so that every other file has the same bytes on a second run.
import type { TestRunReport } from '@h/contracts';
import type { Question } from './ask-model.ts';
import type { DiagnosisOutcome } from './diagnose-failure.ts';
import type { Observation } from './observe-failure.ts';
import type { Proposal } from './propose-candidates.ts';
import type { ProtectedPatch, Protection } from './protect-patches.ts';
import type { RunDirectory } from './run-directory.ts';

/** Writes the test reports, the spectrum, the ranking and its seed-exact projection. */
export async function writeDiagnosis(run: RunDirectory, outcome: DiagnosisOutcome): Promise<void> {
  if (outcome.status === 'nothing_failing') {
    await writeReport(run, 'test-run-report', outcome.baseline);
    if (outcome.observed !== undefined) await writeReport(run, 'test-run-report-with-coverage', outcome.observed);
    return;
  }
  const { baseline, observed, spectrum, report, probePoints } = outcome.diagnosis;
  await writeReport(run, 'test-run-report', baseline);
  await writeReport(run, 'test-run-report-with-coverage', observed);
  await run.writeRecord('spectrum', 'Spectrum', spectrum);
  await run.writeRecord('spectrum-report', 'SpectrumReport', report);
  await run.writeRecord('candidate-probe-points', 'CandidateProbePoints', probePoints);
}

/** Writes plan, divergence, slice and pack. The observed runs go to `raw/`: they are internal, and no model sees them. */
export async function writeObservation(run: RunDirectory, observation: Observation): Promise<void> {
  const { plan, trace, divergence, slice, ranking, pack, hypotheses, verdicts, question, runs } = observation;
  await run.writeRecord('probe-plan', 'ProbePlan', plan);
  await run.writeRecord('trace-plan', 'TracePlan', trace);
  await run.writeRecord('divergence-record', 'DivergenceRecord', divergence);
  await run.writeRecord('dynamic-slice', 'DynamicSlice', slice);
  await run.writeRecord('refined-ranking', 'RefinedRanking', ranking);
  if (pack !== undefined) await run.writeRecord('evidence-pack', 'EvidencePack', pack);
  if (hypotheses !== undefined) await run.writeRecord('hypothesis-set', 'HypothesisSet', hypotheses);
  for (const one of verdicts)
    await run.writeRecord(`hypothesis-verdicts/${verdicts.indexOf(one) + 1}`, 'HypothesisVerdict', one);
  await writeQuestion(run, question);
  for (const [index, observed] of runs.entries())
    await run.writeRecord(`raw/${index === 0 ? 'failing' : 'passing'}`, 'ObservedRun', observed);
}

/** Writes what was proposed for each statement, and the distinct candidates with everything that was rejected or collapsed. */
export async function writeProposal(run: RunDirectory, proposal: Proposal): Promise<void> {
  for (const [index, batch] of proposal.batches.entries()) {
    await run.writeRecord(`candidate-batches/${String(index + 1).padStart(2, '0')}`, 'CandidateBatch', batch);
  }
  await run.writeRecord('candidate-set', 'CandidateSet', proposal.set);
  if (proposal.asked !== undefined) await writeAsked(run, proposal.asked);
}

/** What a model was asked for candidates: the package, beside it where each field came from and what a cap cut, and the form chosen. */
async function writeAsked(run: RunDirectory, asked: NonNullable<Proposal['asked']>): Promise<void> {
  const { intent, notes, choice, question } = asked;
  if (intent !== undefined) await run.writeRecord('intent-package', 'IntentPackage', intent);
  if (notes !== undefined) await run.writeText('intent-package.notes.json', `${JSON.stringify(notes, null, 2)}\n`);
  if (choice !== undefined) await run.writeRecord('edit-choice', 'EditChoice', choice);
  await writeQuestion(run, question);
}

/** Writes each validation, and for each patch its diff, its test report and its ledger. */
export async function writeProtection(
  run: RunDirectory,
  { validation, patches, ranking, question }: Protection,
): Promise<void> {
  for (const one of validation.validations) {
    await run.writeRecord(`validations/${one.candidate_id.slice(0, 16)}`, 'CandidateValidation', one);
  }
  if (validation.batch !== undefined) await run.writeMeasured('validation', validation.batch);
  for (const patch of patches) await writePatch(run, patch, patches.indexOf(patch));
  await run.writeRecord('patch-ranking', 'PatchRanking', ranking);
  await writeQuestion(run, question);
}

async function writeQuestion(run: RunDirectory, question?: Question): Promise<void> {
  if (question?.outcome !== undefined)
    await run.writeRecord(`model-calls/${question.entry}`, 'ModelOutcome', question.outcome);
}

async function writePatch(run: RunDirectory, patch: ProtectedPatch, index: number): Promise<void> {
  const { record } = patch.candidate;
  const name = patchName(patch, index);
  const { encoding, data } = record.unified_diff;
  await run.writeText(`${name}.diff`, encoding === 'utf8' ? data : Buffer.from(data, 'base64'));
  await run.writeRecord(`${name}.ledger-entry`, 'LedgerEntry', patch.entry);
  await writeReport(run, `${name}.test-run-report`, patch.report);
}

/** `patches/01-0f3a9c2e`: place in the ranking and the start of the patch id. */
export function patchName({ candidate }: ProtectedPatch, index: number): string {
  return `patches/${String(index + 1).padStart(2, '0')}-${candidate.record.candidate_id.slice(0, 8)}`;
}

async function writeReport(run: RunDirectory, file: string, report: TestRunReport): Promise<void> {
  const tests = report.tests.map(({ duration_ms: _, ...stable }) => stable);
  await run.writeRecord(file, 'TestRunReport', { ...report, tests });
  await run.writeMeasured(
    file,
    report.tests.map(({ test, duration_ms }) => ({ test, duration_ms })),
  );
}
