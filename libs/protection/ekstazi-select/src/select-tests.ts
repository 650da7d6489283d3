// The smallest set of tests that is safe for a change, as far as what was recorded tells.
import type { RegressionSelection, RepoPath, Sha, TestId, TestRunReport } from '@h/contracts';
import { compareTrees, order, type PathIdentity, type TreeDifference } from './compare-trees.ts';
import { duplicateTest, invalidBudget } from './errors.ts';
import { GLOBAL_FILES, type GlobalFile, globalChanges } from './global-files.ts';
import { andMore, createJudge, type Ground, type Judgement } from './judge-tests.ts';

export interface SelectionInput {
  /** An observed run of all tests, with dependencies. Absent: every test is selected. */
  readonly baseline?: TestRunReport | undefined;
  /** The tree of the baseline. */
  readonly before: readonly PathIdentity[];
  /** The tree to test. */
  readonly after: readonly PathIdentity[];
  /** The tests that the tree to test has, listed anew. Absent: those of the baseline; tests that are new are then not known. */
  readonly tests?: readonly { readonly test: TestId; readonly file: RepoPath }[] | undefined;
  /** Environment of the run to come; another than the baseline's selects every test. */
  readonly environment?: Sha | undefined;
  readonly budget?: SelectionBudget | undefined;
  /** Default `GLOBAL_FILES`. */
  readonly globalFiles?: readonly GlobalFile[] | undefined;
}

/** What may run at most. What does not fit is listed as `unrun-by-budget`, and the selection is not safe. */
export interface SelectionBudget {
  /** Whole number from 0. */
  readonly tests?: number;
  /** Milliseconds, by the durations of the baseline; a test without one counts as the mean of the others. */
  readonly wallMs?: number;
}

/**
 * Selects every test that the difference of the trees may reach, and lists every other one with the hashes that allow the
 * skip. Order: failed at the baseline, reached by the change (fewest files first), new, of unknown dependencies, and those
 * that only a global change selects; then by id. Linear in the recorded dependencies. Throws `duplicate_test`,
 * `duplicate_path`, `invalid_budget`.
 */
export function selectTests(input: SelectionInput): RegressionSelection {
  const difference = compareTrees(input.before, input.after);
  const everywhere = [...environmentChange(input), ...globalChanges(difference, input.globalFiles ?? GLOBAL_FILES)];
  const judgements = judgeAll(input, difference, everywhere);
  const reached = judgements.filter(({ reasons }) => reasons.length > 0).sort(inRunOrder);
  const kept = withinBudget(reached, input.budget);
  const unsafe = whyUnsafe(input, difference, judgements, reached.length - kept.length);
  return {
    selected: reached
      .slice(0, kept.length)
      .map(({ test, reasons: [first, ...more] }) => ({ test, why: `${first?.why}${andMore(more.length)}` })),
    skipped: [
      ...judgements.filter(({ reasons }) => reasons.length === 0).map(createSkip()),
      ...reached.slice(kept.length).map(({ test }) => ({ test, reason: 'unrun-by-budget' as const })),
    ].sort((a, b) => order(a.test, b.test)),
    closure: closureOf(difference, reached),
    safe: unsafe.length === 0,
    ...(unsafe.length === 0 ? {} : { why_unsafe: unsafe }),
  };
}

function environmentChange({ baseline, environment }: SelectionInput): string[] {
  return baseline === undefined || environment === undefined || environment === baseline.environment
    ? []
    : ['the environment is another than at the baseline'];
}

/** Every test of the baseline and of the list, once. */
function judgeAll(input: SelectionInput, difference: TreeDifference, everywhere: readonly string[]): Judgement[] {
  const judge = createJudge(difference, everywhere);
  const found = new Map<TestId, Judgement>();
  const listed = input.tests === undefined ? undefined : new Set(input.tests.map(({ test }) => test));
  for (const result of input.baseline?.tests ?? []) {
    if (found.has(result.test)) throw duplicateTest(result.test);
    const judgement = judge(result);
    const gone = listed !== undefined && !listed.has(result.test);
    found.set(result.test, gone ? withReason(judgement, 'unknown', 'it is no longer among the tests') : judgement);
  }
  const why = input.baseline === undefined ? 'there is no baseline' : 'it is new';
  for (const { test } of input.tests ?? [])
    if (!found.has(test)) found.set(test, { test, stale: false, reasons: [{ ground: 'new', why }] });
  return [...found.values()];
}

