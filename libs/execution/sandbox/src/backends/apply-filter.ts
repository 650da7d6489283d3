import type { HostTools } from '../host/find-tools.ts';
import { runTool } from '../host/run-tool.ts';
import { isInside } from '../workspace/plan-links.ts';
import { systemPaths } from './show-paths.ts';
import { buildSystemCallFilter } from './system-call-filter.ts';

const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };
/** Installs the filter (`struct sock_fprog`, 64 bits) given in hexadecimal, then becomes the rest of its arguments. */
const SCRIPT = [
  'my ($call, $hex) = splice(@ARGV, 0, 2);',
  'my $program = pack("H*", $hex);',
  'my $filter = pack("S x!8 P", length($program) / 8, $program);',
  'syscall($call + 0, 22, 2, $filter, 0, 0) == 0 or die "seccomp: $!\\n";',
  'exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";',
].join(' ');
const TRIAL_MS = 10_000;

/**
 * Words to put before a command line, by absolute path, so that it runs under the system call filter; empty where that cannot be had.
 * By perl, since no program of util-linux could install a filter until lately, and perl belongs to the base of most distributions.
 */
export async function filterWords(
  { perl, setpriv }: HostTools,
  architecture: string = process.arch,
): Promise<readonly string[]> {
  const program = buildSystemCallFilter(architecture);
  const call = PRCTL[architecture];
  if (perl === undefined || setpriv === undefined || program === undefined || call === undefined) return [];
  // Runs see no other places.
  if (!systemPaths().some(({ path }) => isInside(perl, path))) return [];
  const words = [perl, '-e', SCRIPT, String(call), Buffer.from(program).toString('hex')];
  const look = ['/bin/sh', '-c', 'grep -q "^Seccomp:.2$" /proc/self/status'];
  const trial = await runTool(setpriv, ['--no-new-privs', '--', ...words, ...look], { timeoutMs: TRIAL_MS });
  return trial.exitCode === 0 ? words : [];
}
