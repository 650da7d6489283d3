import { posix } from 'node:path';
import type { ArtifactStore, CollectedFile } from '@h/contracts';
import type { CollectionLimits } from '../workspace/collect-files.ts';
import type { ForeignFile } from './foreign-system.ts';

const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;

/** Stores the files that the globs name, sorted by path; links, repeated paths and paths that lead elsewhere are none of them. */
export async function storeFiles(
  given: readonly ForeignFile[],
  globs: readonly string[],
  artifacts: ArtifactStore,
  limits: CollectionLimits,
): Promise<CollectedFile[]> {
  // Loaded with the first use: importing the sandbox should cost next to nothing.
  const { default: picomatch } = await import('picomatch');
  const matches = picomatch([...globs], { dot: true });
  const files = new Map<string, CollectedFile>();
  let total = 0;
  for (const { path, mode = REGULAR, bytes } of given) {
    const type = mode & TYPE_BITS;
    if ((type !== REGULAR && type !== 0) || files.has(path)) continue;
    if (!isPlainPath(path) || !matches(path)) continue;
    const room = Math.min(limits.maxFileBytes, limits.maxTotalBytes - total);
    if (bytes.length > room) {
      limits.onLeftOut?.(path, `${bytes.length} bytes, ${room} allowed`);
      continue;
    }
    total += bytes.length;
    files.set(path, { path, sha: await artifacts.put(bytes), bytes: bytes.length });
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isPlainPath(path: string): boolean {
  return path !== '' && posix.normalize(path) === path && !/^\/|^\.\.?(\/|$)|\/$|\0/.test(path);
}
