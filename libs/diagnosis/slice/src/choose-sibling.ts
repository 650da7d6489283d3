import type { RepoPath, TestId, TestResult, TestRunReport } from '@h/contracts';
import { parseLines } from '@h/contracts/line-sets';

export interface PlannedPlace {
  readonly file: RepoPath;
  readonly line: number;
  /** Lines of the function that holds it, 1-based, inclusive; absent: the test has to execute the line itself. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

export type Sibling =
  | {
      readonly test: TestId;
      readonly why: string;
      /** Observe it on the version known to be good; absent: on the version that fails. */
      readonly version?: 'known_good';
    }
  | { readonly none: string };

export interface SiblingOptions {
  /** Report of a version whose behaviour is right, such as the last release: the same test there is the best sibling there is. */
  readonly knownGood?: TestRunReport | undefined;
}

/**
 * What to compare the failing run with: the same test on a version known to be good, where it passes there. Else the passing test nearest to the failing
 * one of those that execute a suspicious statement, which are those of the plan: Jaccard index of the statements of planned files that the two execute,
 * then the same test file, then the order of their ids by code unit. Where none executes a planned statement, one that executes a planned function.
 * Tests known to be flaky are never chosen.
 */
export function chooseSibling(
  failing: TestResult,
  report: TestRunReport,
  plan: readonly PlannedPlace[],
  { knownGood }: SiblingOptions = {},
): Sibling {
  if (knownGood?.tests.some((test) => test.test === failing.test && isSteady(test)) === true) {
    const why = 'The same test passes on the version known to be good.';
    return { test: failing.test, why, version: 'known_good' };
  }
  const files = new Set(plan.map(({ file }) => file));
  if (files.size === 0) return { none: 'Nothing is planned to be observed.' };
  if (failing.coverage === undefined) return { none: `No coverage is recorded for ${failing.test}.` };
  const passing = report.tests.filter(isSteady);
  if (passing.length === 0) return { none: 'No test passes in every run.' };
  const target = linesOf(failing, files);
  const near = passing.flatMap((test): Neighbour[] => {
    const lines = linesOf(test, files);
    if (!plan.some((place) => executes(lines, place))) return [];
    const reached = plan.filter(({ file, line }) => lines.get(file)?.has(line) === true).length;
    return [{ test: test.test, reached, isSameFile: test.file === failing.file, ...compareLines(target, lines) }];
  });
  const reaching = near.filter(({ reached }) => reached > 0);
  const best = (reaching.length > 0 ? reaching : near).sort(compareNeighbours)[0];
  if (best === undefined) return { none: 'No passing test executes a function that is observed.' };
  return { test: best.test, why: describeChoice(best) };
}

function isSteady({ outcome, flaky }: TestResult): boolean {
  return outcome === 'passed' && flaky !== true;
}

type Lines = ReadonlyMap<RepoPath, ReadonlySet<number>>;

interface Neighbour {
  readonly test: TestId;
  /** Suspicious statements that it executes. */
  readonly reached: number;
  readonly isSameFile: boolean;
  readonly shared: number;
  readonly either: number;
}

function linesOf({ coverage = [] }: TestResult, files: ReadonlySet<RepoPath>): Lines {
  const planned = coverage.filter(({ file }) => files.has(file));
  return new Map(planned.map(({ file, lines }) => [file, new Set(parseLines(lines))]));
}

function executes(lines: Lines, { file, line, first, last }: PlannedPlace): boolean {
  const covered = lines.get(file);
  if (covered === undefined) return false;
  if (first === undefined || last === undefined) return covered.has(line);
  // The first line is the definition, which runs without the function.
  for (let at = first + 1; at <= last; at += 1) if (covered.has(at)) return true;
  return first === last && covered.has(first);
}

function compareLines(target: Lines, lines: Lines): { shared: number; either: number } {
  const sizes = (of: Lines) => [...of.values()].reduce((sum, set) => sum + set.size, 0);
  let shared = 0;
  for (const [file, set] of lines) for (const line of set) if (target.get(file)?.has(line)) shared += 1;
  return { shared, either: sizes(target) + sizes(lines) - shared };
}

function compareNeighbours(a: Neighbour, b: Neighbour): number {
  return (
    b.shared * a.either - a.shared * b.either ||
    Number(b.isSameFile) - Number(a.isSameFile) ||
    (a.test < b.test ? -1 : a.test > b.test ? 1 : 0)
  );
}

function describeChoice({ shared, either, reached, isSameFile }: Neighbour): string {
  const where = isSameFile ? 'in the same test file' : 'in another test file';
  const of = reached > 0 ? 'Of the passing tests that reach a suspicious statement' : 'Of the passing tests';
  return `${of} it executes most of the same statements (${shared} of ${either} in the observed files), ${where}.`;
}
