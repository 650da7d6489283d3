// What must be shown to hold, and what shows it. Obligations come from impact analysis, never from the tests that exist
// (design/seeds.md, contradiction 8); tests are their evidence.
import type { Evidence, Obligation, RepoPath, TestId, TestRunReport } from '@h/contracts';
import {
  byCodeUnits,
  type ComparisonSubject,
  compareTestRuns,
  resultsOf,
  type UnprovenTest,
} from './compare-test-runs.ts';

/** What impact analysis found out. */
export interface ImpactFindings {
  readonly obligations: readonly {
    /** The unchanged contract, in words. */
    readonly behavior: string;
    /** The dependency edge it comes from: "SessionConfig -> SessionManager". */
    readonly impact_source: string;
    /** Tests whose outcome shows it. */
    readonly tests: readonly TestId[];
  }[];
}

export interface ObligationSubject extends ComparisonSubject {
  /** `not_analysed` leaves one untested obligation, so that the patch is at best UNPROVEN. */
  readonly impact: 'not_analysed' | ImpactFindings;
  /** The patch changes nothing, so there is no consumer to protect. */
  readonly emptyDiff?: boolean;
  /** Files the patch edits, deletes or renames. Tests in them prove nothing: the patch wrote them. */
  readonly changedFiles?: readonly RepoPath[];
}

export interface DerivedObligations {
  /** Those with evidence that discharges them, sorted by behavior. */
  readonly discharged: readonly Obligation[];
  /** Those without, sorted by behavior. */
  readonly untested: readonly Obligation[];
  /** Test files that the patch changed, sorted. */
  readonly editedTestFiles: readonly RepoPath[];
}

/** Whether evidence alone shows that a behaviour was kept: it passed before and after. */
export function discharges({ baseline, candidate }: Evidence): boolean {
  return baseline === 'passed' && candidate === 'passed';
}

/** Derives the obligations of a patch and sorts them into those that evidence discharges and those that nothing does. */
export function deriveObligations(subject: ObligationSubject): DerivedObligations {
  const editedTestFiles = testFilesAmong(subject.changedFiles ?? [], subject.baseline);
  const evidenceOf = gatherEvidence(subject, editedTestFiles);
  const derived = findingsOf(subject).map(({ behavior, impact_source, tests }) => ({
    obligation: { behavior, impact_source, evidence: [...tests].sort(byCodeUnits).flatMap(evidenceOf.shown) },
    counts: evidenceOf.discharged(tests),
  }));
  return {
    discharged: derived
      .filter(({ counts }) => counts)
      .map(({ obligation }) => obligation)
      .sort(byBehavior),
    untested: [
      ...derived.filter(({ counts }) => !counts).map(({ obligation }) => obligation),
      ...gaps(subject, editedTestFiles),
    ].sort(byBehavior),
    editedTestFiles,
  };
}

function findingsOf({ impact }: ObligationSubject): ImpactFindings['obligations'] {
  return impact === 'not_analysed' ? [] : impact.obligations;
}

/** What nobody looked at, each as an obligation without evidence. */
function gaps(subject: ObligationSubject, editedTestFiles: readonly RepoPath[]): Obligation[] {
  const { baseline, candidate, impact, emptyDiff } = subject;
  const found: Obligation[] = [];
  if (impact === 'not_analysed' && emptyDiff !== true)
    found.push({ behavior: 'consumers not analysed', evidence: [], impact_source: 'impact analysis has not run' });
  if (baseline.environment !== candidate.environment)
    found.push({
      behavior: 'baseline and candidate ran in different environments',
      evidence: [],
      impact_source: `${baseline.environment.slice(0, 12)} -> ${candidate.environment.slice(0, 12)}`,
    });
  for (const file of editedTestFiles)
    found.push({ behavior: `tests of ${file}`, evidence: [], impact_source: `${file} is changed by the patch` });
  return [...found, ...compareTestRuns(subject).unproven.map(gapOf)];
}

function gapOf({ test, baseline, candidate, rule }: UnprovenTest): Obligation {
  return { behavior: `outcome of ${test}`, evidence: [{ test, baseline, candidate }], impact_source: rule };
}

/** Reads evidence off the two reports. Flaky tests, edited tests and runs in different environments show nothing. */
function gatherEvidence({ baseline, candidate }: ObligationSubject, editedTestFiles: readonly RepoPath[]) {
  const before = resultsOf(baseline);
  const after = resultsOf(candidate);
  const edited = new Set(editedTestFiles);
  const comparable = baseline.environment === candidate.environment;

  function shown(test: TestId): Evidence[] {
    const [was, is] = [before.get(test), after.get(test)];
    if (was === undefined && is === undefined) return [];
    return [{ test, baseline: was?.outcome ?? 'missing', candidate: is?.outcome ?? 'missing' }];
  }

  function isSound(test: TestId): boolean {
    const results = [before.get(test), after.get(test)];
    return comparable && !results.some((result) => result?.flaky === true || edited.has(result?.file ?? ''));
  }

  /** One sound pass before and after, and no test that passed before and does not now. */
  function discharged(tests: readonly TestId[]): boolean {
    const contradicted = tests
      .flatMap(shown)
      .some(({ baseline, candidate }) => baseline === 'passed' && candidate !== 'passed');
    return !contradicted && tests.filter(isSound).flatMap(shown).some(discharges);
  }

  return { shown, discharged };
}

function testFilesAmong(changed: readonly RepoPath[], { tests }: TestRunReport): RepoPath[] {
  const files = new Set(tests.map(({ file }) => file));
  return [...new Set(changed)].filter((file) => files.has(file)).sort(byCodeUnits);
}

function byBehavior(a: Obligation, b: Obligation): number {
  return byCodeUnits(a.behavior, b.behavior) || byCodeUnits(a.impact_source, b.impact_source);
}
