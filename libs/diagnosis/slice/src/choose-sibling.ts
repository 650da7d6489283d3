import type { RepoPath, TestId, TestResult, TestRunReport } from '@h/contracts';
import { parseLines } from '@h/contracts/line-sets';

export interface PlannedPlace {
  readonly file: RepoPath;
  readonly line: number;
  /** Lines of the function that holds it, 1-based, inclusive; absent: the test has to execute the line itself. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
}

export type Sibling = { readonly test: TestId; readonly why: string } | { readonly none: string };

/**
 * The passing test that is nearest to the failing one: Jaccard index of the statements of planned files that the two execute, then the same test file,
 * then the order of their ids by code unit. It executes a planned function; tests known to be flaky are never chosen.
 */
export function chooseSibling(failing: TestResult, report: TestRunReport, plan: readonly PlannedPlace[]): Sibling {
  const files = new Set(plan.map(({ file }) => file));
  if (files.size === 0) return { none: 'Nothing is planned to be observed.' };
  if (failing.coverage === undefined) return { none: `No coverage is recorded for ${failing.test}.` };
  const passing = report.tests.filter(({ outcome, flaky }) => outcome === 'passed' && flaky !== true);
  if (passing.length === 0) return { none: 'No test passes in every run.' };
  const target = linesOf(failing, files);
  const near = passing.flatMap((test): Neighbour[] => {
    const lines = linesOf(test, files);
    if (!plan.some((place) => executes(lines, place))) return [];
    return [{ test: test.test, isSameFile: test.file === failing.file, ...compareLines(target, lines) }];
  });
  const best = near.sort(compareNeighbours)[0];
  if (best === undefined) return { none: 'No passing test executes a function that is observed.' };
  return { test: best.test, why: describeChoice(best) };
}

type Lines = ReadonlyMap<RepoPath, ReadonlySet<number>>;

interface Neighbour {
  readonly test: TestId;
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

function describeChoice({ shared, either, isSameFile }: Neighbour): string {
  const where = isSameFile ? 'in the same test file' : 'in another test file';
  return `Of the passing tests it executes most of the same statements (${shared} of ${either} in the observed files), ${where}.`;
}
