import {
  type ArtifactStore,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  type IsolationPolicy,
  type ObserveOptions,
  putTree,
  type Sha,
  sha256Hex,
} from '@h/contracts';

/** One promise of an executor, and how it is tried. */
export interface ConformanceTrial {
  readonly name: string;
  /** What holds where the trial passes, in one sentence. */
  readonly promise: string;
  /** Settles where the promise held; throws by `Trial.fail` or `Trial.skip` where it did not, or could not be tried. */
  run(trial: Trial): Promise<void>;
}

export type TrialFiles = Readonly<
  Record<string, string | Uint8Array | { readonly text: string; readonly mode: number }>
>;

export interface TrialRun {
  readonly files?: TrialFiles;
  readonly policy?: Partial<IsolationPolicy>;
  readonly request?: Partial<ExecutionRequest>;
  readonly observe?: ObserveOptions;
}

export interface TrialOptions {
  readonly artifacts: ArtifactStore;
  readonly policy: IsolationPolicy;
  readonly shell: string;
  readonly slackMs: number;
}

/** Why a trial ended before its promise was seen to hold. */
export class TrialEnd extends Error {
  readonly verdict: 'fail' | 'untested';

  constructor(verdict: 'fail' | 'untested', reason: string) {
    super(reason);
    this.verdict = verdict;
  }
}

/** What a trial works with. */
export interface Trial {
  readonly executor: Executor;
  readonly artifacts: ArtifactStore;
  /** Milliseconds that the executor may be late by, for all that is measured. */
  readonly slackMs: number;
  run(argv: readonly string[], options?: TrialRun): Promise<ExecutionResult>;
  sh(script: string, options?: TrialRun): Promise<ExecutionResult>;
  /** Text of a collected file, after its hash was checked; undefined: it was not collected. */
  textOf(result: ExecutionResult, path: string): Promise<string | undefined>;
  /** Milliseconds that a run which does nothing takes. */
  restMs(): Promise<number>;
  /** Fails unless both are the same in JSON. */
  same(what: string, seen: unknown, expected: unknown): void;
  fail(reason: string): never;
  skip(reason: string): never;
}

const FILES: TrialFiles = { 'a.txt': 'a\n' };

export function openTrial(executor: Executor, { artifacts, policy, shell, slackMs }: TrialOptions): Trial {
  const run: Trial['run'] = async (argv, { files = FILES, policy: changes = {}, request = {}, observe = {} } = {}) => {
    const tree = await storeTree(files, artifacts);
    const base = { mode: 'verdict' as const, argv: [...argv], cwd: '', tree, artifact_version: tree, ordinal: 0 };
    return executor.run({ ...base, policy: { ...policy, ...changes }, collect: [], ...request }, observe);
  };
  const fail = (reason: string): never => {
    throw new TrialEnd('fail', reason);
  };
  let rest: number | undefined;
  return {
    executor,
    artifacts,
    slackMs,
    run,
    sh: (script, options) => run([shell, '-c', script], options),
    async textOf({ files }, path) {
      const file = files.find((one) => one.path === path);
      if (file === undefined) return undefined;
      const bytes = await artifacts.get(file.sha);
      if (sha256Hex(bytes) !== file.sha || bytes.length !== file.bytes)
        fail(`${path}: the store holds other bytes than the result says`);
      return new TextDecoder().decode(bytes);
    },
    async restMs() {
      const begin = performance.now();
      if (rest === undefined) await run([shell, '-c', 'exit 0']);
      rest ??= performance.now() - begin;
      return rest;
    },
    same(what, seen, expected) {
      const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)];
      if (one !== other) fail(`${what}: ${one?.slice(0, 400)} instead of ${other?.slice(0, 400)}`);
    },
    fail,
    skip: (reason) => {
      throw new TrialEnd('untested', reason);
    },
  };
}

async function storeTree(files: TrialFiles, artifacts: ArtifactStore): Promise<Sha> {
  const entries = Object.entries(files).map(async ([path, file]) => {
    const { text, mode } =
      typeof file === 'string' || file instanceof Uint8Array ? { text: file, mode: 0o100644 } : file;
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return { path, mode, sha: await artifacts.put(bytes) };
  });
  return putTree(await Promise.all(entries), artifacts);
}
