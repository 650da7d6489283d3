import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionRequest, ExecutionResult, IsolationProperty, memoryArtifacts } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createExecutor,
  defaultPolicy,
  discoverPython,
  type ExecutorOptions,
  type ForeignExecutor,
  type ForeignSteps,
} from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';
import { childProcessSystem } from './child-process-system.ts';

const artifacts = memoryArtifacts();
const text = (content: string) => new TextEncoder().encode(content);
const FILES = {
  'a.txt': 'a\n',
  'src/run.sh': { text: 'echo ran', mode: 0o100755 },
  link: { text: 'a.txt', mode: 0o120000 },
};

async function requestOf(changes: Partial<ExecutionRequest> = {}, files: Parameters<typeof treeOf>[1] = FILES) {
  const tree = await treeOf(artifacts, files);
  const request = { mode: 'verdict' as const, argv: ['true'], cwd: '', policy: defaultPolicy(), tree, ordinal: 0 };
  return { ...request, artifact_version: tree, collect: [], ...changes };
}

interface Scripted {
  readonly executor: ForeignExecutor;
  /** Names of the calls, in order, with the place. */
  readonly calls: [string, string][];
}

function script(changes: Partial<ForeignSteps> = {}, options: Partial<ExecutorOptions> = {}): Scripted {
  const calls: [string, string][] = [];
  const system: ForeignSteps = {
    capabilities: { concurrency: 1, persistent: false, enforces: ['network_denied'] },
    put: async () => undefined,
    exec: async () => ({ exitCode: 0 }),
    get: async () => [],
    // Nothing over there is a shell.
    reusePlaces: false,
    ...changes,
  };
  const executor = createExecutor(
    {
      ...system,
      put: (files, call) => {
        calls.push(['put', call.place]);
        return system.put(files, call);
      },
      exec: (command) => {
        calls.push(['exec', command.place]);
        return system.exec(command);
      },
      get: (globs, call) => {
        calls.push(['get', call.place]);
        return system.get(globs, call);
      },
      drop: async (call) => {
        calls.push(['drop', call.place]);
        await system.drop?.(call);
      },
    },
    { artifacts, ...options },
  );
  return { executor, calls };
}
const never = () => new Promise<never>(() => undefined);

describe('a run', () => {
  it('lays the tree, runs, collects and drops, in one place', async () => {
    let seen: unknown[] = [];
    const { executor, calls } = script({
      put: async (files, { policy }) => {
        seen = [files.map(({ path, mode, bytes }) => [path, mode, new TextDecoder().decode(bytes)]), policy.wall_ms];
      },
      exec: async ({ argv, cwd, env, stdin, wallMs }) => {
        seen.push({ argv, cwd, env, stdin, wallMs });
        return { exitCode: 3, stdout: 'out', stderr: text('err'), cpuMs: 12 };
      },
      get: async (globs) => {
        seen.push(globs);
        return [
          { path: 'out/b', bytes: text('b') },
          { path: 'out/a', bytes: text('a') },
          { path: 'other', bytes: text('unasked') },
          { path: '../out/x', bytes: text('outside') },
          { path: 'out/../../x', bytes: text('outside') },
          { path: 'out/link', mode: 0o120000, bytes: text('/etc/passwd') },
        ];
      },
    });
    const request = await requestOf({
      argv: ['tool', '-x'],
      cwd: 'src/',
      stdin: 'in',
      collect: ['out/*'],
      policy: defaultPolicy({ wall_ms: 5000, env_set: { A: 'b' } }),
    });
    const result = await executor.run(request);
    await executor.close();
    expect(ExecutionResult.safeParse(JSON.parse(JSON.stringify(result))).error).toBeUndefined();
    expect(result).toMatchObject({ ended_by: 'exit', exit_code: 3, cpu_ms: 12, artifact_version: request.tree });
    expect([result.stdout.text, result.stderr.text]).toEqual(['out', 'err']);
    expect(result.files.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['out/a', 1],
      ['out/b', 1],
    ]);
    expect(seen).toEqual([
      [
        ['a.txt', 0o100644, 'a\n'],
        ['link', 0o120000, 'a.txt'],
        ['src/run.sh', 0o100755, 'echo ran'],
      ],
      5000,
      {
        argv: ['tool', '-x'],
        cwd: 'src',
        env: { A: 'b', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', PYTHONHASHSEED: '0', TZ: 'UTC' },
        stdin: 'in',
        wallMs: 5000,
      },
      ['out/*'],
    ]);
    expect(calls.map(([name]) => name)).toEqual(['put', 'exec', 'get', 'drop']);
    expect(new Set(calls.map(([, place]) => place)).size).toBe(1);
    expect(calls[0]?.[1]).toMatch(/^[a-z0-9-]+$/);
  });

  it('asks for no files where none are wanted, and gives every run a place of its own', async () => {
    const { executor, calls } = script();
    const results = [await executor.run(await requestOf()), await executor.run(await requestOf({ ordinal: 1 }))];
    await executor.close();
    expect(calls.map(([name]) => name)).toEqual(['put', 'exec', 'drop', 'put', 'exec', 'drop']);
    expect(new Set(calls.map(([, place]) => place)).size).toBe(2);
    expect(results[0]?.execution_id).not.toBe(results[1]?.execution_id);
    const again = script();
    expect((await again.executor.run(await requestOf())).execution_id).toBe(results[0]?.execution_id);
  });

  it.each([
    [{ signal: 'SIGSEGV' }, { ended_by: 'signal', signal: 'SIGSEGV' }],
    [{ endedBy: 'memory_limit', exitCode: 137 } as const, { ended_by: 'memory_limit', exit_code: 137 }],
    [
      { exitCode: 0, peakMemoryBytes: 7 },
      { ended_by: 'exit', peak_memory_bytes: 7 },
    ],
  ])('takes %j as it is', async (exit, expected) => {
    const { executor } = script({ exec: async () => exit });
    expect(await executor.run(await requestOf())).toMatchObject(expected);
  });
});

