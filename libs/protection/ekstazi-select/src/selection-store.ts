// Where baselines are kept between runs: a port over texts, and one in memory.
import type { CancelOptions } from '@h/contracts';
import { SelectError } from './errors.ts';
import { formatBaseline, parseBaseline, type SelectionBaseline } from './format-baseline.ts';

/** Texts by key: files of a folder, rows of a table. `read` resolves to undefined for a key it does not hold. */
export interface TextStore {
  read(key: string, options?: CancelOptions): Promise<string | undefined>;
  /** Replaces the text as a whole: a reader sees the old or the new one. */
  write(key: string, text: string, options?: CancelOptions): Promise<void>;
}

export type StoredBaseline =
  | { readonly status: 'found'; readonly baseline: SelectionBaseline }
  | { readonly status: 'none' }
  /** Select without a baseline: everything runs. `error.code` says whether it is damaged or of an unknown version. */
  | { readonly status: 'unusable'; readonly error: SelectError };

/** Keeps the baseline of a line of work, such as a branch, under a key. */
export interface SelectionStore {
  load(key: string, options?: CancelOptions): Promise<StoredBaseline>;
  /** Rejects with `unknown_baseline_version` where the key holds a baseline of another version, which stays as it is. */
  save(key: string, baseline: SelectionBaseline, options?: CancelOptions): Promise<void>;
}

/** A store of baselines over a store of texts. */
export function createSelectionStore(texts: TextStore): SelectionStore {
  const load = async (key: string, options?: CancelOptions): Promise<StoredBaseline> => {
    options?.signal?.throwIfAborted();
    const text = await texts.read(key, options);
    return text === undefined ? { status: 'none' } : readBaseline(text);
  };
  return {
    load,
    async save(key, baseline, options) {
      const held = await load(key, options);
      if (held.status === 'unusable' && held.error.code === 'unknown_baseline_version') throw held.error;
      options?.signal?.throwIfAborted();
      await texts.write(key, formatBaseline(baseline), options);
    },
  };
}

/** A store that forgets with the process. It keeps texts, as every other does. */
export function memorySelectionStore(): SelectionStore {
  const texts = new Map<string, string>();
  return createSelectionStore({
    read: async (key) => texts.get(key),
    write: async (key, text) => void texts.set(key, text),
  });
}

function readBaseline(text: string): StoredBaseline {
  try {
    return { status: 'found', baseline: parseBaseline(text) };
  } catch (error) {
    if (error instanceof SelectError) return { status: 'unusable', error };
    throw error;
  }
}
