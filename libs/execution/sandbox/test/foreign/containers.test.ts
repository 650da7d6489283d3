import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExecutor, defaultPolicy, type ForeignExecutor, openContainers } from '../../src/index.ts';
import { checkExecutor } from '../../src/testing.ts';
import { treeOf } from '../open-sandbox.ts';

// No daemon is needed: a script stands in for docker, and refuses to be called as it would not.
const cli = new URL('../fixtures/fake-containers/docker', import.meta.url).pathname;
const artifacts = memoryArtifacts();
let root: string;
let executor: ForeignExecutor;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'h-test-containers-'));
  process.env.FAKE_CONTAINERS = root;
  executor = createExecutor(await openContainers({ image: 'python:3', cli }), { artifacts });
});
afterAll(async () => {
  await executor?.close();
  delete process.env.FAKE_CONTAINERS;
  delete process.env.FAKE_COUNTS;
  expect(readdirSync(root), 'no container is left').toEqual([]);
  rmSync(root, { recursive: true });
});

async function sh(line: string, changes: Parameters<typeof defaultPolicy>[0] = {}) {
  const tree = await treeOf(artifacts, { 'a.txt': 'a\n', 'src/x': 'x', link: { text: 'a.txt', mode: 0o120000 } });
  const policy = defaultPolicy({ wall_ms: 20_000, ...changes });
  const request = { mode: 'verdict' as const, argv: ['/bin/sh', '-c', line], cwd: 'src', policy, tree, ordinal: 0 };
  return executor.run({ ...request, artifact_version: tree, stdin: 'in\n', collect: ['src/*.txt'] });
}

describe('containers by a command line', () => {
  it('claim what was seen in one of them, and nothing else', async () => {
    const { capabilities } = executor;
    expect(capabilities.enforces).toEqual(
      expect.arrayContaining(['memory_limit', 'network_denied', 'non_root', 'host_files_hidden']),
    );
    // The stand-in starts no process that waits, and its disk has no limit.
    expect(capabilities.enforces).not.toContain('pid_namespace');
    expect(capabilities.enforces).not.toContain('disk_limit');
    expect(capabilities.enforces).not.toContain('no_survivors');
  });
  it('run a command in a place of its own, with the policy’s environment, and bring files back', async () => {
    const result = await sh(
      'cat ../link -; env | sort; echo new > new.txt; ln -s /etc/passwd out.txt; echo err >&2; exit 3',
    );
    expect(result).toMatchObject({
      ended_by: 'exit',
      exit_code: 3,
      stderr: { text: 'err\n' },
      files: [{ path: 'src/new.txt', bytes: 4 }],
      receipt: { backend: 'docker', properties: { network_denied: 'enforced', no_survivors: 'unknown' } },
    });
    expect(result.stdout.text).toMatch(/^a\nin\nHOME=\/tmp\n/);
    expect(result.stdout.text).not.toMatch(/IMAGE_VARIABLE/);
  });
  it.each<[string, string, object]>([
    ['exit 125', '', { ended_by: 'exit', exit_code: 125 }],
    ['kill -SEGV $$', '', { ended_by: 'signal', signal: 'SIGSEGV' }],
    ['exit 137', 'memory', { ended_by: 'memory_limit', exit_code: 137 }],
    ['exit 1', 'pids', { ended_by: 'pids_limit', exit_code: 1 }],
    ['exit 0', 'memory', { ended_by: 'exit', exit_code: 0 }],
  ])('tell how %s ended (%s)', async (line, counts, expected) => {
    process.env.FAKE_COUNTS = counts;
    expect(await sh(line)).toMatchObject(expected);
  });
  it('pass the conformance suite', async () => {
    const only = ['arguments', 'tree', 'bytes_as_they_are', 'links_not_followed', 'claim:host_files_read_only'];
    const checks = await checkExecutor(executor, { artifacts, only, slackMs: 1500 });
    expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(checks.length).toBe(only.length);
  });
  it('say what is missing, and how to get it', async () => {
    await expect(openContainers({ image: 'other', cli })).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringMatching(/"docker" does not work on this host: run ended with 125: fake containers: run /),
    });
    await expect(openContainers({ image: 'python:3', cli: '/nonexistent/podman' })).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringMatching(/"podman".*ENOENT/),
      hint: expect.stringContaining('podman run --rm python:3 true'),
    });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(openContainers({ image: 'python:3', cli, signal })).rejects.toThrow('enough');
  });
});

describe.each(['docker', 'podman'])('%s itself', (real) => {
  const image = process.env.H_TEST_IMAGE ?? 'python:3-alpine';
  const there = spawnSync(real, ['image', 'inspect', image], { timeout: 10_000 }).status === 0;
  it.skipIf(!there)(`passes the whole conformance suite with ${image}`, { timeout: 600_000 }, async () => {
    const system = await openContainers({ image, cli: real });
    const { enforces } = system.capabilities;
    expect(enforces).toEqual(expect.arrayContaining(['memory_limit', 'network_denied', 'non_root', 'pids_limit']));
    const own = createExecutor(system, { artifacts });
    const checks = await checkExecutor(own, { artifacts, slackMs: 3000 });
    await own.close();
    expect(checks.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});
