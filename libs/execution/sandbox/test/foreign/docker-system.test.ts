import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createExecutor, defaultPolicy, type ForeignExecutor } from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';
import { dockerSystem } from './docker-system.ts';

// No daemon is needed: a script stands in for docker, and checks how it is called.
const fake = new URL('../fixtures/fake-docker', import.meta.url).pathname;
const artifacts = memoryArtifacts();
const before = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
let root: string;
let executor: ForeignExecutor;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-docker-'));
  Object.assign(process.env, { PATH: `${fake}:${before.PATH}`, FAKE_DOCKER: root });
  executor = createExecutor(dockerSystem('python:3'), { artifacts });
});
afterEach(async () => {
  await executor.close();
  process.env.PATH = before.PATH;
  delete process.env.FAKE_DOCKER;
  expect(readdirSync(root), 'no container is left').toEqual([]);
  rmSync(root, { recursive: true });
});

async function sh(line: string, wall_ms = 5000) {
  const tree = await treeOf(artifacts, { 'a.txt': 'a\n', 'src/x': 'x', link: { text: 'a.txt', mode: 0o120000 } });
  const policy = defaultPolicy({ wall_ms });
  const request = { mode: 'verdict' as const, argv: ['/bin/sh', '-c', line], cwd: 'src', policy, tree, ordinal: 0 };
  return executor.run({ ...request, artifact_version: tree, stdin: 'in\n', collect: ['src/*.txt'] });
}

it('is the example of the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const example = /## Your own executor[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(example).toBe(readFileSync(new URL('./docker-system.ts', import.meta.url), 'utf8'));
});

it('runs a command in a container of its own and brings files back', async () => {
  const result = await sh('cat ../link -; echo "$TZ $LC_ALL"; echo new > new.txt; echo err >&2; exit 3');
  expect(result).toMatchObject({
    ended_by: 'exit',
    exit_code: 3,
    stdout: { text: 'a\nin\nUTC C.UTF-8\n' },
    stderr: { text: 'err\n' },
    files: [{ path: 'src/new.txt', bytes: 4 }],
    receipt: { backend: 'docker', properties: { network_denied: 'enforced', host_files_hidden: 'unknown' } },
  });
});

it('keeps what a command wrote before its time was over', async () => {
  const result = await sh('echo begun; echo new > new.txt; exec sleep 60', 2000);
  expect(result).toMatchObject({
    ended_by: 'wall_limit',
    stdout: { text: 'begun\n' },
    files: [{ path: 'src/new.txt' }],
  });
});

it('throws when there is no docker', async () => {
  process.env.PATH = '/nonexistent';
  await expect(sh('true')).rejects.toMatchObject({
    code: 'foreign_executor',
    message: expect.stringMatching(/put failed: .*ENOENT/),
  });
});
