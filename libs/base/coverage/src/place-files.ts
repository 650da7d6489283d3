/** How the paths of a coverage file become paths of the repository. */
export interface PlaceOptions {
  /** Absolute path, or paths, of the repository where the coverage was made, POSIX or Windows; absent: absolute paths stay as they are. */
  readonly root?: string | readonly string[];
  /** Folder that relative paths start from, relative to the root: "packages/app". "" when absent. */
  readonly folder?: string;
  /** Whether the repository has a file; files it has not are left out. Absent: all are kept. */
  readonly exists?: (path: string) => boolean;
}

export type Placed =
  | { readonly status: 'placed'; readonly path: string }
  | { readonly status: 'outside_root' | 'absent_file'; readonly path: string };

/**
 * A path as a tool writes it ("./a.py", "C:\\ci\\app\\a.py", "file:///ci/app/a.py") as a path relative to the root with "/".
 *
 * A backslash is always a separator. Below a Windows root letter case is not compared. Links are not followed.
 */
export function placeFile(given: string, { root, folder = '', exists }: PlaceOptions = {}): Placed {
  const path = withSlashes(given);
  const roots = root === undefined ? [] : typeof root === 'string' ? [root] : root;
  const inside = isAbsolutePath(path) ? below(resolve(path), roots) : resolve(`${withSlashes(folder)}/${path}`, true);
  if (inside === undefined) return { status: 'outside_root', path: resolve(path) ?? path };
  return { status: exists === undefined || exists(inside) ? 'placed' : 'absent_file', path: inside };
}

function withSlashes(given: string): string {
  const path = given.startsWith('file:') ? fromFileUrl(given) : given;
  return path.replaceAll('\\', '/');
}

function fromFileUrl(url: string): string {
  const path = url.replace(/^file:(?:\/\/(?:localhost)?(?=\/))?/, '');
  const decoded = /%(?![0-9a-fA-F]{2})/.test(path) ? path : decode(path);
  return decoded.replace(/^\/(?=[A-Za-z]:)/, '');
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // percent signs that spell no UTF-8 are part of the name
  }
}

/** Of a POSIX or a Windows system, or a file URL. */
export function isAbsolutePath(given: string): boolean {
  const path = withSlashes(given);
  return path.startsWith('/') || isWindows(path);
}

function isWindows(path: string): boolean {
  return /^(?:[A-Za-z]:\/|\/\/)/.test(path);
}

/** Without "." and "..", no slash at the end; undefined where ".." leads out or nothing is left. `relative` drops the first slash too. */
function resolve(path: string, relative = false): string | undefined {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (kept.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') kept.push(part);
  }
  if (kept.length === 0) return undefined;
  const start = relative || !path.startsWith('/') ? '' : path.startsWith('//') ? '//' : '/';
  return start + kept.join('/');
}

function below(path: string | undefined, roots: readonly string[]): string | undefined {
  if (path === undefined || roots.length === 0) return path;
  for (const given of roots) {
    const slashed = withSlashes(given);
    const root = /^\/+$/.test(slashed) ? '' : resolve(slashed);
    if (root === undefined) continue;
    const same = isWindows(slashed) ? (text: string) => text.toLowerCase() : (text: string) => text;
    if (same(path).startsWith(`${same(root)}/`)) return path.slice(root.length + 1);
  }
  return undefined;
}
