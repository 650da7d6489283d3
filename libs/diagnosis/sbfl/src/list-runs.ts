// Which runs make the failing and the passing set: a spectrum is worth what these are.
import type { FileLines, RepoPath, TestId, TestOutcome, TestRunReport } from '@h/contracts';
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

/** What is read of a run of the tests; a `TestRunReport` is one. */
export interface TestedRuns {
  readonly tests: readonly {
    readonly test: TestId;
    readonly outcome: TestOutcome;
    readonly file?: RepoPath;
    readonly coverage?: readonly FileLines[];
    readonly flaky?: boolean;
  }[];
  readonly collection_errors: readonly { readonly file?: RepoPath; readonly message: string }[];
  readonly import_coverage?: readonly FileLines[];
}

export interface RunChoice {
  /** Failing tests to explain; the others that fail are excluded. All that fail, and every collection error, when absent. */
  readonly failing?: readonly TestId[];
  /** Tests not to count, with the reason to give. */
  readonly exclude?: readonly Exclusion[];
  /**
   * The run without the change: what fails there too is not the change's doing and is excluded by name, unless `failing` asks for it; what is
   * flaky there is excluded as well.
   */
  readonly before?: Pick<TestRunReport, 'tests' | 'collection_errors'>;
}

/** Which runs of a report count, and why the others do not. Throws `unknown_test`, `duplicate_test`. */
export function listRuns(report: TestedRuns, choice: RunChoice): { runs: Run[]; excluded: Exclusion[] } {
  const candidates = [...report.tests.map(testRun), ...uncollected(report)];
  requireDistinct(candidates);
  requireKnown(candidates, choice.failing ?? []);
  const excluded = new Map((choice.exclude ?? []).map(({ test, why }) => [test, why]));
  const whyNot = reasonsAgainst(choice);
  const runs: Run[] = [];
  for (const candidate of candidates) {
    const why = excluded.get(candidate.run.id) ?? whyNot(candidate);
    if (why === undefined) runs.push(candidate.run);
    else excluded.set(candidate.run.id, why);
  }
  return { runs, excluded: [...excluded].map(([test, why]) => ({ test, why })) };
}

function reasonsAgainst({ failing, before }: RunChoice): (candidate: Candidate) => string | undefined {
  const failedBefore = new Set([
    ...(before?.tests ?? []).flatMap(({ test, outcome }) => (isFailing(outcome) ? [test] : [])),
    ...(before?.collection_errors ?? []).flatMap(({ file }) => file ?? []),
  ]);
  const flakyBefore = new Set((before?.tests ?? []).flatMap(({ test, flaky }) => (flaky === true ? [test] : [])));
  const wanted = failing === undefined ? undefined : new Set(failing);
  return ({ run, flaky, uncounted, unasked }) => {
    if (flaky) return 'flaky: run again it ended otherwise';
    if (flakyBefore.has(run.id)) return 'flaky without the change';
    if (isFailing(run.outcome) && wanted?.has(run.id) !== true) {
      if (failedBefore.has(run.id)) return 'fails without the change too';
      if (wanted !== undefined) return unasked;
    }
    return uncounted;
  };
}

interface Candidate {
  readonly run: Run;
  readonly flaky: boolean;
  /** Why it cannot be counted even where it is asked for. */
  readonly uncounted: string | undefined;
  /** Why it is not counted where other failing tests are asked for. */
  readonly unasked: string;
}

function testRun({ test, file, outcome, coverage, flaky }: TestedRuns['tests'][number]): Candidate {
  const decided = isFailing(outcome) || outcome === 'passed';
  return {
    run: { id: test, outcome, file, coverage: coverage ?? [], loading: false },
    flaky: flaky === true,
    uncounted: decided && coverage === undefined ? 'no coverage was recorded' : undefined,
    unasked: 'fails too, but is not one of the failing tests asked for',
  };
}

function uncollected({ tests, collection_errors, import_coverage }: TestedRuns): Candidate[] {
  const ids = new Set(tests.map(({ test }) => test));
  return collection_errors.flatMap(({ file, message }, index) => {
    const id = file ?? `collection error ${index + 1}`;
    if (ids.has(id)) return [];
    ids.add(id);
    const unasked = `an error outside any test (${message.split('\n', 1)[0]})`;
    return {
      run: { id, outcome: 'error', file, coverage: [], loading: true },
      flaky: false,
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
