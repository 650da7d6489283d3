// A branch is told by what it leads to: the tests that executed the first statement of a block took the branch into it, those that executed
// the statement the block belongs to and never that one took none.
import type { Loc, RepoPath, Spectrum } from '@h/contracts';
import type { CountedSpectrum } from './build-spectrum.ts';
import type { OutlinedStatements } from './own-line.ts';
import { countSpectrum } from './rank-statements.ts';
import { type Formula, type FormulaName, formulas } from './suspiciousness-formulas.ts';

/**
 * Per statement, by its location, the score of the most suspicious branch next to it, for `adjacentBranch` of `rankStatements`: the one into the
 * block it stands in and, of a compound statement, those into its blocks and past them. Files without an outline have none.
 *
 * Outlines with blocks, as `outline(…)` of `@h/syntax` gives them. Throws as `rankStatements`.
 */
export function scoreBranches(
  spectrum: Spectrum | CountedSpectrum,
  outlines: Readonly<Record<RepoPath, OutlinedStatements>>,
  { formula = 'ochiai' }: { readonly formula?: FormulaName } = {},
): Record<Loc, number> {
  const counted = 'hits' in spectrum ? countSpectrum(spectrum) : spectrum;
  const best = new Map<Loc, number>();
  for (const [file, outline] of Object.entries(outlines)) scoreFile(counted, file, outline, formulas[formula], best);
  return Object.fromEntries(best);
}

interface Runs {
  readonly failed: number;
  readonly passed: number;
}

function scoreFile(
  counted: CountedSpectrum,
  file: RepoPath,
  { statements, blocks }: OutlinedStatements,
  formula: Formula,
  best: Map<Loc, number>,
): void {
  const runsOf = (line: number): Runs | undefined => {
    const index = counted.places.locate(file, line);
    if (index === undefined || counted.statements[index]?.first !== line) return undefined;
    return { failed: counted.failed[index] ?? 0, passed: counted.passed[index] ?? 0 };
  };
  const note = (line: number, { failed, passed }: Runs) => {
    if (failed < 0 || passed < 0) return; // the block ran without its owner: not a branch of it
    const { totalFailed, totalPassed } = counted;
    const score = formula({ failed, passed, totalFailed, totalPassed });
    const location = `${file}:${line}`;
    best.set(location, Math.max(score, best.get(location) ?? Number.NEGATIVE_INFINITY));
  };
  for (const [block, { owner }] of blocks.entries()) {
    const inside = statements.filter((statement) => statement.block === block);
    const entry = inside[0] === undefined ? undefined : runsOf(inside[0].first);
    const head = owner === undefined ? undefined : statements[owner];
    if (entry === undefined || head === undefined) continue;
    for (const { first } of inside) note(first, entry);
    const whole = head.kind === 'definition' ? undefined : runsOf(head.first);
    if (whole === undefined) continue;
    note(head.first, entry);
    note(head.first, { failed: whole.failed - entry.failed, passed: whole.passed - entry.passed });
  }
}
