import { startProcess } from '../processes/start-process.ts';

/** The variable by which runaway processes of a run are found again. Its value is the run's private folder. */
export const RUN_MARK = 'H_SANDBOX_RUN';

/** A process that outlives this one by a moment. */
export interface Guard {
  /** Ends it without its doing anything. */
  dismiss(): Promise<void>;
}

// One grep over all environments: this host may have thousands of processes.
const SCRIPT = `exec > /dev/null 2>&1; cd /
read -r word <&3
[ "$word" = done ] && exit 0
for folder; do
  turn=0
  while [ $turn -lt 20 ]; do
    found=$(grep -lsF "${RUN_MARK}=$folder/" /proc/[0-9]*/environ)
    [ -z "$found" ] && break
    for file in $found; do pid=\${file#/proc/}; kill -9 "\${pid%/environ}"; done
    turn=$((turn+1))
  done
  chmod -R u+rwx "$folder"
  rm -rf "$folder"
done`;

/**
 * Starts a shell, in a session of its own, that waits for the end of this program. Should it end without `dismiss` (SIGKILL, a crash),
 * the shell kills the marked processes of its runs and removes the folders.
 */
export function guardScratch(paths: readonly string[]): Guard {
  const started = startProcess({
    file: '/bin/sh',
    args: ['-c', SCRIPT, 'sh', ...paths],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
    extra: [],
  });
  started.await(false);
  return {
    async dismiss() {
      started.await(true);
      started.letGo(Buffer.from('done\n'), undefined);
      await started.exit;
      started.drop();
    },
  };
}