describe('the receipt', () => {
  it('knows what the system says and nothing else', async () => {
    const { executor } = script({
      name: 'somewhere',
      exec: async () => ({ exitCode: 0, properties: { memory_limit: 'unmet' } }),
    });
    const { receipt } = await executor.run(await requestOf({ policy: defaultPolicy({ cpu_ms: 5 }) }));
    const { network_denied, stream_cap, memory_limit, ...rest } = receipt?.properties ?? {};
    expect({ backend: receipt?.backend, network_denied, stream_cap, memory_limit }).toEqual({
      backend: 'somewhere',
      network_denied: 'enforced',
      stream_cap: 'enforced',
      memory_limit: 'unmet',
    });
    expect(new Set(Object.values(rest))).toEqual(new Set(['unknown']));
    expect(Object.keys(rest).length).toBe(IsolationProperty.options.length - 3);
  });
  it('starts nothing where a required property is not known to hold', async () => {
    const { executor, calls } = script();
    const run = async (property: 'host_files_hidden' | 'network_denied') =>
      executor.run(await requestOf({ policy: defaultPolicy({ require: [property] }) }));
    expect(await run('host_files_hidden')).toMatchObject({ ended_by: 'policy_unmet', files: [] });
    expect(calls).toEqual([]);
    expect((await run('network_denied')).ended_by).toBe('exit');
  });
});

