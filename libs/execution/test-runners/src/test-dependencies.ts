// From what the agents told (modules, reads) and the tree's manifest to the dependencies of each test.
import type { LoadedModule, ModuleGraph, Reads, TestEnd } from '@h/agents';
import { formatLines, hashRecord, type Sha, SYMBOLIC_LINK, type TestDependencies, type TreeEntry } from '@h/contracts';

/** Path in `listings` that stands for the paths of the whole tree: the test may ask whether any file is there. */
export const EVERY_PATH = '**';

/** Name in `env` that stands for every variable: which there are, and their values. */
export const EVERY_VARIABLE = '*';

/** What the agents told of the surroundings of the run. */
export interface Surroundings {
  /** Hash of the value of each variable when the session began; absent: the agents did not tell. */
  readonly variables?: ReadonlyMap<string, Sha>;
  /** Installed packages by `name@version`. */
  readonly packages: ReadonlyMap<string, InstalledPackage>;
}

export type InstalledPackage = TestDependencies['packages'][number];

/** Gives the dependencies of tests over one tree. Tests that reach the same modules and read nothing else share one record. */
export function dependencyReader(
  graphs: readonly ModuleGraph[],
  tree: readonly TreeEntry[],
  surroundings: Surroundings = { packages: new Map() },
): (end: TestEnd | undefined) => TestDependencies | undefined {
  const place: Place = {
    manifest: new Map(tree.map((entry) => [entry.path, entry])),
    folders: namesByFolder(tree),
    surroundings,
  };
  const walks = graphs.map((graph) => ({ graph, reach: createReach(graph) }));
  const closures = new Map<string, { closure: Closure; bare?: TestDependencies }>();
  return (end) => {
    if (end?.reads === undefined) return undefined;
    const { file, reads } = end;
    const entered = [file, ...(reads.loaded ?? []), ...(end.coverage ?? []).map((lines) => lines.file)];
    const reached = walks.map(({ graph, reach }) =>
      graph.tests === undefined || graph.tests === file ? reach(file, entered, reads.wild === true) : [],
    );
    const key = reached.map((indexes) => formatLines(indexes)).join(';');
    const held = closures.get(key) ?? { closure: gather(graphs, reached) };
    closures.set(key, held);
    const isBare =
      held.closure.files.has(file) && Object.keys(reads).every((name) => name === 'loaded' || name === 'wild');
    if (!isBare) return describe(file, merge(held.closure, reads), place);
    held.bare ??= describe(file, merge(held.closure, {}), place);
    return held.bare;
  };
}

