import type { EndedBy, Executor, IsolationPolicy, Receipt } from '@h/contracts';

/** A file on its way to or from a foreign system. */
export interface ForeignFile {
  /** Relative to the folder of the place, with "/". */
  readonly path: string;
  /** POSIX mode as in a tree; 0o120000: a symbolic link whose bytes are its target. Files that come back may go without. */
  readonly mode?: number;
  readonly bytes: Uint8Array;
}

/** Which of the runs in flight is meant, and until when. */
export interface ForeignCall {
  /** Name of a private folder, container or machine: fresh for every `put` and every `run`, of letters, digits and "-". */
  readonly place: string;
  /** Aborted when the run is cancelled or its time is over. */
  readonly signal: AbortSignal;
}

export interface ForeignPut extends ForeignCall {
  /** What the run may use; what of it the system keeps is for `capabilities.enforces` to say. */
  readonly policy: IsolationPolicy;
}

export interface ForeignCommand extends ForeignPut {
  readonly argv: readonly string[];
  /** Relative to the folder of the place; "" is that folder. */
  readonly cwd: string;
  /** The whole environment but HOME and TMPDIR, which are the system's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for standard input; absent: an end of it at once. */
  readonly stdin?: string;
  /** Wall-clock limit in milliseconds; `signal` is aborted when it has passed. */
  readonly wallMs: number;
  /** Takes output as it comes, so that a run that is cut short keeps what it wrote. */
  readonly onStdout: (chunk: Uint8Array | string) => void;
  readonly onStderr: (chunk: Uint8Array | string) => void;
}

/** How a command ended over there: an exit code, a signal, or a limit by name. What is not known is left out. */
export interface ForeignExit {
  readonly exitCode?: number;
  /** Such as "SIGKILL". */
  readonly signal?: string;
  /** Where the system itself ended it, such as by a memory limit. */
  readonly endedBy?: EndedBy;
  /** Output that was not given to `onStdout`. */
  readonly stdout?: Uint8Array | string;
  readonly stderr?: Uint8Array | string;
  readonly cpuMs?: number;
  readonly peakMemoryBytes?: number;
  /** What held for this run, over what `capabilities` say of every run. */
  readonly properties?: Receipt['properties'];
}

/** Everything of a run at once. */
export interface ForeignJob extends ForeignCommand {
  readonly files: readonly ForeignFile[];
  /** Globs of the files to bring back; none: no files are wanted. */
  readonly collect: readonly string[];
}

interface ForeignBase {
  /** For receipts and messages; "foreign" by default. */
  readonly name?: string;
  readonly capabilities: Executor['capabilities'];
  /** Ends and removes what is left of the place. Called once a place, also when `put` or `run` failed; the result does not wait for it. */
  drop?(call: ForeignCall): Promise<unknown>;
}

/** A system that takes a run step by step. */
export interface ForeignSteps extends ForeignBase {
  /**
   * Whether a place may take one run after another, each in a folder of its own that is made anew and compared byte by byte with the tree it
   * is to have: then most runs are one call of `exec`. By default where nothing of `capabilities.enforces` holds for a place as a whole,
   * such as `scratch_private`, `no_survivors` or a limit of memory.
   */
  readonly reusePlaces?: boolean;
  /** Makes the place and lays the files into its empty folder. Called once a place. */
  put(files: readonly ForeignFile[], call: ForeignPut): Promise<unknown>;
  /** Runs a command in the place as it is; one after another where places are reused. */
  exec(command: ForeignCommand): Promise<ForeignExit>;
  /** Files that the globs name; more may be given, and are left out. Called after a command, if at all. */
  get(globs: readonly string[], call: ForeignCall): Promise<readonly ForeignFile[]>;
}

/** A system that takes a whole run in one call: for one that is far away. */
export interface ForeignWhole extends ForeignBase {
  /**
   * Lays the files, runs the command and answers with its end and the files wanted. Only the system can tell transfer from run: it keeps
   * `wallMs` itself and answers `endedBy: 'wall_limit'`.
   */
  run(job: ForeignJob): Promise<ForeignExit & { readonly files?: readonly ForeignFile[] }>;
}

/** Docker, a remote sandbox, a machine behind ssh. A rejection of any of these means that the system failed, never the command. */
export type ForeignSystem = ForeignSteps | ForeignWhole;
