/** A host folder that a runner needs, and where it appears in the tree. */
export interface DependencyRoot {
  /** Relative to the tree. */
  readonly at: string;
  /** Absolute path on the host. */
  readonly target: string;
}

/**
 * The `node_modules` folders that a run in `cwd` of a repository can reach: those of the folder and of its parents up to
 * the root, and, when the root has none, the nearest one above the repository (hoisted workspaces), shown at the root.
 * `existing` says whether an absolute path is a folder. Nearest first.
 */
export function dependencyRoots(
  repositoryDir: string,
  cwd: string,
  existing: (path: string) => boolean,
): DependencyRoot[] {
  const root = repositoryDir.replace(/\/+$/, '');
  const found: DependencyRoot[] = [];
  const parts = cwd.split('/').filter((part) => part !== '');
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const at = [...parts.slice(0, depth), 'node_modules'].join('/');
    if (existing(`${root}/${at}`)) found.push({ at, target: `${root}/${at}` });
  }
  if (found.at(-1)?.at === 'node_modules') return found;
  for (let folder = parentOf(root); folder !== undefined; folder = parentOf(folder))
    if (existing(`${folder}/node_modules`)) return [...found, { at: 'node_modules', target: `${folder}/node_modules` }];
  return found;
}

function parentOf(path: string): string | undefined {
  const slash = path.lastIndexOf('/');
  return slash < 0 || path === '' ? undefined : path.slice(0, slash);
}
