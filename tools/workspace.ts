// Reads the workspace: which libraries there are, what each declares, and what follows from it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Library {
  /** "@h/sbfl". */
  readonly name: string;
  /** Relative to the repository root: "libs/diagnosis/sbfl". */
  readonly path: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: unknown;
  readonly engines?: Record<string, string>;
  readonly exports?: Record<string, string | Record<string, string>>;
  readonly bin?: Record<string, string>;
  readonly files?: readonly string[];
  readonly publishConfig?: { readonly access?: string };
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/** Every library under `libs/<domain>/<name>`, by path in code-unit order. */
export function listLibraries(root: string): Library[] {
  return foldersOf(root, 'libs')
    .flatMap((domain) => foldersOf(root, domain))
    .filter((path) => existsSync(join(root, path, 'package.json')))
    .map((path) => {
      const manifest: Manifest = readJson(join(root, path, 'package.json'));
      return { name: manifest.name, path, manifest };
    });
}

/** The project references a library's tsconfig needs: one for each library it depends on, by path. */
export function referencesOf(library: Library, libraries: readonly Library[]): { path: string }[] {
  const needed = { ...library.manifest.dependencies, ...library.manifest.peerDependencies };
  return libraries
    .filter(({ name }) => name in needed)
    .map(({ path }) => ({ path: relative(library.path, path) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parses a JSON file without comments. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function foldersOf(root: string, path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}/${name}`)
    .sort();
}
