import type { IsolationPolicy, IsolationProperty, PropertyState } from '@h/contracts';
import type { RunGroup } from '../controls/control.ts';
import type { DiskPlan } from '../disk/plan-disk.ts';
import type { RunFolders } from '../workspace/own-scratch.ts';
import type { Owner } from '../workspace/prepare-workspace.ts';

export type BackendName = 'bubblewrap' | 'util-linux' | 'plain';

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
  /** Absent: the run's folders are ordinary ones of the host. */
  readonly disk?: DiskPlan;
}

/** Shell script in the run's own folder by which a process that passed its gate becomes the payload. */
export const COMMAND_FILE = 'command';

/** Descriptor on which a started process waits to be let go; `Launch.extra` begins with it. */
export const GATE_FD = 3;

/** What to start. The process waits on its gate until it is given the bytes that let it go, and ends if the gate closes without them. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Own session and process group. */
  readonly detached: boolean;
  /** Descriptors after the gate: a pipe for us to read, an open descriptor, or a file opened anew for reading. */
  readonly extra: readonly ('pipe' | number | { readonly file: string })[];
  /** Bytes for the gate as soon as the process is in its control group, for a start that makes processes of its own. */
  readonly onceGrouped?: Uint8Array;
  /** It says when its disk is made, by a line `ready` on the first pipe of `extra`. */
  readonly tellsReady?: true;
}

/** Where this program reaches the disk of a process at its gate. */
export interface DiskPlaces {
  readonly workspace: string;
  readonly home: string;
}

/** Disks that are made with the process, of a prepared tree and limited in size. */
export interface DiskSupport {
  /** Makes a prepared tree known to a slot, under the name that goes into the `DiskPlan`. */
  offer(slot: number, folder: string): string;
  places(leader: number, slot: number): DiskPlaces;
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

/** What of a plan a start may depend on. */
export type StartPlan = Pick<LaunchPlan, 'policy' | 'readOnlyPaths' | 'disk'>;

/** A started command, reduced to what a backend needs of it. */
export interface Leader {
  readonly pid: number;
  /** All that has come on the first of its pipes up to now; it comes before listeners of the pipe are called. */
  readonly told: () => string;
  /** Streams of the `Launch.extra` entries that are "pipe", by position. */
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
  /** Absent: runs of this backend have no disk of their own. */
  readonly disks?: DiskSupport;
  /** What to start for a slot, before its next run is known: for one like the last, where there was one. */
  launch(slot: number, like?: StartPlan): Launch;
  /** What a start depends on beside its disk, as it is now: one that was made under another key will not do. Absent: on nothing. */
  startKey?(plan: StartPlan): string | undefined;
  /** Bytes for the gate. Writes what the process is to do beside the run's workspace. */
  release(plan: LaunchPlan): Uint8Array;
  follow(leader: Leader, plan: LaunchPlan, group: RunGroup | undefined): ProcessTree;
  /** Properties that no single attempt can show, as far as this way of isolation goes. */
  readonly claims: Readonly<Partial<Record<IsolationProperty, PropertyState>>>;
  /** One sentence, with the remedy, on what it lacks here and no property names. */
  readonly warning?: string;
  close(): void;
}

export type Located = { readonly backend: Backend } | { readonly missing: string; readonly remedy: string };
