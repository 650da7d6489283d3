import { getEventListeners } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryArtifacts } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listProcesses } from '../src/host/read-proc.ts';
import { type BackendName, checkDeterminism, createSandbox, defaultPolicy, probeHost } from '../src/index.ts';
import { leftovers, openSandbox, requireTools, treeOf } from './open-sandbox.ts';

/** What the design grants, and what scheduling on a loaded machine may add. */
const SETTLE_MS = 100;
const LOAD_MS = 900;

let root: string;
beforeAll(() => {
  requireTools();
  root = mkdtempSync(join(tmpdir(), 'h-test-cancel-'));
});
afterAll(() => {
  rmSync(root, { recursive: true });
  expect(leftovers()).toEqual([]);
});

const children = () => listProcesses().filter(({ parent, state }) => parent === process.pid && state !== 'Z').length;

/** Milliseconds from the abort to the end of the work, and what it rejected with. */
async function cancel(work: (signal: AbortSignal) => Promise<unknown>, afterMs: number) {
  const controller = new AbortController();
  const ended = work(controller.signal).then(
    (value) => ({ value, at: performance.now() }),
    (error) => ({ error, at: performance.now() }),
  );
  await sleep(afterMs);
  const begin = performance.now();
  controller.abort(new Error('enough'));
  const { at, ...how } = await ended;
  return { how, tookMs: at - begin };
}

describe.each([0, 5, 40, 150])('cancelled after %i ms', (afterMs) => {
  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    [
      'createSandbox',
      (signal) => createSandbox(defaultPolicy(), { artifacts: memoryArtifacts(), scratchRoot: root, signal }),
    ],
    ['probeHost', (signal) => probeHost({ scratchRoot: root, signal })],
  ])('%s rejects with the reason, at once, and leaves nothing', async (_, work) => {
    const before = children();
    const { how, tookMs } = await cancel(work, afterMs);
    expect(how).toMatchObject({ error: { message: 'enough' } });
    expect(tookMs).toBeLessThan(SETTLE_MS + LOAD_MS);
    for (let turn = 0; turn < 200 && (children() > before || readdirSync(root).length > 0); turn += 1) await sleep(20);
    expect(children()).toBeLessThanOrEqual(before);
    expect(readdirSync(root)).toEqual([]);
  });
});

it('does nothing where it is cancelled already', async () => {
  const signal = AbortSignal.abort(new Error('before'));
  await expect(probeHost({ scratchRoot: root, signal })).rejects.toThrow('before');
  await expect(createSandbox(defaultPolicy(), { artifacts: memoryArtifacts(), signal })).rejects.toThrow('before');
  const opened = await openSandbox({ backend: 'plain' });
  const tree = await treeOf(opened.artifacts, { a: '' });
  const request = { mode: 'verdict' as const, argv: ['true'], cwd: '', policy: defaultPolicy(), tree, collect: [] };
  const checking = checkDeterminism(opened.sandbox, { ...request, artifact_version: tree, ordinal: 0 }, { signal });
  await expect(checking).rejects.toThrow('before');
  await opened.sandbox.close();
});

it('hangs one listener on a signal, however many runs wait for it, and ends each of them', async () => {
  const opened = await openSandbox({ backend: 'plain', concurrency: 12 });
  const controller = new AbortController();
  const { signal } = controller;
  const running = Array.from({ length: 12 }, () => opened.run(['sleep', '30'], { signal }));
  await sleep(50);
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  controller.abort();
  expect((await Promise.all(running)).map(({ ended_by }) => ended_by)).toEqual(Array(12).fill('cancelled'));
  expect(getEventListeners(signal, 'abort').length).toBe(0);
  await opened.sandbox.close();
});

describe.each<BackendName>(['bubblewrap', 'util-linux', 'plain'])('a handle under %s', (backend) => {
  it('stays usable whenever a run or a check of determinism was cancelled', async () => {
    const opened = await openSandbox({ backend, concurrency: 1 });
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`src/f${index}.txt`, `${index}\n`]));
    const tree = await treeOf(opened.artifacts, files);
    const policy = defaultPolicy({ wall_ms: 20_000 });
    const base = { mode: 'verdict' as const, argv: ['sleep', '30'], cwd: '', policy, tree, artifact_version: tree };
    const request = { ...base, ordinal: 0, collect: [] };
    for (const afterMs of [0, 1, 3, 10, 30, 120]) {
      const { how, tookMs } = await cancel((signal) => opened.sandbox.run(request, { signal }), afterMs);
      expect(how).toMatchObject({ value: { ended_by: 'cancelled', files: [] } });
      expect(tookMs).toBeLessThan(SETTLE_MS + LOAD_MS);
    }
    const check = await cancel((signal) => checkDeterminism(opened.sandbox, request, { signal }), 30);
    expect(check.how).toMatchObject({ error: { message: 'enough' } });
    expect(check.tookMs).toBeLessThan(SETTLE_MS + LOAD_MS);
    expect(await opened.sh('cat src/f7.txt', { files })).toMatchObject({ ended_by: 'exit', stdout: { text: '7\n' } });
    await opened.sandbox.close();
  });
});
