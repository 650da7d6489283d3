import type { BackendName } from './backends/backend.ts';
import { locateBubblewrap } from './backends/bubblewrap.ts';
import { locatePlain } from './backends/plain.ts';
import type { Control } from './controls/control.ts';
import { findTools } from './host/find-tools.ts';
import { probeBackend, unusable } from './probe-backend.ts';
import type { Scratch } from './workspace/own-scratch.ts';

/** Strongest first. */
export const BACKENDS: readonly BackendName[] = ['bubblewrap', 'plain'];

interface Trial {
  readonly slots: number;
  readonly control: Control | undefined;
  readonly names?: readonly BackendName[];
}

/** Probes backends in order. A backend that is handed out is the caller's to close; one that does not work is closed here. */
export async function* tryBackends(scratch: Scratch, { slots, control, names = BACKENDS }: Trial) {
  const tools = findTools(process.env.PATH ?? '');
  for (const name of names) {
    const located =
      name === 'plain' ? locatePlain(tools) : await locateBubblewrap(tools, { folder: scratch.keep, slots });
    if ('missing' in located) {
      yield { backend: undefined, probe: unusable(name, located.missing, located.remedy) };
      continue;
    }
    const probe = await probeBackend(located.backend, scratch, control);
    if (!probe.usable) located.backend.close();
    yield { backend: probe.usable ? located.backend : undefined, probe };
  }
}
