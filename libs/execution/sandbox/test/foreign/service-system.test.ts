// The example of the README, over a service that has a sandbox behind it.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryArtifacts, putTree } from '@h/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createExecutor, createSandbox, defaultPolicy, type ForeignExecutor, type Sandbox } from '../../src/index.ts';
import { checkExecutor } from '../../src/testing.ts';
import { serviceSystem } from './service-system.ts';

const artifacts = memoryArtifacts();
/** The store on the other side. */
const store = memoryArtifacts();
let there: Sandbox;
let server: Server;
let executor: ForeignExecutor;
beforeAll(async () => {
  there = await createSandbox(defaultPolicy(), { artifacts: store, backend: 'plain', concurrency: 4 });
  server = createServer((request, response) => {
    answer(request).then(
      (said) => response.end(JSON.stringify(said)),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  executor = createExecutor(serviceSystem(`http://127.0.0.1:${port}`), { artifacts });
});
afterAll(async () => {
  await executor?.close();
  server?.close();
  await there?.close();
});

async function answer(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { files, argv, cwd, env, stdin, wallMs, collect } = JSON.parse(Buffer.concat(chunks).toString());
  const entries = files.map(async ({ path, mode, content }: Record<string, never>) => ({
    path,
    mode: Number(mode),
    sha: await store.put(new Uint8Array(Buffer.from(String(content), 'base64'))),
  }));
  const tree = await putTree(await Promise.all(entries), store);
  const policy = defaultPolicy({ wall_ms: wallMs, env_set: env });
  const base = { mode: 'verdict' as const, argv, cwd, policy, tree, artifact_version: tree, ordinal: 0, collect };
  const result = await there.run({ ...base, ...(stdin !== undefined && { stdin }) });
  const back = result.files.map(async ({ path, sha }) => ({
    path,
    content: Buffer.from(await store.get(sha)).toString('base64'),
  }));
  const { exit_code: exitCode, ended_by: endedBy, stdout, stderr } = result;
  return { exitCode, endedBy, stdout: stdout.text, stderr: stderr.text, files: await Promise.all(back) };
}

it('is the example of the README', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const example = /## Your own executor[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  expect(example).toBe(readFileSync(new URL('./service-system.ts', import.meta.url), 'utf8'));
});

it('keeps what users of executors rely on', async () => {
  const only = [
    'exit_codes',
    'arguments',
    'standard_input',
    'tree',
    'bytes_as_they_are',
    'collected_files',
    'links_not_followed',
    'cancelled_during',
  ];
  const checks = await checkExecutor(executor, { artifacts, only, slackMs: 1500 });
  expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(checks.length).toBe(only.length);
});

it('throws where the service fails', async () => {
  const broken = createExecutor(serviceSystem('http://127.0.0.1:1'), { artifacts });
  const [check] = await checkExecutor(broken, { artifacts, only: ['exit_codes'] });
  expect(check).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('executor "service": run failed') });
  await broken.close();
});
