// Ports: functions that the caller supplies. The one exception to "everything that crosses a boundary is a record".

import type { Sha } from './define-record.ts';
import type { ExecutionRequest, ExecutionResult, IsolationProperty, TestCommand, TestRunReport } from './execution.ts';
import type { ModelOutcome, ModelRequest } from './generation.ts';
import type { TreeChange } from './trees.ts';

export interface CancelOptions {
  /** Aborted before the start: nothing happens. Aborted midway: settles within 100 ms and leaves nothing running. */
  readonly signal?: AbortSignal;
}

/** A line of progress. `done` and `total` count the same things; `total` is absent when it is not known. */
export interface ProgressEvent {
  readonly kind: string;
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

export interface ObserveOptions extends CancelOptions {
  readonly onEvent?: (event: ProgressEvent) => void;
}

/** Runs a command under a declared policy. `@h/sandbox` is one; Docker or a remote sandbox may be another. */
export interface Executor {
  run(request: ExecutionRequest, options?: ObserveOptions): Promise<ExecutionResult>;
  readonly capabilities: {
    /** Runs that may be in flight at once. */
    readonly concurrency: number;
    /** Whether a workspace may outlive a run. */
    readonly persistent: boolean;
    readonly enforces: readonly IsolationProperty[];
  };
}

/** Bytes by their SHA-256. `get` rejects with `artifact_missing` for a hash it does not hold. */
export interface ArtifactStore {
  get(sha: Sha, options?: CancelOptions): Promise<Uint8Array>;
  put(bytes: Uint8Array, options?: CancelOptions): Promise<Sha>;
}

/** A readable set of files. Paths are relative to its root, with "/"; `list` yields them in code-unit order. */
export interface SourceReader {
  read(path: string): Promise<Uint8Array>;
  list(glob: string): AsyncIterable<string>;
}

export type ModelCall = (request: ModelRequest, options?: CancelOptions) => Promise<ModelOutcome>;

export type RunTests = (command: TestCommand, tree: Sha, options?: ObserveOptions) => Promise<TestRunReport>;

/** What a batch of candidates came to. */
export interface BatchRun {
  /** One report a candidate, in order; undefined: it was not run in the batch, and has to be run alone. */
  readonly reports: readonly (TestRunReport | undefined)[];
  /** The tree without any candidate, run in the same way; absent where nothing ran. It must be what a run alone says. */
  readonly control?: TestRunReport;
  /** Candidates, by their place in `reports`, that a limit of the batch's own ended: a run alone has other limits. Absent: none. */
  readonly limited?: readonly number[];
  /** No candidate at all can be run in a batch of this command: another batch need not be asked for. */
  readonly off?: boolean;
  /** Why candidates were not run in the batch. */
  readonly notes: readonly string[];
}

/** Runs one command on many candidates of a tree, each given by the files that it changes, at less than a start of the runner each. */
export type RunBatch = (
  command: TestCommand,
  tree: Sha,
  candidates: readonly (readonly TreeChange[])[],
  options?: ObserveOptions,
) => Promise<BatchRun>;
