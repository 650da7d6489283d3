import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IsolationPolicy, IsolationProperty } from '@h/contracts';
import type { ForeignCall, ForeignSteps } from './foreign-system.ts';

/** Uid and gid of the command in its container. */
export const INSIDE = 1000;

const MEBIBYTE = 1024 * 1024;
const LIMITS = { memory_bytes: 256 * MEBIBYTE, pids_max: 100, cpu_cores: 0.5 };

const SCRIPT = `
say() { echo "$1=$2"; }
say uid "$(id -u)"
while read -r name value; do case $name in NoNewPrivs:|CapEff:) say "\${name%:}" "$value" ;; esac; done < /proc/self/status
say interfaces "$(while read -r name rest; do case $name in *:*) echo "\${name%%:*}" ;; esac; done < /proc/net/dev | tr '\\n' ' ')"
say secret "$(cat "$1" 2>/dev/null)"
for at in / /usr /bin /etc; do (echo x > $at/h-probe) 2>/dev/null && say wrote $at; done
say first "$(tr '\\0' ' ' < /proc/1/cmdline)"
say host "$(hostname 2>/dev/null || cat /proc/sys/kernel/hostname)"
cd /sys/fs/cgroup
say memory "$(cat memory.max memory/memory.limit_in_bytes 2>/dev/null)"
say pids "$(cat pids.max pids/pids.max 2>/dev/null)"
say cpu "$(cat cpu.max 2>/dev/null || echo "$(cat cpu/cpu.cfs_quota_us) $(cat cpu/cpu.cfs_period_us)" 2>/dev/null)"
`;

export interface ContainerProbe extends ForeignCall {
  readonly policy: IsolationPolicy;
}

/** What a container was seen to have of what was asked for it. */
export async function probeContainer(
  { put, exec }: Pick<ForeignSteps, 'put' | 'exec'>,
  { place, policy: base, signal }: ContainerProbe,
): Promise<IsolationProperty[]> {
  const folder = mkdtempSync(join(tmpdir(), 'h-probe-'));
  try {
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'secret');
    const policy = { ...base, ...LIMITS };
    const script = { path: 'probe.sh', mode: 0o100644, bytes: new TextEncoder().encode(SCRIPT) };
    await put([script], { place, policy, signal });
    let said = '';
    const onStdout = (chunk: Uint8Array | string) => {
      said += Buffer.from(chunk).toString();
    };
    const command = { place, policy, signal, argv: ['/bin/sh', 'probe.sh', secret], cwd: '', wallMs: policy.wall_ms };
    const { exitCode } = await exec({ ...command, env: base.env_set, onStdout, onStderr: () => undefined });
    if (exitCode !== 0) throw new Error(`the probe ended with ${exitCode}: ${said.slice(-500)}`);
    return judge(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function judge(said: string): IsolationProperty[] {
  const lines = said
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  const seen = new Map(lines);
  const apart = seen.get('secret') === '';
  const alone = seen.get('interfaces')?.trim() === 'lo';
  const [quota, period] = (seen.get('cpu') ?? '').split(' ').map(Number);
  const holds: readonly (readonly [IsolationProperty, boolean])[] = [
    ['capabilities_dropped', /^0+$/.test(seen.get('CapEff') ?? '')],
    ['cpu_cores_limit', (quota ?? 0) / (period ?? 0) === LIMITS.cpu_cores],
    ['host_files_hidden', apart],
    ['host_files_read_only', !seen.has('wrote')],
    ['memory_limit', seen.get('memory') === String(LIMITS.memory_bytes)],
    ['mount_namespace', apart],
    ['network_denied', alone],
    ['network_loopback_only', alone],
    ['no_new_privileges', seen.get('NoNewPrivs') === '1'],
    ['non_root', seen.get('uid') === String(INSIDE)],
    ['pid_namespace', /sleep 3600/.test(seen.get('first') ?? '')],
    ['pids_limit', seen.get('pids') === String(LIMITS.pids_max)],
    ['scratch_private', apart],
    ['uts_namespace', seen.get('host') === 'h'],
    ['workspace_private', apart],
  ];
  return holds.filter(([, held]) => held).map(([property]) => property);
}
