import type { IsolationPolicy, IsolationProperty, PropertyState } from '@h/contracts';
import type { RunFolders } from '../own-scratch.ts';
import type { Owner } from '../prepare-workspace.ts';

export type BackendName = 'bubblewrap' | 'plain';

/** One run, as a backend needs it to write a command line. */
export interface LaunchPlan {
  readonly argv: readonly string[];
  /** Relative to the workspace, normalized; "" is the workspace. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly folders: RunFolders;
  readonly policy: IsolationPolicy;
  readonly readOnlyPaths: readonly string[];
  /** Which of the sandbox's concurrent places the run has, from 0. */
  readonly slot: number;
}

/** What to start, and on which descriptors. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Own session and process group. */
  readonly detached: boolean;
  /** Descriptors from 3 on: bytes to read, a pipe to be read by us, or an open descriptor. */
  readonly extra: readonly (Uint8Array | 'pipe' | number)[];
}

/** How the command ended, in the payload's terms. */
export interface Outcome {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  /** The backend itself failed before the payload began. */
  readonly setupFailure?: true;
}

/** The processes of one run. */
export interface ProcessTree {
  /** Ends every process of the run, at once and without mercy. May be called again. */
  kill(): void;
  /** Settles when no process of the run is left, or after `timeoutMs`; says which. */
  gone(timeoutMs: number): Promise<boolean>;
  outcome(exitCode: number | null, signal: NodeJS.Signals | null): Outcome;
}

/** A started command, reduced to what a backend needs of it. */
export interface Started {
  readonly pid: number;
  /** Streams of `Launch.extra` entries that are "pipe", by position. */
  readonly pipes: readonly (NodeJS.ReadableStream | undefined)[];
}

/** One way to isolate a run. Members differ only behind this shape. */
export interface Backend {
  readonly name: BackendName;
  /** Where the payload sees its own folders. */
  inside(folders: RunFolders): { readonly workspace: string; readonly home: string; readonly tmp: string };
  owner(slot: number): Owner;
  /** Gives the run's folders to the payload's user. */
  adopt(folders: RunFolders, slot: number): void;
  launch(plan: LaunchPlan): Launch;
  follow(started: Started, plan: LaunchPlan): ProcessTree;
  /** Properties that hold by construction once the probe has run at all; the probe decides the rest. */
  readonly claims: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
  close(): void;
}

export type Located = { readonly backend: Backend } | { readonly missing: string; readonly remedy: string };
