import { arch, platform, release, tmpdir } from 'node:os';
import { IsolationProperty, type PropertyState } from '@h/contracts';
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
  /** What a run would have on this host under the strongest backend that works, every property by name. */
  readonly properties: Readonly<Record<IsolationProperty, PropertyState>>;
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
    const properties = rowOf(backends, limits);
    return { platform: platform(), arch: arch(), kernel: release(), root, tools, backends, limits, properties };
  } finally {
    await scratch.close();
  }
}

function rowOf(backends: readonly BackendProbe[], limits: ControlProbe): HostReport['properties'] {
  const probed = { ...limits.properties, ...backends.find(({ usable }) => usable)?.properties };
  const states = IsolationProperty.options.map((property) => [property, probed[property] ?? 'unknown'] as const);
  // Nothing here can set the clock of a run.
  return { ...(Object.fromEntries(states) as Record<IsolationProperty, PropertyState>), fixed_clock: 'unmet' };
}
