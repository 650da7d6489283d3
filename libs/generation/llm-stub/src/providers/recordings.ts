import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Texts by request digest. Any key-value store can be one. */
export interface Recordings {
  /** undefined: no such recording. */
  get(digest: string): Promise<string | undefined>;
  /** Replaces an earlier one. */
  put(digest: string, text: string): Promise<void>;
  /** Digests in code-unit order. */
  list(): Promise<readonly string[]>;
}

/** Recordings that live as long as the process. */
export function memoryRecordings(): Recordings {
  const texts = new Map<string, string>();
  return {
    get: async (digest) => texts.get(digest),
    put: async (digest, text) => void texts.set(digest, text),
    list: async () => [...texts.keys()].sort(),
  };
}

/** Recordings as `<digest>.json` in a folder, made when first written to. A file is there whole or not at all. */
export function directoryRecordings(folder: string): Recordings {
  const pathOf = (digest: string) => join(folder, `${digest}.json`);
  return {
    get: (digest) => readFile(pathOf(digest), 'utf8').catch(absentAs(undefined)),
    async put(digest, text) {
      await mkdir(folder, { recursive: true });
      const unfinished = join(folder, `.${digest}.${randomUUID()}`);
      await writeFile(unfinished, text, { flag: 'wx' });
      await rename(unfinished, pathOf(digest));
    },
    async list() {
      const names = await readdir(folder).catch(absentAs<string[]>([]));
      return names.flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.[1] ?? []).sort();
    },
  };
}

function absentAs<Value>(value: Value) {
  return (error: NodeJS.ErrnoException): Value => {
    if (error.code !== 'ENOENT') throw error;
    return value;
  };
}
