import type { TestDependencies, TestResult, TestRunReport } from '@h/contracts';
import fc from 'fast-check';
import type { PathIdentity } from '../src/index.ts';

export const shaOf = (text: string) =>
  [...text]
    .reduce((sum, unit) => (sum * 31 + unit.charCodeAt(0)) % 0xffffff, 7)
    .toString(16)
    .padStart(64, '0');

export function dependencies(more: Partial<TestDependencies> = {}): TestDependencies {
  return {
    files: [],
    data: [],
    env: [],
    listings: [],
    missing: [],
    children: [],
    packages: [],
    complete: true,
    ...more,
  };
}

export function result(test: string, more: Partial<TestResult> = {}): TestResult {
  return { test, file: 'test_a.py', outcome: 'passed', dependencies: dependencies(), ...more };
}

export function reportOf(tests: TestResult[], more: Partial<TestRunReport> = {}): TestRunReport {
  return { runner: 'pytest', environment: shaOf('env'), execution_ids: [], tests, collection_errors: [], ...more };
}

export function treeOf(files: Record<string, string>): PathIdentity[] {
  return Object.keys(files)
    .sort()
    .map((path) => ({ path, sha: shaOf(files[path] ?? '') }));
}

const folders = ['', 'a/', 'b/', 'a/c/'];
export const everyPath = folders.flatMap((folder) => ['x.txt', 'y.txt', 'z.txt'].map((name) => folder + name));

/** A tree and, over it, tests that passed and whose dependencies are all known. */
export const world = fc
  .record({
    present: fc.uniqueArray(fc.constantFrom(...everyPath), { minLength: 1 }),
    tests: fc.array(
      fc.record({
        files: fc.array(fc.nat()),
        missing: fc.array(fc.nat(), { maxLength: 3 }),
        listings: fc.subarray(['', '**', 'a', 'a/c', 'b']),
      }),
      { maxLength: 6 },
    ),
  })
  .map(({ present, tests }) => {
    const files = Object.fromEntries(present.map((path) => [path, `text of ${path}`]));
    const tree = treeOf(files);
    const absent = everyPath.filter((path) => !present.includes(path));
    const pick = <Item>(list: readonly Item[], numbers: number[]) => [
      ...new Set(numbers.flatMap((number) => (list.length === 0 ? [] : list.slice(number % list.length).slice(0, 1)))),
    ];
    const results = tests.map((drawn, index) => {
      const read = pick(tree, drawn.files).sort((one, other) => (one.path < other.path ? -1 : 1));
      const own = read[0] ?? tree[0];
      return result(`t${index}`, {
        file: own?.path ?? 'none',
        dependencies: dependencies({
          files: read.length === 0 && own !== undefined ? [own] : read,
          missing: pick(absent, drawn.missing).sort(),
          listings: drawn.listings.map((path) => ({ path, sha: shaOf(path) })),
        }),
      });
    });
    return { files, tree, report: reportOf(results) };
  });

/** New text by path; null deletes. */
export const change = fc.dictionary(
  fc.constantFrom(...everyPath),
  fc.oneof(fc.constant(null), fc.constantFrom('new', 'newer')),
  { noNullPrototype: true },
);

export function changed(files: Record<string, string>, edits: Record<string, string | null>): PathIdentity[] {
  const all: Record<string, string> = {};
  for (const [path, text] of Object.entries({ ...files, ...edits })) if (text !== null) all[path] = text;
  return treeOf(all);
}
