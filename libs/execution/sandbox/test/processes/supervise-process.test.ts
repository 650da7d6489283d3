import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning, listProcesses, wasStartedWith } from '../../src/host/read-proc.ts';
import type { BackendName } from '../../src/index.ts';
import { leftovers, nodeScript, type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

beforeAll(requireTools);

/** Processes that carry a variable of the test's own in their environment. */
function alive(mark: string): number[] {
  return listProcesses()
    .filter((stat) => wasStartedWith(stat.pid, `H_TEST=${mark}`) && isRunning(stat))
    .map(({ pid }) => pid);
}

function scratchOf(pid: number | undefined): string[] {
  const places = [tmpdir(), '/dev/shm'].filter((folder) => existsSync(folder));
  const names = places.flatMap((folder) => readdirSync(folder));
  return names.filter((name) => name.startsWith('h-sandbox-') && name.split('-')[3] === String(pid));
}

const RUNAWAYS: Record<string, string> = {
  'a child in the background': 'sleep 60 & sleep 60',
  'a child that holds the pipes': 'sleep 60 & exit 0',
  'a double fork': '(sleep 60 &) & sleep 60',
  'a session of its own': 'setsid sleep 60 & sleep 60',
  'a double fork into a session of its own': '(setsid sh -c "sleep 60 & sleep 60" &) ; sleep 60',
  'SIGTERM, SIGINT and SIGHUP ignored': 'trap "" TERM INT HUP; sleep 60 & wait',
  'a stopped child': 'sleep 60 & kill -STOP $!; sleep 60',
  'a stopped leader': 'sleep 60 & kill -STOP $$',
  'another working folder': '(cd / && setsid sleep 60 &) ; sleep 60',
};

describe.each<BackendName>(['bubblewrap', 'util-linux', 'plain'])('%s', (backend) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openSandbox({ backend, readOnlyPaths: [process.execPath] });
  });
  afterAll(async () => {
    await opened.sandbox.close();
    expect(leftovers()).toEqual([]);
  });
  const marked = (mark: string, wall_ms = 400) => ({ wall_ms, env_set: { PATH: '/usr/bin:/bin', H_TEST: mark } });

  it.each(Object.entries(RUNAWAYS))('leaves nothing of %s', async (name, script) => {
    const mark = `${backend} ${name}`;
    const begin = performance.now();
    const running = opened.sh(script, { policy: marked(mark) });
    const result = await running;
    const settled = performance.now() - begin;
    expect(alive(mark)).toEqual([]);
    expect(result.ended_by).toBe(name === 'a child that holds the pipes' ? 'exit' : 'wall_limit');
    // Scheduling on a loaded machine is not what this asserts; waiting for a pipe's end would take 60 s.
    expect(settled).toBeLessThan(5000);
  });

  it('is seen to have started what it ends', async () => {
    const mark = `${backend} control`;
    const running = opened.sh('setsid sleep 60 & sleep 60', { policy: marked(mark, 1500) });
    for (let turn = 0; turn < 100 && alive(mark).length < 2; turn += 1) await sleep(20);
    expect(alive(mark).length).toBeGreaterThanOrEqual(2);
    await running;
    expect(alive(mark)).toEqual([]);
  });

  it('reports an exit, a signal and a program that is not there', async () => {
    expect(await opened.sh('exit 3')).toMatchObject({ ended_by: 'exit', exit_code: 3 });
    expect(await opened.sh('kill -SEGV $$')).toMatchObject({ ended_by: 'signal', signal: 'SIGSEGV' });
    expect(await opened.sh('kill -KILL $$')).toMatchObject({ ended_by: 'signal', signal: 'SIGKILL' });
    expect(await opened.run(['no-such-program'])).toMatchObject({ ended_by: 'exit', exit_code: 127 });
    expect(await opened.run(['./a.txt'])).toMatchObject({ ended_by: 'exit', exit_code: 126 });
  });

  it('cancels midway, at once, and leaves nothing', async () => {
    const mark = `${backend} cancel`;
    const controller = new AbortController();
    const running = opened.sh('setsid sleep 60 & sleep 60', {
      signal: controller.signal,
      policy: marked(mark, 60_000),
    });
    while (alive(mark).length < 2) await sleep(10);
    const begin = performance.now();
    controller.abort();
    const result = await running;
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(result.ended_by).toBe('cancelled');
    expect(alive(mark)).toEqual([]);
  });

  it('does nothing when cancelled before the start', async () => {
    const result = await opened.sh('echo ran', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ended_by: 'cancelled', files: [], stdout: { text: '' } });
    expect(result.wall_ms).toBeUndefined();
  });

  it('keeps the beginning and the end of a stream and counts the rest', async () => {
    const result = await opened.sh('echo first; head -c 299989 /dev/zero | tr "\\0" x; echo last; echo err >&2', {
      policy: { stream_bytes: 1000 },
    });
    expect(result.stdout).toEqual({
      text: `first\n${'x'.repeat(989)}last\n`,
      gap_at: 500,
      observed_bytes: 300_000,
      retained_bytes: 1000,
      dropped_bytes: 299_000,
    });
    expect(result.stderr.text).toBe('err\n');
  });

  it('never cuts a character', async () => {
    const result = await opened.run(nodeScript("process.stdout.write('€'.repeat(100)); return 0"), {
      policy: { stream_bytes: 100 },
    });
    expect(result.stdout).toEqual({
      text: `${'€'.repeat(32)}0\n`,
      gap_at: 16,
      observed_bytes: 302,
      retained_bytes: 98,
      dropped_bytes: 204,
    });
  });

  it('drains a flood without keeping it', async () => {
    const before = process.memoryUsage().rss;
    const result = await opened.sh('yes | head -c 100000000', { policy: { wall_ms: 60_000 } });
    expect(result.stdout).toMatchObject({ observed_bytes: 100_000_000, retained_bytes: 65_536 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
  });

  it('passes standard input, and an end of it where there is none', async () => {
    const long = 'é'.repeat(200_000);
    expect((await opened.sh('wc -c', { request: { stdin: long } })).stdout.text.trim()).toBe('400000');
    expect((await opened.sh('cat; echo end')).stdout.text).toBe('end\n');
    expect((await opened.sh('exit 0', { request: { stdin: long } })).ended_by).toBe('exit');
  });

  it('ends a run that takes more memory, more processes or more processor time than it may', async () => {
    const { receipt } = await opened.sh('true');
    const limited = { memory_bytes: 64 * 2 ** 20 };
    const hoard = await opened.sh('head -c 1000000000 /dev/zero | tail | wc -c', { policy: limited });
    const swarm = await opened.sh('for i in $(seq 200); do sleep 5 & done; wait', { policy: { pids_max: 50 } });
    const busy = await opened.sh('while :; do :; done', { policy: { cpu_ms: 200 } });
    expect(busy.ended_by).toBe('cpu_limit');
    if (receipt?.properties.memory_limit === 'enforced' || backend === 'plain')
      expect(hoard.ended_by).toBe('memory_limit');
    if (receipt?.properties.pids_limit === 'enforced' || backend === 'plain') expect(swarm.ended_by).toBe('pids_limit');
  });

  it('leaves nothing when this program is killed', async () => {
    const mark = `${backend} supervisor`;
    const script = new URL('../fixtures/killed-supervisor/run.ts', import.meta.url).pathname;
    const supervisor = spawn(process.execPath, ['--conditions=@h/source', '--import', 'tsx', script, backend, mark], {
      stdio: 'inherit',
    });
    const ended = new Promise((resolve) => supervisor.once('exit', resolve));
    for (let turn = 0; turn < 600 && alive(mark).length < 2; turn += 1) await sleep(25);
    expect(alive(mark).length).toBeGreaterThanOrEqual(2);
    supervisor.kill('SIGKILL');
    await ended;
    for (let turn = 0; turn < 100 && alive(mark).length > 0; turn += 1) await sleep(10);
    const left = alive(mark);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toEqual([]);
    for (let turn = 0; turn < 100 && scratchOf(supervisor.pid).length > 0; turn += 1) await sleep(10);
    expect(scratchOf(supervisor.pid)).toEqual([]);
  });
});

it('names the plain backend’s limits in its receipt', async () => {
  const plain = await openSandbox({ backend: 'plain' });
  const { receipt } = await plain.sh('true');
  await plain.sandbox.close();
  const unmet = [
    'network_denied',
    'host_files_hidden',
    'host_files_read_only',
    'no_survivors',
    'pid_namespace',
    'workspace_private',
  ] as const;
  expect(unmet.map((property) => receipt?.properties[property])).toEqual(unmet.map(() => 'unmet'));
});
