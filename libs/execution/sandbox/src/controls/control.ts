import type { IsolationPolicy, IsolationProperty } from '@h/contracts';

/** What a group of processes has used. */
export interface Usage {
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
  /** Times that a process was killed for memory. */
  readonly memoryHits: number;
  /** Times that a process or thread was refused. */
  readonly pidsHits: number;
  /** Times that processes were held back for processor time. */
  readonly throttled: number;
}

/** The processes of one run, as the kernel groups them. Fresh for each run. */
export interface RunGroup {
  /** As of its control. */
  readonly accounts: boolean;
  /** Files by which a process that may write them would leave the group. */
  readonly exits: readonly string[];
  /** Moves a process in; its future children follow. */
  add(pid: number): Promise<void>;
  /** Sets the limits and reads them back; throws when the kernel keeps another value. */
  limit(policy: Pick<IsolationPolicy, 'memory_bytes' | 'pids_max' | 'cpu_cores'>): void;
  /** Gives the processes all the processor time there is, so that killed ones need not wait for their share to be gone. */
  hurry(): void;
  usage(): Usage;
  processes(): number[];
  remove(): Promise<void>;
}

/** One way to limit what a run's processes use together. Members differ only behind this shape. */
export interface Control {
  readonly name: 'cgroup-v2' | 'cgroup-v1' | 'polling';
  /** Properties that groups of this control are built to keep; the probe decides. */
  readonly promises: readonly IsolationProperty[];
  /** Whether `usage` is the kernel's own account, also of processes that have ended and of files in memory. */
  readonly accounts: boolean;
  open(): RunGroup;
}
