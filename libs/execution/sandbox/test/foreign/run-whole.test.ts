import { memoryArtifacts } from '@h/contracts';
import { expect, it } from 'vitest';
import { createExecutor, defaultPolicy, type ForeignJob, type ForeignWhole } from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';

const artifacts = memoryArtifacts();
const text = (content: string) => new TextEncoder().encode(content);

async function run(
  system: Partial<ForeignWhole>,
  changes: { collect?: string[]; wall_ms?: number; signal?: AbortSignal } = {},
) {
  const { collect = ['out/*'], wall_ms = 5000, signal } = changes;
  const calls: string[] = [];
  const whole: ForeignWhole = {
    name: 'far away',
    capabilities: { concurrency: 1, persistent: false, enforces: [] },
    run: async () => ({ exitCode: 0 }),
    ...system,
  };
  const executor = createExecutor(
    {
      ...whole,
      run: (job) => {
        calls.push('run');
        return whole.run(job);
      },
      drop: async () => calls.push('drop'),
    },
    { artifacts, transferMs: 200 },
  );
  const tree = await treeOf(artifacts, { 'a.txt': 'a\n', 'src/x': 'x' });
  const policy = defaultPolicy({ wall_ms });
  const request = {
    mode: 'verdict' as const,
    argv: ['tool'],
    cwd: 'src',
    policy,
    tree,
    artifact_version: tree,
    ordinal: 0,
  };
  const result = await executor
    .run({ ...request, stdin: 'in', collect }, signal ? { signal } : {})
    .finally(() => executor.close());
  return { result, calls };
}

it('takes a whole run in one call', async () => {
  let seen: Partial<ForeignJob> = {};
  const { result, calls } = await run({
    run: async (job) => {
      seen = job;
      job.onStdout('said ');
      const files = [
        { path: 'out/a', bytes: text('a') },
        { path: 'out/../../b', bytes: text('outside') },
        { path: 'other', bytes: text('unasked') },
        { path: 'out/link', mode: 0o120000, bytes: text('/etc/passwd') },
      ];
      return { exitCode: 3, stdout: 'more', cpuMs: 5, files };
    },
  });
  const { files = [], argv, cwd, stdin, wallMs, collect } = seen;
  expect(files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ['a.txt', 'a\n'],
    ['src/x', 'x'],
  ]);
  expect({ argv, cwd, stdin, wallMs, collect }).toEqual({
    argv: ['tool'],
    cwd: 'src',
    stdin: 'in',
    wallMs: 5000,
    collect: ['out/*'],
  });
  expect(result).toMatchObject({
    ended_by: 'exit',
    exit_code: 3,
    cpu_ms: 5,
    stdout: { text: 'said more' },
    files: [{ path: 'out/a', bytes: 1 }],
    receipt: { backend: 'far away' },
  });
  expect(result).not.toHaveProperty('exit');
  expect(calls).toEqual(['run', 'drop']);
});

it('cuts it on this side where the system does not, and when it is cancelled', async () => {
  const never = () => new Promise<never>(() => undefined);
  const late = await run({ run: never }, { wall_ms: 100 });
  expect(late.result).toMatchObject({ ended_by: 'wall_limit', files: [] });
  expect(late.calls).toEqual(['run', 'drop']);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const begin = performance.now();
  const cancelled = await run({ run: never }, { signal: controller.signal });
  expect(cancelled.result).toMatchObject({ ended_by: 'cancelled', files: [] });
  expect(performance.now() - begin).toBeLessThan(1000);
});

it('takes a limit that the system names, and no nonsense', async () => {
  const limited = await run({
    run: async () => ({ endedBy: 'wall_limit', files: [{ path: 'out/a', bytes: text('a') }] }),
  });
  expect(limited.result).toMatchObject({ ended_by: 'wall_limit', files: [{ path: 'out/a' }] });
  await expect(run({ run: async () => ({}) })).rejects.toMatchObject({ code: 'foreign_executor', retryable: false });
  await expect(run({ run: async () => ({ exitCode: 0, files: 'x' as never }) })).rejects.toMatchObject({
    retryable: false,
  });
  await expect(run({ run: async () => Promise.reject(new Error('refused')) })).rejects.toMatchObject({
    message: 'executor "far away": run failed: refused',
    retryable: true,
  });
});
