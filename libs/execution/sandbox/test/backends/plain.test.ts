import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Backend } from '../../src/backends/backend.ts';
import { locatePlain } from '../../src/backends/plain.ts';
import { findTools } from '../../src/host/find-tools.ts';
import { isRunning, listProcesses } from '../../src/host/read-proc.ts';
import { defaultPolicy } from '../../src/judge-policy.ts';
import { startProcess } from '../../src/processes/start-process.ts';
import { superviseProcess } from '../../src/processes/supervise-process.ts';
import { ownScratch, type Scratch } from '../../src/workspace/own-scratch.ts';

let scratch: Scratch;
let backend: Backend;
beforeEach(async () => {
  scratch = await ownScratch([process.env.TMPDIR ?? '/tmp']);
  const located = locatePlain(findTools(process.env.PATH ?? ''));
  if ('missing' in located) throw new Error(located.missing);
  backend = located.backend;
});
afterEach(() => scratch.close());

/** Runs a shell script without a control group, which would find all by itself; the processes named in its output that are left. */
async function leftOf(
  script: string,
  environment: Record<string, string> = { PATH: '/usr/bin:/bin' },
): Promise<number[]> {
  const policy = defaultPolicy({ wall_ms: 500 });
  const plan = {
    argv: ['/bin/sh', '-c', script],
    cwd: '',
    environment,
    folders: scratch.open(),
    policy,
    readOnlyPaths: [],
    slot: 0,
  };
  const ended = await superviseProcess(backend, plan, { started: startProcess(backend.launch(0)) }, {});
  const pids = ended.stdout.text.trim().split('\n').map(Number);
  expect(pids.every((pid) => pid > 1)).toBe(true);
  return listProcesses()
    .filter((stat) => pids.includes(stat.pid) && isRunning(stat))
    .map(({ pid }) => pid);
}

const DAEMON = 'setsid sh -c "cd /; (exec >/dev/null 2>&1; exec sleep 60) & echo \\$!" & wait; sleep 0.1';

it('finds by its mark a daemon that has left session, folder and parents', async () => {
  expect(await leftOf(DAEMON)).toEqual([]);
});

it('finds by its folder one that has dropped its mark', async () => {
  expect(
    await leftOf('setsid env -i /bin/sh -c "(exec >/dev/null 2>&1; exec sleep 60) & echo \\$!" & wait; sleep 0.1'),
  ).toEqual([]);
});

it('finds by its parents one that has dropped both, while they live', async () => {
  expect(await leftOf('setsid env -i /bin/sh -c "cd /; echo \\$\\$; exec sleep 60" & wait')).toEqual([]);
});

it('says that it cannot find one that has left everything', async () => {
  const left = await leftOf(
    'setsid env -i /bin/sh -c "cd /; (exec >/dev/null 2>&1; exec sleep 60) & echo \\$!" & wait; sleep 0.1',
  );
  for (const pid of left) process.kill(pid, 'SIGKILL');
  expect(left).toHaveLength(1);
  expect(backend.claims.no_survivors).toBe('unmet');
});

it('does not touch processes that are not of the run', async () => {
  const before = startProcess({ file: '/bin/sleep', args: ['60'], env: {}, cwd: '/', detached: true, extra: [] });
  await leftOf(DAEMON);
  const after = listProcesses().find((stat) => stat.pid === before.pid);
  expect(after && isRunning(after)).toBe(true);
  if (before.pid !== undefined) process.kill(before.pid, 'SIGKILL');
  await before.exit;
  before.drop();
});