describe('on our side', () => {
  it('keeps the beginning and the end of each stream and counts the rest, however it comes', async () => {
    const { executor } = script({
      exec: async ({ onStdout, onStderr }) => {
        for (let turn = 0; turn < 1000; turn += 1) onStdout('€'.repeat(100));
        onStderr(text('e'));
        return { exitCode: 0, stdout: '€'.repeat(10) };
      },
    });
    const result = await executor.run(await requestOf({ policy: defaultPolicy({ stream_bytes: 100 }) }));
    const observed_bytes = 3 * (100_000 + 10);
    expect(result.stdout).toEqual({
      text: '€'.repeat(32),
      gap_at: 16,
      observed_bytes,
      retained_bytes: 96,
      dropped_bytes: observed_bytes - 96,
    });
    expect(result.stderr.text).toBe('e');
  });
  it.each<[string, ForeignSteps['exec']]>([
    [
      'heeds nothing',
      ({ onStdout }) => {
        onStdout('partial');
        return never();
      },
    ],
    [
      'heeds its signal',
      ({ signal, onStdout }) =>
        new Promise((_, reject) => {
          onStdout('partial');
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    ],
    [
      'answers when it is stopped',
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ exitCode: 1, stdout: 'partial' }))),
    ],
  ])('ends at the wall limit a system that %s', async (_name, exec) => {
    const { executor, calls } = script({ exec, get: async () => [{ path: 'events', bytes: text('x') }] });
    const begin = performance.now();
    const result = await executor.run(
      await requestOf({ policy: defaultPolicy({ wall_ms: 100 }), collect: ['events'] }),
    );
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(result).toMatchObject({ ended_by: 'wall_limit', stdout: { text: 'partial' }, files: [{ path: 'events' }] });
    expect(result.exit_code).toBeUndefined();
    await executor.close();
    expect(calls.at(-1)?.[0]).toBe('drop');
  });
  it.each(['put', 'exec', 'get'] as const)('cancels while %s hangs, and drops the place', async (step) => {
    const { executor, calls } = script({ [step]: never });
    const controller = new AbortController();
    const running = executor.run(await requestOf({ collect: ['x'] }), { signal: controller.signal });
    while (calls.at(-1)?.[0] !== step) await sleep(5);
    const begin = performance.now();
    controller.abort();
    const result = await running;
    // 50 ms and a turn of the event loop; the rest is for a machine with other work.
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(result).toMatchObject({ ended_by: 'cancelled', files: [] });
    await executor.close();
    expect(calls.at(-1)?.[0]).toBe('drop');
  });
  it('does nothing when cancelled before the start or while it waits for its turn', async () => {
    const { executor, calls } = script({ exec: () => sleep(300).then(() => ({ exitCode: 0 })) });
    const before = await executor.run(await requestOf(), { signal: AbortSignal.abort() });
    expect([before.ended_by, calls]).toEqual(['cancelled', []]);
    const first = executor.run(await requestOf());
    const second = await executor.run(await requestOf({ ordinal: 1 }), { signal: AbortSignal.timeout(50) });
    expect(second.ended_by).toBe('cancelled');
    expect((await first).ended_by).toBe('exit');
    expect(calls.filter(([name]) => name === 'put')).toHaveLength(1);
  });
  it('runs as many at once as the system takes', async () => {
    let [now, most] = [0, 0];
    const { executor } = script({
      capabilities: { concurrency: 3, persistent: false, enforces: [] },
      exec: async () => {
        now += 1;
        most = Math.max(most, now);
        await sleep(30);
        now -= 1;
        return { exitCode: 0 };
      },
    });
    const request = await requestOf();
    await Promise.all(Array.from({ length: 8 }, (_, ordinal) => executor.run({ ...request, ordinal })));
    expect(most).toBe(3);
  });
  it('cancels what runs when it is closed, and runs nothing more', async () => {
    const { executor } = script({ exec: never });
    const running = executor.run(await requestOf());
    await Promise.all([executor.close(), executor.close()]);
    expect((await running).ended_by).toBe('cancelled');
    await expect(executor.run(await requestOf())).rejects.toMatchObject({ code: 'closed' });
  });
  it.each([{ cwd: 'missing' }, { cwd: '../x' }, { argv: ['a\0b'] }])('refuses %j', async (changes) => {
    const { executor, calls } = script();
    await expect(executor.run(await requestOf(changes))).rejects.toMatchObject({ code: 'bad_request' });
    expect(calls).toEqual([]);
  });
});

