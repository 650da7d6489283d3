// An independent look at a selection: that it lists every test once, and that each skip is allowed by what was recorded.
import type { RegressionSelection, TestId, TestRunReport } from '@h/contracts';
import { order, type PathIdentity } from './compare-trees.ts';

/**
 * What is wrong with a selection, in words, sorted; nothing: `[]`. Shares no code with `selectTests`: hashes are compared
 * with the tree, file by file. A skip by budget is never wrong here.
 */
export function verifySelection(
  selection: RegressionSelection,
  baseline: TestRunReport,
  after: readonly PathIdentity[],
): string[] {
  const problems: string[] = [];
  const listed = [...selection.selected, ...selection.skipped].map(({ test }) => test);
  if (new Set(listed).size !== listed.length) problems.push('A test is listed twice.');
  const known = new Set(listed);
  for (const { test } of baseline.tests) if (!known.has(test)) problems.push(`${test} is not listed.`);
  const hashes = new Map(after.map(({ path, sha }) => [path, sha]));
  const results = new Map(baseline.tests.map((result) => [result.test, result]));
  for (const { test, reason, witness } of selection.skipped) {
    if (reason === 'unrun-by-budget') continue;
    const why = problemOf(results.get(test), witness ?? [], hashes);
    if (why !== undefined) problems.push(`${test} must not be skipped: ${why}.`);
  }
  return problems.sort(order);
}

function problemOf(
  result: TestRunReport['tests'][number] | undefined,
  witness: readonly string[],
  hashes: ReadonlyMap<TestId, string>,
): string | undefined {
  if (result === undefined) return 'the baseline does not hold it';
  if (/^(?:failed|error|timeout|not_run)$/.test(result.outcome) || result.flaky === true)
    return 'it has no stable result';
  const { dependencies } = result;
  if (dependencies === undefined || !dependencies.complete) return 'its dependencies are not all known';
  const proof = new Set(witness);
  for (const { path, sha } of [...dependencies.files, ...dependencies.data]) {
    if (hashes.get(path) !== sha) return `${path} is not as it was recorded`;
    if (!proof.has(sha)) return `the witness lacks ${path}`;
  }
  const there = dependencies.missing.find((path) => hashes.has(path));
  return there === undefined ? undefined : `${there} is there now`;
}