function withReason(judgement: Judgement, ground: Ground, why: string): Judgement {
  return { ...judgement, reasons: [...judgement.reasons, { ground, why }] };
}

const RANK: Record<Ground, number> = { failed: 0, changed: 1, new: 2, unknown: 3, global: 4 };

function inRunOrder(a: Judgement, b: Judgement): number {
  return rankOf(a) - rankOf(b) || sizeOf(a) - sizeOf(b) || order(a.test, b.test);
}

function rankOf({ reasons: [first] }: Judgement): number {
  return RANK[first?.ground ?? 'global'];
}

function sizeOf({ result }: Judgement): number {
  return result?.dependencies?.files.length ?? 0;
}

function withinBudget(reached: readonly Judgement[], budget: SelectionBudget = {}): readonly Judgement[] {
  const { tests, wallMs } = budget;
  if (tests !== undefined && !(Number.isInteger(tests) && tests >= 0)) throw invalidBudget(budget);
  if (wallMs !== undefined && !(Number.isFinite(wallMs) && wallMs >= 0)) throw invalidBudget(budget);
  const known = reached.flatMap(({ result }) => result?.duration_ms ?? []);
  const mean = known.reduce((sum, duration) => sum + duration, 0) / Math.max(1, known.length);
  let [count, spent] = [0, 0];
  for (const { result } of reached) {
    spent += result?.duration_ms ?? mean;
    if (count >= (tests ?? Number.POSITIVE_INFINITY) || spent > (wallMs ?? Number.POSITIVE_INFINITY)) break;
    count += 1;
  }
  return reached.slice(0, count);
}

/** Skips by reachability; tests that share a list of files share its sorted hashes. */
function createSkip(): (judgement: Judgement) => RegressionSelection['skipped'][number] {
  const known = new Map<unknown, Sha[]>();
  return ({ test, result }) => {
    const { files = [], data = [] } = result?.dependencies ?? {};
    const shared = data.length === 0 ? known.get(files) : undefined;
    const witness = shared ?? [...new Set([...files, ...data].map(({ sha }) => sha))].sort(order);
    if (data.length === 0) known.set(files, witness);
    return { test, reason: 'unrun-by-reachability', witness };
  };
}

/** What changed, and the files of the tests that it reaches. */
function closureOf(difference: TreeDifference, reached: readonly Judgement[]): RepoPath[] {
  const tests = reached
    .filter(({ reasons }) => reasons.some(({ ground }) => ground === 'changed' || ground === 'global'))
    .flatMap(({ result }) => result?.file ?? []);
  return [...new Set([...difference.changes.keys(), ...tests])].sort(order);
}

function whyUnsafe(
  { baseline, tests }: SelectionInput,
  difference: TreeDifference,
  judgements: readonly Judgement[],
  cut: number,
): string[] {
  const found: string[] = [];
  if (cut > 0) found.push(`The budget leaves out ${cut} test${cut === 1 ? '' : 's'} that the change may reach.`);
  const stale = judgements.filter((judgement) => judgement.stale).length;
  if (stale > 0)
    found.push(`The baseline was recorded on another tree than the one given: ${stale} tests read other files.`);
  if (tests !== undefined) return found;
  if (baseline === undefined) return [...found, 'There is neither a baseline nor a list of tests.'];
  for (const { file, message } of baseline.collection_errors)
    found.push(`Tests of ${file ?? 'a file'} may be unknown: ${message.split('\n', 1)[0]}`);
  const files = new Set(baseline.tests.map(({ file }) => file));
  const touched = [...difference.changes.keys()].filter((path) => files.has(path) || TEST_FILE.test(path));
  const [first, ...more] = touched;
  if (first !== undefined)
    found.push(`The tests were not listed anew: new tests in ${first}${andMore(more.length)} are not known.`);
  return found;
}

const TEST_FILE =
  /(?:^|\/)(?:test[^/]*|[^/]*_tests?)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)(?:tests?|__tests__)\/.*\.[cm]?[jt]sx?$/;
