// From what the agents told (modules, reads) and the tree's manifest to the dependencies of each test.
import type { LoadedModule, ModuleGraph, Reads, TestEnd } from '@h/agents';
import { hashRecord, type Sha, SYMBOLIC_LINK, type TestDependencies, type TreeEntry } from '@h/contracts';

/** Path in `listings` that stands for the paths of the whole tree: the test may ask whether any file is there. */
export const EVERY_PATH = '**';

/** Gives the dependencies of tests over one tree. Equal sets of modules share their arrays. */
export function dependencyReader(
  graphs: readonly ModuleGraph[],
  tree: readonly TreeEntry[],
): (end: TestEnd | undefined) => TestDependencies | undefined {
  const manifest = new Map(tree.map((entry) => [entry.path, entry]));
  const folders = namesByFolder(tree);
  const closures = new Map<string, Closure>();
  return (end) => {
    if (end?.reads === undefined) return undefined;
    const { file, reads } = end;
    const entered = [...(reads.loaded ?? []), ...(end.coverage ?? []).map((lines) => lines.file)];
    const own = graphs.filter(({ tests }) => tests === undefined || tests === file);
    const key = JSON.stringify([file, entered, reads.wild, own.map((graph) => graphs.indexOf(graph))]);
    return describe(merge(closureOf(), reads), manifest, folders);

    function closureOf(): Closure {
      const known = closures.get(key) ?? unite(own.map((graph) => close(graph, file, entered, reads.wild === true)));
      closures.set(key, known);
      return known;
    }
  };
}

/** The modules a test depends on, and what their bodies read. */
interface Closure {
  readonly files: ReadonlySet<string>;
  readonly reads: readonly Reads[];
  readonly absent: ReadonlySet<string>;
  readonly known: boolean;
}

function unite(parts: readonly Closure[]): Closure {
  return {
    files: new Set(parts.flatMap(({ files }) => [...files])),
    reads: parts.flatMap(({ reads }) => reads),
    absent: new Set(parts.flatMap(({ absent }) => [...absent])),
    known: parts.some(({ known }) => known),
  };
}

/** Every module that the test's file, its `conftest.py` files and what it loaded lead to. */
function close(graph: ModuleGraph, file: string, entered: readonly string[], anywhere: boolean): Closure {
  const { modules } = graph;
  const wanted = new Set([file, ...entered]);
  const work = [...graph.everywhere];
  for (const [index, module] of modules.entries())
    if (wanted.has(module.file) || isConftestOf(module.file, file) || graph.tests !== undefined) work.push(index);
  const seen = new Set<number>();
  let wild = anywhere;
  for (let index = work.pop(); index !== undefined; index = work.pop()) {
    const module = modules[index];
    if (module === undefined || seen.has(index)) continue;
    seen.add(index);
    work.push(...module.to);
    if (module.wild === true) wild = true;
    if (wild && work.length === 0)
      work.push(...[...modules.keys()].filter((other) => modules[other]?.entry !== true && !seen.has(other)));
  }
  const held = [...seen].flatMap((index) => modules[index] ?? []);
  return {
    files: new Set(held.map((module) => module.file)),
    reads: held,
    absent: new Set([...held.flatMap((module) => absentOf(module, graph.import_roots))]),
    known: held.some((module) => module.file === file),
  };
}

function isConftestOf(path: string, test: string): boolean {
  return path === 'conftest.py' || (path.endsWith('/conftest.py') && test.startsWith(path.slice(0, -11)));
}

/** What is missing now and would be loaded instead, if it were there. */
function absentOf(module: LoadedModule, roots: readonly string[]): string[] {
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
    unsure: united(({ unsure }) => unsure),
    looks: all.some(({ looks }) => looks === true),
  };
}

function describe(
  gathered: Gathered,
  manifest: ReadonlyMap<string, TreeEntry>,
  folders: ReadonlyMap<string, ReadonlySet<string>>,
): TestDependencies {
  const { files, opened, written, absent, listed, children } = gathered;
  const why = [...gathered.unsure, ...[...children].map((name) => `it starts a process: ${name}`)];
  const data = [...opened].filter((path) => !files.has(path));
  for (const path of [...files, ...data])
    if (!written.has(path)) why.push(...problemOf(path, manifest.get(path), files.has(path)));
  if (!gathered.known) why.push('the file of the test was not seen as a module');
  const listings = [...listed]
    .filter((folder) => folders.has(folder))
    .map((path) => ({ path, names: folders.get(path) }));
  const looks = gathered.looks || data.length > 0 || listed.size > 0;
  return {
    files: identities([...files], manifest),
    data: identities(data, manifest),
    env: [],
    listings: [
      ...(looks ? [{ path: EVERY_PATH, sha: listingSha(manifest.keys()) }] : []),
      ...listings.map(({ path, names }) => ({ path, sha: listingSha(names ?? []) })),
    ].sort((a, b) => order(a.path, b.path)),
    missing: [...new Set([...absent, ...opened, ...written])]
      .filter((path) => !isThere(path, manifest, folders))
      .sort(order),
    children: [...children].sort(order).map((argv0) => ({ argv0, followed: false })),
    packages: [],
    complete: why.length === 0,
    ...(why.length === 0 ? {} : { why_incomplete: [...new Set(why)].sort(order) }),
  };
}

function problemOf(path: string, entry: TreeEntry | undefined, loaded: boolean): string[] {
  if (entry === undefined) return [`it ${loaded ? 'loads' : 'reads'} ${path}, which is not in the tree`];
  return entry.mode === SYMBOLIC_LINK ? [`it reads ${path}, which is a link`] : [];
}

function identities(paths: readonly string[], manifest: ReadonlyMap<string, TreeEntry>): { path: string; sha: Sha }[] {
  return paths
    .flatMap((path) => manifest.get(path) ?? [])
    .map(({ path, sha }) => ({ path, sha }))
    .sort((a, b) => order(a.path, b.path));
}

function isThere(
  path: string,
  manifest: ReadonlyMap<string, TreeEntry>,
  folders: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return manifest.has(path) || folders.has(path);
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
