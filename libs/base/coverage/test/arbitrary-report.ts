import { formatLines, parseLines } from '@h/contracts';
import type { CoverageReport } from '@h/coverage';
import * as fc from 'fast-check';

const name = fc.stringMatching(/^[a-zA-Zäß][a-z0-9_ :>[\],.é-]{0,10}[a-z0-9\]]$/).filter((id) => !id.endsWith(',diff'));
const path = fc.stringMatching(/^[a-z]{1,3}(\/[a-zäß_-]{1,3}){0,2}\.(py|ts)$/);
const lines = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
const order = (one: string, other: string) => (one < other ? -1 : 1);

/** Reports as readers make them: sorted, and what is in total is in a test or outside. */
export const arbitraryReport: fc.Arbitrary<CoverageReport> = fc
  .record({
    tests: fc.option(fc.dictionary(name, fc.dictionary(path, lines, { maxKeys: 3 }), { minKeys: 1, maxKeys: 4 })),
    outside: fc.dictionary(path, lines, { maxKeys: 3 }),
    missed: fc.dictionary(path, fc.array(fc.integer({ min: 1, max: 40 })), { maxKeys: 3 }),
  })
  .map(({ tests, outside, missed }) => {
    const all = [outside, ...Object.values(tests ?? {})];
    const files = [...new Set([...all, missed].flatMap((byFile) => Object.keys(byFile)))].sort(order);
    const total = files.map((file) => {
      const hit = all.flatMap((byFile) => byFile[file] ?? []);
      return { file, lines: formatLines(hit), executable: formatLines([...hit, ...(missed[file] ?? [])]) };
    });
    const named = Object.entries(tests ?? {})
      .map(([id, byFile]) => ({ id, files: toFiles(byFile) }))
      .sort((one, other) => order(one.id, other.id));
    return { ...(tests === null ? {} : { tests: named, outside: toFiles(outside) }), total, warnings: [] };
  });

function toFiles(byFile: Readonly<Record<string, readonly number[]>>) {
  return Object.entries(byFile)
    .map(([file, numbers]) => ({ file, lines: formatLines(numbers) }))
    .sort((one, other) => order(one.file, other.file));
}

/** Whether a reader could have made it: nothing is executed that is not executable, and all of it belongs somewhere. */
export function isSound({ tests, outside, total }: CoverageReport): boolean {
  const places = [...(outside ?? []), ...(tests ?? []).flatMap(({ files }) => files)];
  return total.every(({ file, lines: hit, executable = hit }) => {
    const can = new Set(parseLines(executable));
    const owned = new Set(places.filter((entry) => entry.file === file).flatMap((entry) => parseLines(entry.lines)));
    return parseLines(hit).every((line) => can.has(line) && (tests === undefined || owned.has(line)));
  });
}
