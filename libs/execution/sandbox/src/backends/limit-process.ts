import { constants } from 'node:os';
import type { HostTools } from '../find-tools.ts';
import type { LaunchPlan } from './backend.ts';

/**
 * Command prefix that sets what a process can limit of itself (no core file, size of one file, processor time of one process),
 * closes the descriptors named, and becomes the rest of the command line. A shell, because it costs less than `prlimit` and exists everywhere.
 */
export function limitProcess({ policy }: LaunchPlan, closeDescriptors: readonly number[]): string[] {
  const blocks = Math.max(1, Math.ceil(policy.disk_bytes / 512));
  const seconds = policy.cpu_ms === undefined ? undefined : Math.max(1, Math.ceil(policy.cpu_ms / 1000));
  const limits = [
    'ulimit -c 0',
    `ulimit -f ${blocks}`,
    ...(seconds === undefined ? [] : [`ulimit -S -t ${seconds}`, `ulimit -H -t ${seconds + 1}`]),
  ];
  const script = [
    ...limits.map((limit) => `${limit} 2>/dev/null`),
    ...closeDescriptors.map((fd) => `exec ${fd}<&-`),
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', script.join('; '), 'sh'];
}

/** `setarch -R` where the policy wants fixed addresses and the host can. */
export function fixAddresses({ policy }: LaunchPlan, tools: HostTools): string[] {
  return policy.determinism.no_aslr && tools.setarch !== undefined ? [tools.setarch, '-R'] : [];
}

/** Name of the signal with this number on this host. */
export function signalName(number: number): NodeJS.Signals | undefined {
  return (Object.entries(constants.signals) as [NodeJS.Signals, number][]).find(([, value]) => value === number)?.[0];
}
