import { sha256Hex } from './canonical-json.ts';
import { artifactCorrupt, artifactMissing } from './errors.ts';
import type { ArtifactStore } from './ports.ts';

/** Artifacts kept in this process. */
export function memoryArtifacts(): ArtifactStore {
  const held = new Map<string, Uint8Array>();
  return {
    async get(sha, options) {
      options?.signal?.throwIfAborted();
      const bytes = held.get(sha);
      if (bytes === undefined) throw artifactMissing(sha);
      return bytes.slice();
    },
    async put(bytes, options) {
      options?.signal?.throwIfAborted();
      const sha = sha256Hex(bytes);
      if (!held.has(sha)) held.set(sha, bytes.slice());
      return sha;
    },
  };
}

/** Artifacts as files `<dir>/<2 hex>/<62 hex>`, written to a temporary name first; bytes are checked when read. */
export function directoryArtifacts(dir: string): ArtifactStore {
  let serial = 0;
  const pathOf = (sha: string) => `${dir}/${sha.slice(0, 2)}/${sha.slice(2)}`;
  return {
    async get(sha, options) {
      const { readFile } = await import('node:fs/promises');
      const bytes = await readFile(pathOf(sha), { signal: options?.signal }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw artifactMissing(sha);
        throw error;
      });
      const got = sha256Hex(bytes);
      if (got !== sha) throw artifactCorrupt(sha, got);
      return bytes;
    },
    async put(bytes, options) {
      options?.signal?.throwIfAborted();
      const { access, mkdir, rename, writeFile } = await import('node:fs/promises');
      const sha = sha256Hex(bytes);
      const path = pathOf(sha);
      const held = await access(path).then(
        () => true,
        () => false,
      );
      if (held) return sha;
      await mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
      serial += 1;
      const temporary = `${path}.${process.pid}.${serial}.tmp`;
      await writeFile(temporary, bytes);
      await rename(temporary, path);
      return sha;
    },
  };
}
