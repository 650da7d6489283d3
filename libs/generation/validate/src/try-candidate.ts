// One candidate: failing tests first, in one execution; only if all of them pass, the whole suite in a second.
import type { CandidateValidation, RunTests, Sha, TestCommand, TestId, TestRunReport } from '@h/contracts';
import type { Claim } from './fund-executions.ts';
import { judgeRun, type TestExpectation } from './judge-run.ts';

/** What does not differ between candidates. */
export interface TestPlan {
  readonly expected: TestExpectation;
  /** Runs the failing tests; absent where there are none. */
  readonly failing?: TestCommand;
  /** Runs the whole suite, or what the candidate reaches of it; absent where no other test passed before. */
  readonly all?: TestCommand;
}

export type Trial =
  | { readonly kind: 'validated'; readonly validation: CandidateValidation; readonly report?: TestRunReport }
  /** The budget ended before it was decided. */
  | { readonly kind: 'unfunded' }
  | { readonly kind: 'aborted' };

export interface TrialPorts {
  readonly claim: Claim;
  readonly runTests: RunTests;
  /** Runs the failing tests, alone if need be. */
  readonly runFirst?: (alone: () => Promise<TestRunReport>) => Promise<TestRunReport>;
  readonly signal: AbortSignal;
}

const MAX_FIRST_FAILING = 20;

/** Runs a tree and judges it. Rejects only with what `runTests` rejects with while the signal is not aborted. */
export async function tryCandidate(
  candidate: { readonly candidate_id: Sha; readonly tree: Sha },
  plan: TestPlan,
  { claim, runTests, runFirst, signal }: TrialPorts,
): Promise<Trial> {
  const reports: TestRunReport[] = [];
  for (const [command, expected] of stepsOf(plan)) {
    if (!(await claim.spend())) return { kind: signal.aborted ? 'aborted' : 'unfunded' };
    const alone = () => runTests(command, candidate.tree, { signal });
    const isFirst = command === plan.failing && runFirst !== undefined;
    const report = await runUnlessAborted(() => (isFirst ? runFirst(alone) : alone()), signal);
    if (report === undefined) return { kind: 'aborted' };
    reports.push(report);
    const { status, broken } = judgeRun(report, expected);
    if (status !== 'plausible') {
      const validation = validationOf(candidate.candidate_id, status, claim.used(), broken);
      const last = expected === plan.expected;
      return { kind: 'validated', validation, ...(last ? { report: joinReports(reports) } : {}) };
    }
  }
  const validation = validationOf(candidate.candidate_id, 'plausible', claim.used(), []);
  return { kind: 'validated', validation, report: joinReports(reports) };
}

export function validationOf(
  candidate_id: Sha,
  status: CandidateValidation['status'],
  executions: number,
  broken: readonly TestId[],
): CandidateValidation {
  return { candidate_id, status, executions, first_failing: broken.slice(0, MAX_FIRST_FAILING) };
}

/** The commands in order, each with what it must show. */
function* stepsOf({ failing, all, expected }: TestPlan): Iterable<[TestCommand, TestExpectation]> {
  if (failing !== undefined) yield [failing, all === undefined ? expected : { ...expected, passing: [] }];
  if (all !== undefined) yield [all, expected];
}

async function runUnlessAborted<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    const result = await run();
    return signal.aborted ? undefined : result;
  } catch (cause) {
    if (signal.aborted) return undefined;
    throw cause;
  }
}

/** The last report, which covers every test that was to be run, with the ids of all executions it rests on. */
function joinReports(reports: readonly TestRunReport[]): TestRunReport {
  const last = reports.at(-1);
  if (last === undefined) throw new RangeError('no report to join');
  return { ...last, execution_ids: reports.flatMap(({ execution_ids }) => execution_ids) };
}
