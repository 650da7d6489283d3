// The programs that faults are put into: our own small ones, and files of real packages that are installed anyway.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sha256Hex } from '@h/contracts';
import { languageOf } from '@h/syntax';
import type { Program } from './inject-faults.ts';

const OWN = new URL('../test/fixtures/programs/', import.meta.url);
const PACKAGES = new URL('../../../../node_modules/', import.meta.url);
const LIST = new URL('./packages.json', import.meta.url);

export function readOwnPrograms(): Program[] {
  return readdirSync(OWN)
    .sort()
    .flatMap((path) => {
      const language = languageOf(path);
      return language ? [{ path, text: readFileSync(new URL(path, OWN), 'utf8'), language, group: path }] : [];
    });
}

export interface PackageFile {
  /** `npm:<package>/<path>` under the root's node_modules, or `python:<path>` in the standard library. */
  path: string;
  /** SHA-256 of the text as UTF-8. */
  sha256: string;
}

/** Files of packages that are there as they were pinned; the others by path. */
export function readPackageFiles(): { programs: Program[]; missing: string[] } {
  const pinned = JSON.parse(readFileSync(LIST, 'utf8')) as PackageFile[];
  const library = pythonLibrary();
  const programs: Program[] = [];
  const missing: string[] = [];
  for (const { path, sha256 } of pinned) {
    const text = readPinned(path, library);
    const language = languageOf(path);
    if (text === undefined || language === undefined || sha256Hex(text) !== sha256) missing.push(path);
    else programs.push({ path: path.replace(':', '/'), text, language, group: groupOf(path) });
  }
  return { programs, missing };
}

function readPinned(path: string, library: string | undefined): string | undefined {
  const [origin, rest = ''] = path.split(':');
  const file = origin === 'npm' ? new URL(rest, PACKAGES) : library === undefined ? undefined : `${library}/${rest}`;
  return file === undefined || !existsSync(file) ? undefined : readFileSync(file, 'utf8');
}

/** A package, or a module of the standard library. */
function groupOf(path: string): string {
  const parts = path.split('/');
  return path.startsWith('npm:@') ? parts.slice(0, 2).join('/') : (parts[0] ?? path);
}

function pythonLibrary(): string | undefined {
  try {
    return execFileSync('python3', ['-c', "import sysconfig; print(sysconfig.get_paths()['stdlib'])"], {
      encoding: 'utf8',
    }).trim();
  } catch {
    return undefined;
  }
}
