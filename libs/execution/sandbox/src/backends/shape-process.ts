import { constants } from 'node:os';
import type { HostTools } from '../host/find-tools.ts';
import type { LaunchPlan } from './backend.ts';

/** Shell commands for what a process sets of itself: rights of new files, no core file, size of one file, processor time of one process. */
export function limitCommands({ policy }: LaunchPlan): string[] {
  const blocks = Math.max(1, Math.ceil(policy.disk_bytes / 512));
  const seconds = policy.cpu_ms === undefined ? undefined : Math.max(1, Math.ceil(policy.cpu_ms / 1000));
  const limits = [
    'ulimit -c 0',
    `ulimit -f ${blocks}`,
    // The soft limit tells the payload by SIGXCPU; the hard one ends it.
    ...(seconds === undefined ? [] : [`ulimit -H -t ${seconds + 1}`, `ulimit -S -t ${seconds}`]),
  ];
  return ['umask 022', ...limits.map((limit) => `${limit} 2>/dev/null`)];
}

/** `setarch -R` where the policy wants fixed addresses and the host can. */
export function fixAddresses({ policy }: LaunchPlan, tools: HostTools): string[] {
  return policy.determinism.no_aslr && tools.setarch !== undefined ? [tools.setarch, '-R'] : [];
}

/** A word of a POSIX shell that stands for exactly this text. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Name of the signal with this number on this host. */
export function signalName(number: number): NodeJS.Signals | undefined {
  return (Object.entries(constants.signals) as [NodeJS.Signals, number][]).find(([, value]) => value === number)?.[0];
}

/** Sends a signal to a process, or to a group by its negative id; one that is gone, or another user's, is let be. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile.
  }
}
