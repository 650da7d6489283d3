// Statements that run while a module is loaded run for no test in particular, yet a fault among them fails tests (a wrong constant).
import type { FileLines, RepoPath } from '@h/contracts';

/** A run as far as it matters here: the files it executed something of. */
export interface FileUse {
  readonly files: ReadonlySet<RepoPath>;
  readonly failing: boolean;
  /** It failed while modules were loaded: all import-time lines are its own. */
  readonly loading: boolean;
}

export type Imports = Readonly<Record<RepoPath, readonly RepoPath[]>>;

/**
 * Per run: the import-time lines credited to it.
 *
 * Those of a file are credited to the runs that executed something of the file itself or of a file that imports it, directly or through
 * files no run executed anything of (re-exports). Where that credits no failing run they are credited to every run, which all had the module
 * loaded: so they rank behind what tells runs apart, but are never lost.
 */
export function creditImports(
  runs: readonly FileUse[],
  imported: readonly FileLines[],
  imports: Imports,
): FileLines[][] {
  const entered = new Set(runs.flatMap(({ files }) => [...files]));
  const reachOf = importReach(imports, entered);
  const loaded = new Set(imported.map(({ file }) => file));
  const credited = runs.map(({ files, loading }) =>
    loading ? loaded : new Set([...files].flatMap((file) => [file, ...reachOf(file)])),
  );
  const blamed = new Set(runs.flatMap(({ failing }, run) => (failing ? [...(credited[run] ?? [])] : [])));
  return credited.map((files) => imported.filter(({ file }) => files.has(file) || !blamed.has(file)));
}

/** Files that loading a file loads, going on only through files that no run entered. */
function importReach(imports: Imports, entered: ReadonlySet<RepoPath>): (file: RepoPath) => ReadonlySet<RepoPath> {
  const known = new Map<RepoPath, ReadonlySet<RepoPath>>();
  const directly = (file: RepoPath) => (Object.hasOwn(imports, file) ? (imports[file] ?? []) : []);
  return (file) => {
    const held = known.get(file);
    if (held !== undefined) return held;
    const reached = new Set(directly(file));
    for (const next of reached) {
      if (!entered.has(next)) for (const further of directly(next)) reached.add(further);
    }
    known.set(file, reached);
    return reached;
  };
}