/** What is where in the tree. */
interface Place {
  readonly manifest: ReadonlyMap<string, TreeEntry>;
  /** Names by folder. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
  readonly surroundings: Surroundings;
}

/** The modules that tests depend on, and what their bodies read. */
interface Closure {
  readonly files: ReadonlySet<string>;
  readonly reads: readonly Reads[];
  readonly absent: ReadonlySet<string>;
}

function gather(graphs: readonly ModuleGraph[], reached: readonly (readonly number[])[]): Closure {
  const held = reached.flatMap((indexes, number) => indexes.flatMap((index) => graphs[number]?.modules[index] ?? []));
  const absent = reached.flatMap((indexes, number) => {
    const { modules, import_roots } = graphs[number] ?? { modules: [], import_roots: [] };
    return indexes.flatMap((index) => absentOf(modules[index], import_roots));
  });
  return { files: new Set(held.map(({ file }) => file)), reads: held, absent: new Set(absent) };
}

/** A function: the indexes of every module that a test's file, its `conftest.py` files and what it entered lead to. */
function createReach({ modules, everywhere, tests }: ModuleGraph) {
  const byFile = new Map(modules.map(({ file }, index) => [file, index]));
  const conftests = [...modules.keys()].filter((index) => /(?:^|\/)conftest\.py$/.test(modules[index]?.file ?? ''));
  const usable = [...modules.keys()].filter((index) => modules[index]?.entry !== true);
  return (file: string, entered: readonly string[], anywhere: boolean): number[] => {
    const seen = new Set<number>();
    const follow = (starts: Iterable<number>) => {
      const work = [...starts];
      for (let index = work.pop(); index !== undefined; index = work.pop()) {
        if (seen.has(index)) continue;
        seen.add(index);
        work.push(...(modules[index]?.to ?? []));
      }
    };
    follow(everywhere);
    follow(entered.flatMap((path) => byFile.get(path) ?? []));
    follow(conftests.filter((index) => isConftestOf(modules[index]?.file ?? '', file)));
    if (tests !== undefined) follow(modules.keys());
    if (anywhere || [...seen].some((index) => modules[index]?.wild === true)) follow(usable);
    return [...seen];
  };
}

function isConftestOf(path: string, test: string): boolean {
  return path === 'conftest.py' || (path.endsWith('/conftest.py') && test.startsWith(path.slice(0, -11)));
}

/** What is missing now and would be loaded instead, if it were there. */
function absentOf(module: LoadedModule | undefined, roots: readonly string[]): string[] {
  if (module === undefined) return [];
  const found = [...(module.absent ?? [])];
  for (const name of module.tops ?? [])
    for (const root of roots) found.push(inside(root, name), inside(root, `${name}.py`));
  if (!module.file.endsWith('.py')) return found;
  for (let end = module.file.lastIndexOf('/'); end > 0; end = module.file.lastIndexOf('/', end - 1))
    found.push(`${module.file.slice(0, end)}/__init__.py`);
  return found;
}

function inside(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

interface Gathered extends Closure {
  readonly opened: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly listed: ReadonlySet<string>;
  readonly children: ReadonlySet<string>;
  readonly followed: ReadonlySet<string>;
  readonly env: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  readonly unsure: ReadonlySet<string>;
  readonly looks: boolean;
}

function merge(closure: Closure, own: Reads): Gathered {
  const all = [...closure.reads, own];
  const united = (pick: (reads: Reads) => readonly string[] | undefined) =>
    new Set(all.flatMap((reads) => pick(reads) ?? []));
  return {
    ...closure,
    files: new Set([...closure.files, ...(own.loaded ?? [])]),
    absent: new Set([...closure.absent, ...(own.absent ?? [])]),
    opened: united(({ opened }) => opened),
    written: united(({ written }) => written),
    listed: united(({ listed }) => listed),
    children: united(({ children }) => children),
    followed: united(({ followed }) => followed),
    env: united(({ env }) => env),
    packages: united(({ packages }) => packages),
    unsure: united(({ unsure }) => unsure),
    looks: all.some(({ looks }) => looks === true),
  };
}

function describe(file: string, gathered: Gathered, { manifest, folders, surroundings }: Place): TestDependencies {
  const { files, opened, written, absent, listed, children, followed } = gathered;
  const why = [...gathered.unsure, ...[...children].map((name) => `it starts a process: ${name}`)];
  // what was gone, or only written to, when it was looked for, is part of the tree all the same
  const others = [...absent, ...written].filter((path) => manifest.has(path));
  const data = [...new Set([...opened, ...others])].filter((path) => !files.has(path));
  for (const path of [...files, ...data])
    if (!written.has(path)) why.push(...problemOf(path, manifest.get(path), files.has(path)));
  if (!files.has(file)) why.push('the file of the test was not seen as a module');
  if (gathered.env.size > 0 && surroundings.variables === undefined)
    why.push('it reads environment variables whose values were not told');
  const missing = [...new Set([...absent, ...opened, ...written])];
  return {
    files: identities([...files], manifest),
    data: identities(data, manifest),
    env: variablesOf(gathered.env, surroundings),
    listings: listingsOf(listed, gathered.looks || data.length > 0, manifest, folders),
    missing: missing.filter((path) => !manifest.has(path) && !folders.has(path)).sort(order),
    children: childrenOf(children, followed),
    packages: [...gathered.packages].sort(order).flatMap((name) => surroundings.packages.get(name) ?? []),
    complete: why.length === 0,
    ...(why.length === 0 ? {} : { why_incomplete: [...new Set(why)].sort(order) }),
  };
}

/** Of a test that told nothing: its own file. */
export function nothingKnown(file: string, tree: readonly TreeEntry[]): TestDependencies {
  const none = { data: [], env: [], listings: [], missing: [], children: [], packages: [] };
  const own = tree.filter(({ path }) => path === file).map(({ path, sha }) => ({ path, sha }));
  return { files: own, ...none, complete: true };
}

/** The same, of a test whose process ended before it could tell all that the test had read. */
export function withoutEnd(seen: TestDependencies): TestDependencies {
  const why = [...(seen.why_incomplete ?? []), 'the process that ran it ended before it told what the test had read'];
  return { ...seen, complete: false, why_incomplete: [...new Set(why)].sort(order) };
}

/** Stands for the value of a variable that was not set: an empty one is something else. */
const ABSENT = hashRecord({ absent: true });

/** The hash of `*` is that of the canonical JSON of all names with the hashes of their values. */
function variablesOf(names: ReadonlySet<string>, { variables }: Surroundings): TestDependencies['env'] {
  if (variables === undefined) return [];
  return [...names].sort(order).map((name) => ({
    name,
    value_sha: name === EVERY_VARIABLE ? hashRecord(Object.fromEntries(variables)) : (variables.get(name) ?? ABSENT),
  }));
}

function childrenOf(children: ReadonlySet<string>, followed: ReadonlySet<string>): TestDependencies['children'] {
  const all = [
    ...[...children].map((argv0) => ({ argv0, followed: false })),
    ...[...followed].map((argv0) => ({ argv0, followed: true })),
  ];
  return all.sort((a, b) => order(a.argv0, b.argv0) || Number(a.followed) - Number(b.followed));
}

function listingsOf(
  listed: ReadonlySet<string>,
  looks: boolean,
  manifest: Place['manifest'],
  folders: Place['folders'],
): TestDependencies['listings'] {
  const found = [...listed].flatMap((path) => {
    const names = folders.get(path);
    return names === undefined ? [] : [{ path, sha: listingSha(names) }];
  });
  if (looks || listed.size > 0) found.push({ path: EVERY_PATH, sha: listingSha(manifest.keys()) });
  return found.sort((a, b) => order(a.path, b.path));
}

/** Folders of installed packages, which are no part of the tree unless its manifest says so. */
const PACKAGE = /(?:^|\/)(?:site-packages|dist-packages|node_modules|\.tox|\.nox|\.eggs)\//;

function problemOf(path: string, entry: TreeEntry | undefined, loaded: boolean): string[] {
  if (entry === undefined && PACKAGE.test(path)) return [];
  if (entry === undefined) return [`it ${loaded ? 'loads' : 'reads'} ${path}, which is not in the tree`];
  return entry.mode === SYMBOLIC_LINK ? [`it reads ${path}, which is a link`] : [];
}

function identities(paths: readonly string[], manifest: ReadonlyMap<string, TreeEntry>): { path: string; sha: Sha }[] {
  return paths
    .flatMap((path) => manifest.get(path) ?? [])
    .map(({ path, sha }) => ({ path, sha }))
    .sort((a, b) => order(a.path, b.path));
}

/** Names of what lies right in each folder of the tree; `""` is the root. */
function namesByFolder(tree: readonly TreeEntry[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>([['', new Set()]]);
  for (const { path } of tree) {
    for (let rest = path; rest !== ''; ) {
      const end = rest.lastIndexOf('/');
      const folder = rest.slice(0, Math.max(0, end));
      const names = folders.get(folder) ?? new Set();
      folders.set(folder, names.add(rest.slice(end + 1)));
      rest = folder;
    }
  }
  return folders;
}

/** The hash of a listing: of the canonical JSON of the sorted names. */
function listingSha(names: Iterable<string>): Sha {
  return hashRecord([...names].sort(order));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