describe('a system that fails', () => {
  const refused = new Error('connection refused');
  const fail = () => Promise.reject(refused);
  const burst = () => {
    throw refused;
  };
  it.each<[string, Partial<ForeignSteps>]>([
    ['put', { put: fail }],
    ['put', { put: burst }],
    ['exec', { exec: fail }],
    ['get', { get: fail }],
  ])('is not a failing test: %s', async (step, changes) => {
    const { executor, calls } = script(changes);
    await expect(executor.run(await requestOf({ collect: ['x'] }))).rejects.toMatchObject({
      code: 'foreign_executor',
      message: `executor "foreign": ${step} failed: connection refused`,
      cause: refused,
      retryable: true,
    });
    await executor.close();
    expect(calls.at(-1)?.[0]).toBe('drop');
  });
  it.each<[string, Partial<ForeignSteps>]>([
    ['exec answered without', { exec: async () => ({}) }],
    ['exec answered', { exec: async () => undefined as never }],
    ['exec answered', { exec: async () => ({ endedBy: 'boredom' as never }) }],
    ['get answered', { get: async () => ['x'] as never }],
  ])('or answers nonsense: %s', async (message, changes) => {
    const { executor } = script(changes);
    await expect(executor.run(await requestOf({ collect: ['x'] }))).rejects.toMatchObject({
      code: 'foreign_executor',
      message: expect.stringContaining(message),
      retryable: false,
    });
  });
  it('or does not answer is not waited for for ever', async () => {
    const { executor } = script({ put: never }, { transferMs: 50 });
    await expect(executor.run(await requestOf())).rejects.toMatchObject({
      message: 'executor "foreign": put did not answer within 50 ms',
    });
  });
  it('leaves something behind, and that is said', async () => {
    const events: string[] = [];
    const { executor } = script({ drop: fail });
    const result = await executor.run(await requestOf(), { onEvent: ({ kind }) => events.push(kind) });
    await executor.close();
    expect(result.ended_by).toBe('exit');
    expect(events).toEqual(['place_left']);
  });
});

describe('over child processes', () => {
  let root: string;
  let executor: ForeignExecutor;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'h-test-foreign-'));
    executor = createExecutor(childProcessSystem(root), { artifacts });
  });
  afterEach(async () => {
    await executor.close();
    expect(readdirSync(root), 'every place is dropped').toEqual([]);
    rmSync(root, { recursive: true });
  });
  const sh = async (line: string, changes: Partial<ExecutionRequest> = {}) =>
    executor.run(
      await requestOf({
        argv: ['/bin/sh', '-c', line],
        ...changes,
        policy: defaultPolicy({ wall_ms: 5000, ...changes.policy }),
      }),
    );

  it('sees the tree, its input and its environment, and brings files back', async () => {
    const result = await sh('cat ../link -; ./run.sh; mkdir out; echo "$TZ" > out/x', {
      cwd: 'src',
      stdin: 'in\n',
      collect: ['src/out/*'],
    });
    expect(result).toMatchObject({ ended_by: 'exit', exit_code: 0, stdout: { text: 'a\nin\nran\n' } });
    expect(new TextDecoder().decode(await artifacts.get(result.files[0]?.sha ?? ''))).toBe('UTC\n');
  });
  it('tells exits, signals and limits apart', async () => {
    expect(await sh('exit 3')).toMatchObject({ ended_by: 'exit', exit_code: 3 });
    expect(await sh('kill -SEGV $$')).toMatchObject({ ended_by: 'signal', signal: 'SIGSEGV' });
    const late = await sh('echo begun; exec sleep 60', { policy: defaultPolicy({ wall_ms: 1500 }) });
    expect(late).toMatchObject({ ended_by: 'wall_limit', stdout: { text: 'begun\n' } });
  });
  it('throws for a program that the system cannot start', async () => {
    const request = await requestOf({ argv: ['no-such-program'] });
    await expect(executor.run(request)).rejects.toMatchObject({ code: 'foreign_executor' });
  });
  it('runs the tests of a project', async () => {
    const python = await discoverPython(['python3']);
    if ('reason' in python) throw new Error(`Python 3 is needed for this test: ${python.reason}`);
    const files = {
      'shop/__init__.py': '',
      'shop/cart.py': 'def total(prices):\n    return sum(prices[1:])\n',
      'test_cart.py':
        'import unittest\nfrom shop.cart import total\n\nclass Cart(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(total([2]), 2)\n    def test_none(self):\n        self.assertEqual(total([]), 0)\n',
    };
    const result = await executor.run(await requestOf({ argv: [python.executable, '-m', 'unittest', '-v'] }, files));
    expect(result).toMatchObject({ ended_by: 'exit', exit_code: 1 });
    expect(result.stderr.text).toMatch(/test_none .* ok\n[\s\S]*test_one .* FAIL\n[\s\S]*0 != 2/);
  });
});
