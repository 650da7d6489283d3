import { existsSync } from 'node:fs';
import { constants, release } from 'node:os';
import type { HostTools } from '../host/find-tools.ts';
import type { LaunchPlan } from './backend.ts';

/** Shell commands for what a process sets of itself: rights of new files, no core file, size of one file, processor time of one process. */
export function limitCommands({ policy }: LaunchPlan): string[] {
  const blocks = Math.max(1, Math.ceil(policy.disk_bytes / 512));
  const seconds = policy.cpu_ms === undefined ? undefined : Math.max(1, Math.ceil(policy.cpu_ms / 1000));
  const limits = [
    'ulimit -c 0',
    `ulimit -f ${blocks}`,
    // The soft limit tells the payload by SIGXCPU; the hard one ends it. Both first: a hard limit below the soft one is refused.
    ...(seconds === undefined ? [] : [`ulimit -t ${seconds + 1}`, `ulimit -S -t ${seconds}`]),
  ];
  return ['umask 022', ...limits.map((limit) => `${limit} 2>/dev/null`)];
}

/** A command line that has these variables and no others, whatever their names, and runs this program, whatever its name. */
export function withVariables(variables: Readonly<Record<string, string>>, argv: readonly string[]): string[] {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  // `env` takes a program with "=" in its name for one more variable, and what follows for the program.
  const plainly = argv[0]?.includes('=') ? [existsSync(NICE) ? NICE : '/bin/nice', '-n', '0', '--'] : [];
  return ['/usr/bin/env', '-i', '--', ...set, ...plainly, ...argv];
}

/** Of the programs that do nothing but become another, looked for in the payload's own PATH, the one that comes with every `env`. */
const NICE = '/usr/bin/nice';

/** Twice the processes that are allowed: a stop for a swarm where nothing else counts, never before what does. */
export function limitSwarm({ policy }: LaunchPlan): string {
  return `ulimit -u ${2 * policy.pids_max} 2>/dev/null || ulimit -p ${2 * policy.pids_max} 2>/dev/null`;
}

/** Before Linux 5.14 the limit counts all processes that the user has on the host. */
export function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** `setarch -R` where the policy wants fixed addresses and the host can. */
export function fixAddresses({ policy }: Pick<LaunchPlan, 'policy'>, tools: HostTools): string[] {
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
