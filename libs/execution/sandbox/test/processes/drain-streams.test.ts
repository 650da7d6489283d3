import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { captureStream } from '../../src/processes/capture-stream.ts';
import { drainStreams } from '../../src/processes/drain-streams.ts';

const LIMITS = { leastMs: 40, mostMs: 2000 };

it('reads what lies ready however long this program was busy', async () => {
  const child = spawn('/bin/sh', ['-c', 'echo out; echo err >&2; sleep 30 & exit 0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const streams = [captureStream(child.stdout, 100), captureStream(child.stderr, 100)];
  await once(child, 'exit');
  const draining = drainStreams(streams, LIMITS);
  // The event loop stands still for longer than the ends of streams are waited for.
  for (const end = performance.now() + 200; performance.now() < end; );
  const begin = performance.now();
  await draining;
  expect(streams.map((stream) => stream.read().text)).toEqual(['out\n', 'err\n']);
  expect(performance.now() - begin).toBeLessThan(1500);
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  child.stdout.destroy();
  child.stderr.destroy();
});

it('does not wait for ever for who goes on writing, nor at all for what has ended', async () => {
  const endless = new PassThrough();
  const capture = captureStream(endless, 10);
  const timer = setInterval(() => endless.write('x'), 1);
  const begin = performance.now();
  await drainStreams([capture], { leastMs: 10, mostMs: 200 });
  const tookMs = performance.now() - begin;
  clearInterval(timer);
  expect(tookMs).toBeGreaterThanOrEqual(190);
  endless.end();
  await drainStreams([capture, captureStream(undefined, 10)], { leastMs: 60_000, mostMs: 60_000 });
});
