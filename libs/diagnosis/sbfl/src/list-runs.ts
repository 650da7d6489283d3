import type { FileLines, RepoPath, TestId, TestOutcome, TestResult, TestRunReport } from '@h/contracts';
import { isFailing } from './build-spectrum.ts';
import { duplicateTest, unknownTest } from './errors.ts';

/** A test, or a file that could not be collected. */
export interface Run {
  readonly id: TestId;
  readonly outcome: TestOutcome;
  readonly file: RepoPath | undefined;
  /** What it executed; of a file that could not be collected see `loading`. */
  readonly coverage: readonly FileLines[];
  /** It failed while modules were loaded: it executed what ran then, and no test of it ever ran. */
  readonly loading: boolean;
}

export interface Exclusion {
  readonly test: TestId;
  readonly why: string;
}

export interface RunChoice {
  /** Failing tests to explain; the others that fail are excluded. All that fail, and every collection error, when absent. */
  readonly failing?: readonly TestId[];
  /** Tests not to count, with the reason to give. */
  readonly exclude?: readonly Exclusion[];
}

/** Which runs of a report count, and why the others do not. Throws `unknown_test`, `duplicate_test`. */
export function listRuns(report: TestRunReport, choice: RunChoice): { runs: Run[]; excluded: Exclusion[] } {
  const candidates = [...report.tests.map(testRun), ...uncollected(report)];
  requireDistinct(candidates);
  requireKnown(candidates, choice.failing ?? []);
  const excluded = new Map((choice.exclude ?? []).map(({ test, why }) => [test, why]));
  const runs: Run[] = [];
  for (const { run, uncounted, unasked } of candidates) {
    const asked = choice.failing === undefined || !isFailing(run.outcome) || choice.failing.includes(run.id);
    const why = excluded.get(run.id) ?? (asked ? uncounted : unasked);
    if (why === undefined) runs.push(run);
    else excluded.set(run.id, why);
  }
  return { runs, excluded: [...excluded].map(([test, why]) => ({ test, why })) };
}

interface Candidate {
  readonly run: Run;
  /** Why it cannot be counted even where it is asked for. */
  readonly uncounted: string | undefined;
  /** Why it is not counted where other failing tests are asked for. */
  readonly unasked: string;
}

function testRun({ test, file, outcome, coverage }: TestResult): Candidate {
  const decided = isFailing(outcome) || outcome === 'passed';
  return {
    run: { id: test, outcome, file, coverage: coverage ?? [], loading: false },
    uncounted: decided && coverage === undefined ? 'no coverage was recorded' : undefined,
    unasked: 'fails too, but is not one of the failing tests asked for',
  };
}

function uncollected({ tests, collection_errors, import_coverage }: TestRunReport): Candidate[] {
  const ids = new Set(tests.map(({ test }) => test));
  return collection_errors.flatMap(({ file, message }, index) => {
    const id = file ?? `collection error ${index + 1}`;
    if (ids.has(id)) return [];
    ids.add(id);
    const unasked = `could not be collected (${message.split('\n', 1)[0]})`;
    return {
      run: { id, outcome: 'error', file, coverage: [], loading: true },
      uncounted: import_coverage === undefined ? `${unasked}, and no coverage was recorded` : undefined,
      unasked,
    };
  });
}

function requireDistinct(candidates: readonly Candidate[]): void {
  const ids = new Set<TestId>();
  for (const { run } of candidates) {
    if (ids.has(run.id)) throw duplicateTest(run.id);
    ids.add(run.id);
  }
}

function requireKnown(candidates: readonly Candidate[], failing: readonly TestId[]): void {
  const ids = new Set(candidates.map(({ run }) => run.id));
  for (const id of failing) if (!ids.has(id)) throw unknownTest(id);
}
