import { parseLines } from '@h/contracts';
import type { CoverageReport } from '../coverage-report.ts';

/** By file, the lines executed outside any test, and those that were executed but belong to no test. */
export function linesOutsideTests({ tests = [], outside = [], total }: CoverageReport): Map<string, Set<number>> {
  const owned = new Map<string, Set<number>>();
  for (const { file, lines } of tests.flatMap(({ files }) => files)) {
    const ofFile = owned.get(file) ?? new Set();
    for (const line of parseLines(lines)) ofFile.add(line);
    owned.set(file, ofFile);
  }
  const alone = new Map(outside.map(({ file, lines }) => [file, parseLines(lines)]));
  return new Map(
    total.map(({ file, lines }) => {
      const unowned = parseLines(lines).filter((line) => owned.get(file)?.has(line) !== true);
      return [file, new Set([...(alone.get(file) ?? []), ...unowned])];
    }),
  );
}

/** Executable lines of a file, at least those that were executed, ascending. */
export function executableLines({ lines, executable = '' }: CoverageReport['total'][number]): number[] {
  return [...new Set([...parseLines(executable), ...parseLines(lines)])].sort((one, other) => one - other);
}
