import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { expect, it } from 'vitest';
import { createSandbox, defaultPolicy, probeHost, type SandboxOptions } from '../src/index.ts';
import { openSandbox } from './open-sandbox.ts';

const artifacts = memoryArtifacts();
/** As a caller without types: refused before anything is made. */
const open = async (policy: unknown, options: unknown) => {
  const sandbox = await createSandbox(policy as ReturnType<typeof defaultPolicy>, options as SandboxOptions);
  await sandbox.close();
};

it.each<[unknown, RegExp]>([
  [{ backend: 'docker' }, /backend is "docker"/],
  [{ backend: '' }, /backend is ""/],
  [{ backend: 'toString' }, /backend is "toString"/],
  [{ concurrency: 0 }, /concurrency is 0/],
  [{ concurrency: -1 }, /concurrency is -1/],
  [{ concurrency: 1.5 }, /concurrency is 1.5/],
  [{ concurrency: '2' }, /concurrency is "2"/],
  [{ artifacts: undefined }, /artifacts is undefined/],
  [{ readOnlyPath: ['/opt'] }, /an unknown option is "readOnlyPath"/],
  [{ readOnlyPaths: '/opt' }, /readOnlyPaths is "\/opt"/],
  [{ readOnlyPaths: ['rel'] }, /readOnlyPaths is "rel"/],
  [{ readOnlyPaths: ['/opt', '/'] }, /readOnlyPaths is "\/"/],
  [{ readOnlyPaths: ['/usr/..'] }, /readOnlyPaths is/],
  [{ readOnlyPaths: ['/proc/'] }, /readOnlyPaths is/],
  [{ readOnlyPaths: ['/h/x'] }, /readOnlyPaths is/],
  [{ links: { at: 'a', target: '/usr' } }, /links is/],
  [{ scratchRoot: 'rel' }, /scratchRoot is "rel"/],
])('refuses the options %j', async (options, message) => {
  await expect(open(defaultPolicy(), { artifacts, ...(options as object) })).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(message),
  });
});

const POLICIES: [unknown, RegExp][] = [
  [undefined, /policy: Not a IsolationPolicy/],
  [{}, /policy: Not a IsolationPolicy/],
  [{ ...defaultPolicy(), memory_bytes: -1 }, /memory_bytes/],
  [{ ...defaultPolicy(), wall_ms: '5' }, /wall_ms/],
  [{ ...defaultPolicy(), memory: 5 }, /memory/],
  [{ ...defaultPolicy(), network: 'none' }, /network/],
  [defaultPolicy({ filesystem: { extra_ro: ['rel'] } }), /extra_ro is "rel"/],
];
it.each(POLICIES)('refuses the policy %j', async (policy, message) => {
  const refusal = { code: 'bad_request', message: expect.stringMatching(message) };
  await expect(open(policy, { artifacts })).rejects.toMatchObject(refusal);
});

it('refuses the same of a request, and missing options', async () => {
  const opened = await openSandbox({ backend: 'plain' });
  for (const [policy, message] of POLICIES) {
    const running = opened.run(['true'], { request: { policy: policy as ReturnType<typeof defaultPolicy> } });
    await expect(running).rejects.toMatchObject({ code: 'bad_request', message: expect.stringMatching(message) });
  }
  await opened.sandbox.close();
  await expect(open(defaultPolicy(), undefined)).rejects.toMatchObject({ code: 'bad_request' });
});

it('makes no folder where there is none', async () => {
  const root = mkdtempSync(join(tmpdir(), 'h-test-options-'));
  const scratchRoot = join(root, 'a/b');
  await expect(open(defaultPolicy(), { artifacts, scratchRoot })).rejects.toMatchObject({ code: 'scratch_unusable' });
  await expect(probeHost({ scratchRoot })).rejects.toMatchObject({ code: 'scratch_unusable' });
  expect(existsSync(join(root, 'a'))).toBe(false);
  rmSync(root, { recursive: true });
});

it('says which readable folders this host does not have', async () => {
  const policy = defaultPolicy({ filesystem: { extra_ro: ['/nope/y'] } });
  const sandbox = await createSandbox(policy, { artifacts, backend: 'plain', readOnlyPaths: ['/nope/x', '/usr'] });
  await sandbox.close();
  expect(sandbox.downgrades.at(-1)).toMatch(/^runs see nothing at \/nope\/x, \/nope\/y, which .*Remedy: /);
});
