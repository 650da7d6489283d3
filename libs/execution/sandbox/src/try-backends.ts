import type { IsolationPolicy } from '@h/contracts';
import type { BackendName, Located } from './backends/backend.ts';
import { locateBubblewrap } from './backends/bubblewrap.ts';
import { locatePlain } from './backends/plain.ts';
import { locateUtilLinux } from './backends/util-linux.ts';
import type { Control } from './controls/control.ts';
import { findTools, type HostTools } from './host/find-tools.ts';
import { probeBackend, unusable } from './probe-backend.ts';
import type { Scratch } from './workspace/own-scratch.ts';

/** Strongest first. */
export const BACKENDS: readonly BackendName[] = ['bubblewrap', 'util-linux', 'plain'];

export interface Trial {
  readonly slots: number;
  readonly control: Control | undefined;
  readonly network: IsolationPolicy['network'];
  readonly names?: readonly BackendName[];
  readonly signal?: AbortSignal;
  /** false: runs get copies, also where disks could be made. */
  readonly disks?: boolean;
}

/** Probes backends in order. A backend that is handed out is the caller's to close; one that does not work is closed here. */
export async function* tryBackends(scratch: Scratch, trial: Trial) {
  const { control, signal, names = BACKENDS } = trial;
  const tools = findTools(process.env.PATH ?? '');
  for (const name of names) {
    signal?.throwIfAborted();
    const located = await locate(name, tools, scratch, trial);
    if ('missing' in located) {
      yield { backend: undefined, probe: unusable(name, located.missing, located.remedy) };
      continue;
    }
    let { backend } = located;
    let probe = await probeBackend(backend, scratch, { control, signal });
    if (!probe.usable && backend.disks !== undefined && !signal?.aborted) {
      // A host may let disks be made and not be reached: better without them than not at all.
      const simpler = await locate(name, tools, scratch, { ...trial, disks: false });
      backend.close();
      if ('missing' in simpler) {
        yield { backend: undefined, probe };
        continue;
      }
      backend = simpler.backend;
      probe = await probeBackend(backend, scratch, { control, signal });
    }
    if (!probe.usable || signal?.aborted) backend.close();
    signal?.throwIfAborted();
    yield { backend: probe.usable ? backend : undefined, probe };
  }
}

async function locate(
  name: BackendName,
  tools: HostTools,
  { keep }: Scratch,
  { slots, network, disks = true }: Trial,
): Promise<Located> {
  const folder = (part: string) => keep(`${name}${disks ? '' : '-simple'}-${part}`);
  const options = { folder, slots, network, disks };
  if (name === 'bubblewrap') return locateBubblewrap(tools, options);
  return name === 'util-linux' ? locateUtilLinux(tools, options) : locatePlain(tools);
}
