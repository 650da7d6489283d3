// A baseline as text: each identity and path once, dependencies as number sets into those tables, a hash over the whole.
import {
  formatLines,
  parseLines,
  parseRecord,
  Sha,
  sha256Hex,
  TestDependencies,
  TestRunReport,
  type TreeEntry,
  TreeManifest,
} from '@h/contracts';
import { order } from './compare-trees.ts';
import { damagedBaseline, SelectError, unknownBaselineVersion } from './errors.ts';

/** What a later selection compares with: an observed run of all tests, and the tree it ran on. */
export interface SelectionBaseline {
  readonly report: TestRunReport;
  readonly tree: readonly TreeEntry[];
}

/** Form of a stored baseline. Its major version is the number at its end. */
export const BASELINE_SCHEMA = 'h/selection-baseline/1';

type PackedTest = Omit<TestDependencies, 'files' | 'data' | 'listings' | 'missing'> & {
  readonly files: string;
  readonly data: string;
  readonly listings: string;
  readonly missing: string;
};
interface Packed {
  readonly report: TestRunReport;
  readonly tree: readonly TreeEntry[];
  readonly identities: readonly (readonly [path: string, sha: string])[];
  readonly paths: readonly string[];
  /** By the position of the test in the report; null: not recorded. */
  readonly dependencies: readonly (PackedTest | null)[];
}

/** The text of a baseline: two lines of JSON. The same baseline gives the same bytes. */
export function formatBaseline({ report, tree }: SelectionBaseline): string {
  const recorded = report.tests.flatMap(({ dependencies }) => dependencies ?? []);
  const identities = createTable(
    recorded.flatMap(({ files, data, listings }) => [files, data, listings]),
    ({ path, sha }) => `${path}\0${sha}`,
  );
  const paths = createTable(
    recorded.map(({ missing }) => missing),
    (path) => path,
  );
  const dependencies = report.tests.map(({ dependencies: seen }) => {
    if (seen === undefined) return null;
    const { files, data, listings, missing, ...rest } = seen;
    const [fileSet, dataSet, listingSet] = [identities.set(files), identities.set(data), identities.set(listings)];
    return { files: fileSet, data: dataSet, listings: listingSet, missing: paths.set(missing), ...rest };
  });
  const packed: Packed = {
    report: { ...report, tests: report.tests.map(({ dependencies: _, ...test }) => test) },
    tree,
    identities: identities.items.map(({ path, sha }) => [path, sha]),
    paths: paths.items,
    dependencies,
  };
  const body = JSON.stringify(packed);
  return `${JSON.stringify({ schema: BASELINE_SCHEMA, sha: sha256Hex(body) })}\n${body}\n`;
}

/** Reads what `formatBaseline` wrote. Throws `unknown_baseline_version`, `damaged_baseline`. */
export function parseBaseline(text: string): SelectionBaseline {
  const end = text.indexOf('\n');
  const { schema, sha } = readHead(text.slice(0, Math.max(0, end)));
  if (schema !== BASELINE_SCHEMA) throw unknownBaselineVersion(schema);
  const body = text.slice(end + 1, -1);
  if (text.at(-1) !== '\n' || sha256Hex(body) !== sha)
    throw damagedBaseline('its bytes are not those that were written');
  try {
    return unpack(JSON.parse(body));
  } catch (cause) {
    if (cause instanceof SelectError) throw cause;
    throw damagedBaseline('it does not hold what it should', cause);
  }
}

function readHead(line: string): { schema: string; sha: string } {
  let head: unknown;
  try {
    head = JSON.parse(line);
  } catch (cause) {
    throw damagedBaseline('its first line is not JSON', cause);
  }
  const { schema, sha } = (head ?? {}) as Record<string, unknown>;
  if (typeof schema !== 'string' || typeof sha !== 'string' || line !== JSON.stringify({ schema, sha }))
    throw damagedBaseline('its first line is not as it was written');
  return { schema, sha };
}

function unpack(packed: Packed): SelectionBaseline {
  const report = parseRecord(TestRunReport, packed.report);
  const tree = parseRecord(TreeManifest, packed.tree);
  const identities = packed.identities.map(([path, sha]) => ({ path: String(path), sha: parseRecord(Sha, sha) }));
  const identitySet = createReader(identities);
  const pathSet = createReader(packed.paths.map(String));
  const tests = report.tests.map((test, index) => {
    const seen = packed.dependencies[index];
    if (seen === undefined) throw damagedBaseline('it has fewer dependencies than tests');
    if (seen === null) return test;
    const { files, data, listings, missing, ...others } = seen;
    const rest = parseRecord(TestDependencies, { ...others, files: [], data: [], listings: [], missing: [] });
    const dependencies: TestDependencies = {
      ...rest,
      files: identitySet(files),
      data: identitySet(data),
      listings: identitySet(listings),
      missing: pathSet(missing),
    };
    return { ...test, dependencies };
  });
  return { report: { ...report, tests }, tree };
}

/** Each item of the lists once, sorted by its key, so that a set of ascending numbers is a sorted list. */
function createTable<Item>(lists: readonly (readonly Item[])[], keyOf: (item: Item) => string) {
  const byKey = new Map<string, Item>();
  for (const list of new Set(lists)) for (const item of list) byKey.set(keyOf(item), item);
  const keys = [...byKey.keys()].sort(order);
  const numbers = new Map(keys.map((key, number) => [key, number]));
  const known = new Map<readonly Item[], string>();
  const set = (list: readonly Item[]) => {
    const text = known.get(list) ?? formatLines(list.map((item) => numbers.get(keyOf(item)) ?? 0));
    known.set(list, text);
    return text;
  };
  return { items: keys.flatMap((key) => byKey.get(key) ?? []), set };
}

/** Lists by their text; tests that have the same list share it. */
function createReader<Item>(items: readonly Item[]): (text: string) => Item[] {
  const known = new Map<string, Item[]>();
  return (text) => {
    const list = known.get(text) ?? parse(text);
    known.set(text, list);
    return list;
  };

  function parse(text: string): Item[] {
    return parseLines(text).map((number) => {
      const item = items[number];
      if (item === undefined) throw damagedBaseline(`it has no entry ${number}`);
      return item;
    });
  }
}
