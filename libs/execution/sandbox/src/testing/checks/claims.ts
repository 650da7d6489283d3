import type { IsolationProperty } from '@h/contracts';
import type { ConformanceTrial, Trial, TrialRun } from '../trial.ts';

export interface ClaimTrial extends ConformanceTrial {
  readonly property: IsolationProperty;
}

const MEBIBYTE = 1024 * 1024;

function claim(property: IsolationProperty, promise: string, run: (trial: Trial) => Promise<void>): ClaimTrial {
  return { name: `claim:${property}`, property, promise, run };
}

/** One that holds where a script says so. */
function says(property: IsolationProperty, promise: string, script: string, expected: RegExp): ClaimTrial {
  return claim(property, promise, async ({ sh, fail }) => {
    const { stdout, ended_by } = await sh(script);
    if (!expected.test(stdout.text))
      fail(`it ended by ${ended_by} and said ${JSON.stringify(stdout.text.slice(0, 300))}`);
  });
}

/** One that holds where an attempt to pass a limit ends by it. */
function endsBy(property: IsolationProperty, end: string, script: string, policy: TrialRun['policy']): ClaimTrial {
  return claim(property, `A run that passes the limit ends by ${end}.`, async ({ sh, same }) => {
    const { ended_by } = await sh(script, policy === undefined ? {} : { policy });
    same('the end', ended_by, end);
  });
}

const status = (field: string) =>
  `while read -r name value; do [ "$name" = ${field}: ] && echo "$value"; done < /proc/self/status`;

/** What an executor says it enforces, as far as a shell can see it. */
export const CLAIM_TRIALS: readonly ClaimTrial[] = [
  endsBy('memory_limit', 'memory_limit', 'head -c 400000000 /dev/zero | tail | wc -c', { memory_bytes: 64 * MEBIBYTE }),
  endsBy('pids_limit', 'pids_limit', 'i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done; wait', {
    pids_max: 40,
  }),
  endsBy('cpu_time_limit', 'cpu_limit', 'while :; do :; done', { cpu_ms: 500 }),
  endsBy('wall_limit', 'wall_limit', 'sleep 60', { wall_ms: 1000 }),
  claim(
    'disk_limit',
    'No more can be written than the policy allows, in all places together.',
    async ({ sh, fail }) => {
      const script =
        '[ -n "$HOME" ] || HOME=.; [ -n "$TMPDIR" ] || TMPDIR=.; for at in . "$HOME" "$TMPDIR"; do head -c 1500000 /dev/zero > "$at/large" || exit 1; done';
      const { ended_by, exit_code } = await sh(script, { policy: { disk_bytes: 3 * MEBIBYTE } });
      if (ended_by === 'exit' && exit_code === 0) fail('4.5 MB were written, 3 MiB allowed');
    },
  ),
  claim('inodes_limit', 'No more files can be made than the policy allows.', async ({ sh, fail }) => {
    const script = 'i=0; while [ $i -lt 400 ]; do : > f$i || exit 1; i=$((i+1)); done';
    const { ended_by, exit_code } = await sh(script, { policy: { inodes_max: 200 } });
    if (ended_by === 'exit' && exit_code === 0) fail('400 files were made, 200 allowed');
  }),
  says('non_root', 'The command is not root.', 'id -u', /^[1-9]\d*\n$/),
  says('no_new_privileges', 'The command can gain no privileges.', status('NoNewPrivs'), /^1\n$/),
  says('capabilities_dropped', 'The command has no capabilities.', status('CapEff'), /^0+\n$/),
  says(
    'host_files_read_only',
    'Files of the system cannot be written.',
    'for at in /usr /bin /etc; do (echo x > $at/h-conformance) 2>/dev/null && echo wrote $at; done; echo tried',
    /^tried\n$/,
  ),
  says(
    'network_denied',
    'There is no network interface but the loopback.',
    'while read -r name rest; do case $name in lo:*|Inter*|face*) ;; *:*) echo "$name" ;; esac; done < /proc/net/dev; echo tried',
    /^tried\n$/,
  ),
  says(
    'inherited_fds_closed',
    'The command has no open files but its three streams.',
    // Those that a program started by the command inherits; `ls` itself opens the folder.
    'ls -l /proc/self/fd > list; while read -r line; do case $line in total*|*" 0 -> "*|*" 1 -> "*|*" 2 -> "*|*"-> /dev/null"|*"-> /proc/"*) ;; *) echo "$line" ;; esac; done < list; echo tried',
    /^tried\n$/,
  ),
];

/** Claims that nothing seen from inside can decide. */
export function unseenClaims(claimed: readonly IsolationProperty[]) {
  const tried = new Set(CLAIM_TRIALS.map(({ property }) => property));
  const elsewhere: Partial<Record<IsolationProperty, string>> = {
    environment_allow_list: 'environment',
    hash_seed: 'determinism_settings',
    time_zone: 'determinism_settings',
    locale: 'determinism_settings',
    stream_cap: 'stream_caps',
    workspace_private: 'nothing_persists',
  };
  return claimed
    .filter((property) => !tried.has(property) && elsewhere[property] === undefined)
    .map((property) => ({
      name: `claim:${property}`,
      promise: 'The property holds.',
      verdict: 'untested' as const,
      reason: 'a command cannot see from inside whether it holds',
    }));
}
