import { arch, platform, release, tmpdir } from 'node:os';
import { findTools, type HostTools } from './host/find-tools.ts';
import type { BackendProbe } from './probe-backend.ts';
import { type ControlProbe, locateControl, probeControl } from './probe-control.ts';
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

/** Tries every backend by a real run, also those weaker than the first that works. Takes about half a second. */
export async function probeHost(options: { readonly scratchRoot?: string } = {}): Promise<HostReport> {
  const scratch = await ownScratch([options.scratchRoot ?? tmpdir()]);
  const backends: BackendProbe[] = [];
  const control = locateControl();
  const limits = await probeControl(control);
  try {
    for await (const { backend, probe } of tryBackends(scratch, { slots: 1, control, network: 'deny' })) {
      backends.push(probe);
      backend?.close();
    }
  } finally {
    await scratch.close();
  }
  const tools = findTools(process.env.PATH ?? '');
  return {
    platform: platform(),
    arch: arch(),
    kernel: release(),
    root: process.getuid?.() === 0,
    tools,
    backends,
    limits,
  };
}
