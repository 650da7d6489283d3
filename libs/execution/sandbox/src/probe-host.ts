import { arch, platform, release, tmpdir } from 'node:os';
import { findTools, type HostTools } from './host/find-tools.ts';
import type { BackendProbe } from './probe-backend.ts';
import { type ControlProbe, locateControl, probeControl } from './probe-control.ts';
import { untilAborted } from './processes/until-aborted.ts';
import { tryBackends } from './try-backends.ts';
import { ownScratch } from './workspace/own-scratch.ts';

/** What this host offers for isolation, for `h doctor`. */
export interface HostReport {
  readonly platform: string;
  readonly arch: string;
  readonly kernel: string;
  readonly root: boolean;
  /** Absolute paths of the helper programs found. */
  readonly tools: HostTools;
  /** Every backend, strongest first, each tried by a real run. */
  readonly backends: readonly BackendProbe[];
  /** What limits memory, processes and processor time of a run together. */
  readonly limits: ControlProbe;
}

export interface ProbeHostOptions {
  readonly scratchRoot?: string;
  readonly signal?: AbortSignal;
}

/** Tries every backend by a real run, also those weaker than the first that works. Takes about half a second. */
export function probeHost(options: ProbeHostOptions = {}): Promise<HostReport> {
  return untilAborted(
    (signal) => examine(options, signal),
    options.signal,
    async () => undefined,
  );
}

async function examine({ scratchRoot }: ProbeHostOptions, signal: AbortSignal | undefined): Promise<HostReport> {
  const scratch = await ownScratch([scratchRoot ?? tmpdir()]);
  const backends: BackendProbe[] = [];
  const control = locateControl();
  try {
    const limits = await probeControl(control, signal);
    const trial = { slots: 1, control, network: 'deny', ...(signal && { signal }) } as const;
    for await (const { backend, probe } of tryBackends(scratch, trial)) {
      backends.push(probe);
      backend?.close();
    }
    const tools = findTools(process.env.PATH ?? '');
    const root = process.getuid?.() === 0;
    return { platform: platform(), arch: arch(), kernel: release(), root, tools, backends, limits };
  } finally {
    await scratch.close();
  }
}
