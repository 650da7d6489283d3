import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import {
  type ArtifactStore,
  EXECUTABLE_FILE,
  getTree,
  putTree,
  REGULAR_FILE,
  type Sha,
  type SourceReader,
  SYMBOLIC_LINK,
  type TreeEntry,
} from '@h/contracts';
import picomatch from 'picomatch';
import { simpleGit } from 'simple-git';
import { repositoryMissing, repositoryUnreadable } from './errors.ts';

export interface Repository {
  /** Absolute path. */
  readonly dir: string;
  readonly tree: Sha;
  readonly entries: readonly TreeEntry[];
  readonly reader: SourceReader;
  /** Files and folders that git ignores, dependencies and caches apart: no run sees them. */
  readonly ignored: readonly string[];
}

/**
 * Stores every file of a repository as artifacts and names the tree. Files are the git-tracked and
 * untracked-not-ignored ones where the folder has a `.git` of its own, else all but `node_modules`,
 * virtual environments, `.git` and `.h`. Throws `repository_missing` or `repository_unreadable`.
 */
export async function readRepository(
  path: string,
  artifacts: ArtifactStore,
  signal?: AbortSignal,
): Promise<Repository> {
  const dir = await checkDirectory(path);
  const entries: TreeEntry[] = [];
  for (const file of await listFiles(dir)) {
    signal?.throwIfAborted();
    const entry = await storeFile(dir, file, artifacts).catch((error: unknown) => {
      throw repositoryUnreadable(join(dir, file), error);
    });
    if (entry !== undefined) entries.push(entry);
  }
  const tree = await putTree(entries, artifacts);
  const ignored = await listIgnored(dir);
  return { dir, tree, ignored, entries: await getTree(tree, artifacts), reader: readerOf(entries, artifacts) };
}

/** The absolute path of an existing folder, symbolic links followed. Throws `repository_missing`. */
export async function checkDirectory(path: string): Promise<string> {
  const dir = resolve(path);
  const stat = await lstat(dir).catch(() => undefined);
  if (stat === undefined) throw repositoryMissing(dir, 'there is no such folder');
  if (stat.isSymbolicLink()) return checkDirectory(resolve(dir, '..', await readlink(dir)));
  if (!stat.isDirectory()) throw repositoryMissing(dir, 'it is not a folder');
  return dir;
}

async function listFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir);
  const files = names.includes('.git') ? await listGitFiles(dir) : await walk(dir, '');
  return [...new Set(files)].filter((file) => !file.startsWith('.h/') && isPortable(file)).sort();
}

/** A repository's own configuration must not start programs here, and one of another user may be read as well. */
const GIT_CONFIG = ['core.fsmonitor=false', 'safe.directory=*'];

function listGitFiles(dir: string): Promise<string[]> {
  return gitList(dir, '--cached', '--others', '--exclude-standard');
}

const EXPECTED_IGNORED = /^(?:\.h|\.?v?env|node_modules)\/$|__pycache__|\.pyc$|_cache\/$|\.egg-info\/$/;

async function listIgnored(dir: string): Promise<string[]> {
  if (!(await readdir(dir)).includes('.git')) return [];
  const found = await gitList(dir, '--others', '--ignored', '--exclude-standard', '--directory');
  return found.filter((file) => !EXPECTED_IGNORED.test(file)).sort();
}

async function gitList(dir: string, ...flags: string[]): Promise<string[]> {
  const git = simpleGit({ baseDir: dir, config: GIT_CONFIG, unsafe: { allowUnsafeFsMonitor: true } });
  const output = await git.raw(['ls-files', '-z', ...flags]);
  return output.split('\0').filter((file) => file !== '');
}

const SKIPPED = new Set(['node_modules', '.git', '.h', '__pycache__']);

async function walk(dir: string, below: string): Promise<string[]> {
  const found: string[] = [];
  const listed = await readdir(join(dir, below), { withFileTypes: true });
  if (listed.some((entry) => entry.name === 'pyvenv.cfg')) return [];
  for (const entry of listed) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (SKIPPED.has(entry.name)) continue;
    if (entry.isDirectory()) found.push(...(await walk(dir, path)));
    else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
  }
  return found;
}

/** Names with a backslash cannot be said in a tree; they are left out. */
function isPortable(file: string): boolean {
  return !file.includes('\\');
}

async function storeFile(dir: string, file: string, artifacts: ArtifactStore): Promise<TreeEntry | undefined> {
  const path = join(dir, ...file.split('/'));
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || stat.isDirectory()) return undefined;
  if (stat.isSymbolicLink()) {
    const target = (await readlink(path)).split(sep).join('/');
    return { path: file, mode: SYMBOLIC_LINK, sha: await artifacts.put(new TextEncoder().encode(target)) };
  }
  if (!stat.isFile()) return undefined;
  const mode = (stat.mode & 0o111) === 0 ? REGULAR_FILE : EXECUTABLE_FILE;
  return { path: file, mode, sha: await artifacts.put(await readFile(path)) };
}

function readerOf(entries: readonly TreeEntry[], artifacts: ArtifactStore): SourceReader {
  const shaOf = new Map(
    entries.filter((entry) => entry.mode !== SYMBOLIC_LINK).map((entry) => [entry.path, entry.sha]),
  );
  return {
    async read(path) {
      const sha = shaOf.get(path);
      if (sha === undefined) throw new Error(`no file ${path} in the repository`);
      return artifacts.get(sha);
    },
    async *list(glob) {
      const matches = picomatch(glob, { dot: true });
      for (const path of shaOf.keys()) if (matches(path)) yield path;
    },
  };
}
