import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { expect, it } from 'vitest';
import { createSandbox, defaultPolicy, probeHost, type SandboxOptions } from '../src/index.ts';
import { openSandbox, treeOf } from './open-sandbox.ts';

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
  [{ readOnlyPaths: ['/proc/self/root'] }, /readOnlyPaths is/],
  [{ readOnlyPaths: ['/proc/1'] }, /readOnlyPaths is/],
  [{ readOnlyPaths: ['/dev/pts'] }, /readOnlyPaths is/],
  [{ readOnlyPaths: ['/dev/shm'] }, /readOnlyPaths is/],
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
  [defaultPolicy({ pids_max: 0 }), /policy.pids_max is 0/],
  [defaultPolicy({ inodes_max: 31 }), /policy.inodes_max is 31/],
  [defaultPolicy({ memory_bytes: 4096 }), /policy.memory_bytes is 4096/],
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

it('refuses links to what runs have of their own, and takes folders in memory', async () => {
  const root = mkdtempSync(join(tmpdir(), 'h-test-options-'));
  for (const [name, target] of Object.entries({ whole: '/', proc: '/proc/self', dev: '/dev' })) {
    symlinkSync(target, join(root, name));
    const opening = open(defaultPolicy(), { artifacts, backend: 'plain', readOnlyPaths: [join(root, name)] });
    await expect(opening).rejects.toMatchObject({ code: 'bad_request', message: expect.stringMatching(name) });
  }
  await open(defaultPolicy(), { artifacts, backend: 'plain', readOnlyPaths: ['/dev/shm/h-test-none', root] });
  rmSync(root, { recursive: true });
});

it('refuses what is no glob before anything runs, and names that no host takes; passes over what is no variable', async () => {
  const opened = await openSandbox({ backend: 'plain' });
  for (const collect of [[''], 'a', [1], ['a'.repeat(70_000)]] as unknown as string[][])
    await expect(opened.sh('echo x', { request: { collect } })).rejects.toMatchObject({ code: 'bad_request' });
  for (const name of ['x'.repeat(256), `${'d/'.repeat(2500)}x`])
    await expect(opened.sh('echo x', { files: { [name]: 'x' } })).rejects.toMatchObject({ code: 'bad_tree' });
  const policy = { env_allow: ['constructor', 'toString', '__proto__'] };
  expect(await opened.sh('env', { policy })).toMatchObject({ exit_code: 0 });
  await opened.sandbox.close();
});

it('runs what was asked for, whatever becomes of request, policy and options afterwards', async () => {
  const policy = defaultPolicy();
  const options = { artifacts, backend: 'plain' as const, readOnlyPaths: ['/nope/x'], concurrency: 1 };
  const opening = createSandbox(policy, options);
  policy.network = 'external';
  options.readOnlyPaths.push('/nope/y');
  const sandbox = await opening;
  expect(sandbox.downgrades.at(-1)).toMatch(/nothing at \/nope\/x,? which/);
  const tree = await treeOf(artifacts, { 'a.txt': 'a' });
  const request = {
    ...{ mode: 'verdict' as const, argv: ['sh', '-c', 'sleep 0.1; cp a.txt b.txt; echo one'], cwd: '', tree },
    ...{ policy: defaultPolicy(), artifact_version: tree, ordinal: 0, collect: ['a.txt'] },
  };
  const running = [sandbox.run(request), sandbox.run(request)];
  request.argv[2] = 'echo other';
  request.collect.push('**');
  request.policy.env_set.PATH = '/nope';
  for (const result of await Promise.all(running)) {
    expect(result).toMatchObject({ exit_code: 0, stdout: { text: 'one\n' } });
    expect(result.files.map(({ path }) => path)).toEqual(['a.txt']);
  }
  await sandbox.close();
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
