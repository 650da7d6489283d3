import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  memoryArtifacts,
  type ObserveOptions,
} from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BackendName,
  createExecutor,
  createSandbox,
  defaultPolicy,
  type ForeignExecutor,
  type ForeignFile,
  type Sandbox,
} from '../../src/index.ts';
import { checkExecutor } from '../../src/testing.ts';
import { childProcessSystem } from '../foreign/child-process-system.ts';
import { requireTools } from '../open-sandbox.ts';

const artifacts = memoryArtifacts();
/** Scheduling on a loaded machine is not what these tests are about. */
const SLACK_MS = 1500;
let root: string;
let plain: Sandbox;
let foreign: ForeignExecutor;
let apart: ForeignExecutor;
beforeAll(async () => {
  requireTools();
  root = mkdtempSync(join(tmpdir(), 'h-test-conformance-'));
  plain = await createSandbox(defaultPolicy(), { artifacts, backend: 'plain' });
  foreign = createExecutor(childProcessSystem(root), { artifacts });
  apart = createExecutor({ ...childProcessSystem(root), reusePlaces: false }, { artifacts });
});
afterAll(async () => {
  await Promise.all([plain?.close(), foreign?.close(), apart?.close()]);
  rmSync(root, { recursive: true });
});

describe('executors of this library', () => {
  it('keep every promise, and every claim that can be seen', { timeout: 240_000 }, async () => {
    const named = async (backend: BackendName) => createSandbox(defaultPolicy(), { artifacts, backend });
    const sandboxes = await Promise.all([named('bubblewrap'), named('util-linux')]);
    const executors: [string, Executor][] = [
      ['bubblewrap', sandboxes[0]],
      ['util-linux', sandboxes[1]],
      ['plain', plain],
      ['foreign', foreign],
      ['foreign, a place a run', apart],
    ];
    const reports = await Promise.all(
      executors.map(async ([name, executor]) => ({
        name,
        checks: await checkExecutor(executor, { artifacts, slackMs: SLACK_MS }),
      })),
    );
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    for (const { name, checks } of reports) {
      expect({ name, failed: checks.filter(({ verdict }) => verdict === 'fail') }).toEqual({ name, failed: [] });
      expect(checks.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20);
      for (const { verdict, reason } of checks) expect(reason === undefined).toBe(verdict === 'pass');
    }
    const claims = (name: string) =>
      reports.find((report) => report.name === name)?.checks.filter((check) => check.name.startsWith('claim:')) ?? [];
    expect(claims('foreign').map(({ name }) => name)).toEqual([]);
    const confined = Object.fromEntries(claims('bubblewrap').map(({ name, verdict }) => [name, verdict]));
    expect(confined).toMatchObject({
      'claim:disk_limit': 'pass',
      'claim:inodes_limit': 'pass',
      'claim:network_denied': 'pass',
      'claim:non_root': 'pass',
      'claim:inherited_fds_closed': 'pass',
      'claim:no_survivors': 'untested',
    });
  });
});

type Run = (request: ExecutionRequest, options?: ObserveOptions) => Promise<ExecutionResult>;

/** An executor that works but for one thing. */
function broken(change: (run: Run) => Run, capabilities: Partial<Executor['capabilities']> = {}): Executor {
  return {
    capabilities: { ...foreign.capabilities, ...capabilities },
    run: change((request, options) => foreign.run(request, options)),
  };
}
const after =
  (change: (result: ExecutionResult, request: ExecutionRequest) => ExecutionResult | Promise<ExecutionResult>) =>
  (run: Run): Run =>
  async (request, options) =>
    change(await run(request, options), request);
const before =
  (change: (request: ExecutionRequest) => ExecutionRequest) =>
  (run: Run): Run =>
  (request, options) =>
    run(change(request), options);

/** A system whose places are one folder, which later runs find as it was left but for what they lay there. */
function keepingOnePlace(fresh: (files: readonly ForeignFile[]) => readonly ForeignFile[]): Executor {
  const system = childProcessSystem(root);
  const place = `one-${crypto.randomUUID()}`;
  let laid = false;
  return createExecutor(
    {
      ...system,
      reusePlaces: false,
      put: async (files, call) => {
        const some = laid ? fresh(files).slice(1) : files;
        laid = true;
        await system.put(some, { ...call, place });
      },
      exec: (command) => system.exec({ ...command, place }),
      get: (globs, call) => system.get(globs, { ...call, place }),
      drop: async () => undefined,
    },
    { artifacts },
  );
}

const BROKEN: [check: string, what: string, () => Executor][] = [
  ['exit_codes', 'every end is a success', () => broken(after((result) => ({ ...result, exit_code: 0 })))],
  [
    'exit_codes',
    'its own codes are taken for failures of the system',
    () =>
      broken((run) => async (request, options) => {
        const result = await run(request, options);
        if (result.exit_code === 125) throw new Error('could not run the command');
        return result;
      }),
  ],
  [
    'signals',
    'a signal is a code',
    () =>
      broken(
        after(({ signal, ...result }) =>
          signal === undefined ? result : { ...result, ended_by: 'exit', exit_code: 137 },
        ),
      ),
  ],
  [
    'missing_program',
    'what cannot be started ran well',
    () => broken((run) => (request, options) => run(request, options).catch(() => run({ ...request, argv: ['true'] }))),
  ],
  [
    'arguments',
    'a shell reads the arguments',
    () => broken(before((request) => ({ ...request, argv: ['/bin/sh', '-c', request.argv.join(' ')] }))),
  ],
  ['standard_input', 'input is left out', () => broken(before(({ stdin, ...request }) => request))],
  [
    'standard_input',
    'input is cut',
    () => broken(before((request) => ({ ...request, stdin: (request.stdin ?? '').slice(0, 65_536) }))),
  ],
  [
    'environment',
    'the caller’s variables go along',
    () =>
      broken(before((request) => ({ ...request, policy: { ...request.policy, env_allow: Object.keys(process.env) } }))),
  ],
  [
    'environment',
    'what the policy sets is left out',
    () => broken(before((request) => ({ ...request, policy: { ...request.policy, env_set: {} } }))),
  ],
  [
    'determinism_settings',
    'the time zone is the host’s',
    () =>
      broken(
        before((request) => ({
          ...request,
          policy: { ...request.policy, determinism: { ...request.policy.determinism, tz: 'UTC' } },
        })),
      ),
  ],
  ['working_folder', 'every command stands in the root', () => broken(before((request) => ({ ...request, cwd: '' })))],
  [
    'streams_apart',
    'both streams are one',
    () =>
      broken(
        after(({ stderr, ...result }) => ({
          ...result,
          stdout: { ...result.stdout, text: result.stdout.text + stderr.text },
          stderr,
        })),
      ),
  ],
  [
    'stream_caps',
    'nothing is capped',
    () => broken(before((request) => ({ ...request, policy: { ...request.policy, stream_bytes: 1e6 } }))),
  ],
  [
    'stream_caps',
    'what is dropped is not counted',
    () =>
      broken(
        after((result) => ({
          ...result,
          stdout: { ...result.stdout, observed_bytes: result.stdout.retained_bytes, dropped_bytes: 0 },
        })),
      ),
  ],
  [
    'characters_whole',
    'a character is cut',
    () => broken(after((result) => ({ ...result, stdout: { ...result.stdout, text: `${result.stdout.text}\ufffd` } }))),
  ],
  [
    'output_before_deadline',
    'output is lost at the deadline',
    () =>
      broken(
        after((result) =>
          result.ended_by === 'wall_limit'
            ? { ...result, stdout: { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 } }
            : result,
        ),
      ),
  ],
  [
    'bytes_as_they_are',
    'contents pass through text',
    () =>
      broken(
        after(async (result) => ({
          ...result,
          files: await Promise.all(
            result.files.map(async (file) => {
              const bytes = new TextEncoder().encode(new TextDecoder().decode(await artifacts.get(file.sha)));
              return { ...file, sha: await artifacts.put(bytes), bytes: bytes.length };
            }),
          ),
        })),
      ),
  ],
  [
    'collected_files',
    'everything comes back',
    () => broken(before((request) => ({ ...request, collect: request.collect.length > 0 ? ['**'] : [] }))),
  ],
  [
    'collected_files',
    'nothing comes back after a failure',
    () => broken(after((result) => (result.exit_code === 0 ? result : { ...result, files: [] }))),
  ],
  [
    'collected_files',
    'a size is wrong',
    () =>
      broken(
        after((result) => ({ ...result, files: result.files.map((file) => ({ ...file, bytes: file.bytes + 1 })) })),
      ),
  ],
  [
    'links_not_followed',
    'links are followed',
    () =>
      broken(
        (run) => (request, options) =>
          run(
            {
              ...request,
              argv: [
                '/bin/sh',
                '-c',
                `${request.argv.at(-1)}; for link in out/file; do cat $link > copy; rm $link; mv copy $link; done`,
              ],
            },
            options,
          ),
      ),
  ],
  [
    'much_of_both',
    'a large file is cut',
    () =>
      broken(
        after(async (result) => ({
          ...result,
          files: result.files.map((file) => ({ ...file, bytes: Math.min(file.bytes, 8_388_608) })),
        })),
      ),
  ],
  [
    'much_of_both',
    'what brings the files is counted as output',
    () =>
      broken(
        after((result) => ({
          ...result,
          stdout: { ...result.stdout, observed_bytes: result.stdout.observed_bytes + result.files.length },
        })),
      ),
  ],
  [
    'much_of_both',
    'odd names are left out',
    () => broken(after((result) => ({ ...result, files: result.files.filter(({ path }) => /^[\w/]+$/.test(path)) }))),
  ],
  ['surroundings_spoilt', 'a tree that lies there is believed', () => keepingOnePlace((files) => files.slice(0, 1))],
  ['nothing_persists', 'every run has the same place', () => keepingOnePlace(() => [])],
  [
    'nothing_persists',
    'every run has the same home',
    () => {
      const home = mkdtempSync(join(root, 'home-'));
      return broken(
        before((request) => ({
          ...request,
          policy: { ...request.policy, env_set: { ...request.policy.env_set, HOME: home } },
        })),
      );
    },
  ],
  [
    'deadline',
    'the limit is ten times the limit',
    () =>
      broken(
        before((request) => ({ ...request, policy: { ...request.policy, wall_ms: request.policy.wall_ms * 10 } })),
      ),
  ],
  [
    'held_output',
    'the end of the output is awaited',
    () =>
      broken((run) => async (request, options) => {
        const result = await run(request, options);
        if (String(request.argv.at(-1)).includes('&')) await new Promise((resolve) => setTimeout(resolve, 10_000));
        return result;
      }),
  ],
  ['cancelled_before', 'a run begins all the same', () => broken((run) => (request) => run(request))],
  [
    'cancelled_during',
    'a cancelled run goes on to its limit',
    () => broken((run) => (request) => run({ ...request, policy: { ...request.policy, wall_ms: 3000 } })),
  ],
  [
    'cancelled_during',
    'nothing works after a cancellation',
    () => {
      let dead = false;
      return broken((run) => async (request, options) => {
        if (dead) throw new Error('connection lost');
        const result = await run(request, options);
        dead = result.ended_by === 'cancelled';
        return result;
      });
    },
  ],
  [
    'concurrency',
    'runs wait for one another',
    () => {
      let last: Promise<unknown> = Promise.resolve();
      return broken(
        (run) => (request, options) => {
          const next = last.then(() => run(request, options));
          last = next.catch(() => undefined);
          return next;
        },
        { concurrency: 4 },
      );
    },
  ],
  [
    'nothing_survives',
    'the command is ended, and what it started goes on',
    () => {
      const system = childProcessSystem(root);
      const exec: typeof system.exec = (command) => system.exec({ ...command, signal: new AbortController().signal });
      return createExecutor({ ...system, exec }, { artifacts });
    },
  ],
  ['concurrency', 'it says nothing sensible', () => broken((run) => run, { concurrency: 0 })],
  ['record', 'a result lacks a part', () => broken(after(({ files, ...result }) => result as ExecutionResult))],
  [
    'execution_ids',
    'ids are drawn',
    () =>
      broken(
        after((result) => ({
          ...result,
          execution_id: [...Array(64)].map(() => Math.floor(Math.random() * 16).toString(16)).join(''),
        })),
      ),
  ],
  ['execution_ids', 'there is one id', () => broken(after((result) => ({ ...result, execution_id: 'a'.repeat(64) })))],
  [
    'artifact_version',
    'the tree is named instead',
    () => broken(after((result, request) => ({ ...result, artifact_version: request.tree }))),
  ],
  ['receipts', 'there is none', () => broken(after(({ receipt, ...result }) => result as ExecutionResult))],
  ['receipts', 'it claims more than it shows', () => broken((run) => run, { enforces: ['memory_limit'] })],
  [
    'requirements',
    'requirements are ignored',
    () => broken(before((request) => ({ ...request, policy: { ...request.policy, require: [] } }))),
  ],
  ['requirements_met', 'what is claimed is refused', () => broken((run) => run, { enforces: ['network_denied'] })],
  [
    'claim:network_denied',
    'a network that is said to be denied',
    () =>
      broken(
        after((result) => ({ ...result, stdout: { ...result.stdout, text: 'eth0:\ntried\n' } })),
        {
          enforces: ['network_denied'],
        },
      ),
  ],
  [
    'claim:non_root',
    'root that is said to be none',
    () =>
      broken((run) => (request, options) => run({ ...request, argv: ['/bin/sh', '-c', 'echo 0'] }, options), {
        enforces: ['non_root'],
      }),
  ],
  [
    'claim:no_new_privileges',
    'privileges that are said to be denied',
    () => broken((run) => run, { enforces: ['no_new_privileges'] }),
  ],
  [
    'claim:memory_limit',
    'memory that is said to be limited',
    () => broken((run) => run, { enforces: ['memory_limit'] }),
  ],
  [
    'claim:pids_limit',
    'processes that are said to be limited',
    () =>
      broken(
        (run) => (request, options) => run({ ...request, policy: { ...request.policy, wall_ms: 1500 } }, options),
        { enforces: ['pids_limit'] },
      ),
  ],
  ['claim:disk_limit', 'a disk that is said to be limited', () => broken((run) => run, { enforces: ['disk_limit'] })],
  [
    'claim:inodes_limit',
    'files that are said to be limited',
    () => broken((run) => run, { enforces: ['inodes_limit'] }),
  ],
];

describe.concurrent('an executor that is wrong in one way', () => {
  it.each(BROKEN)('%s: %s', async (check, _, make) => {
    const checks = await checkExecutor(make(), { artifacts, only: [check], slackMs: 400 });
    expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([[check, 'fail']]);
  });
});

it('stops at the signal, and tells of each check', async () => {
  const controller = new AbortController();
  const told: string[] = [];
  const onCheck = ({ name }: { name: string }) => {
    told.push(name);
    if (told.length === 2) controller.abort(new Error('enough'));
  };
  await expect(checkExecutor(plain, { artifacts, signal: controller.signal, onCheck })).rejects.toThrow('enough');
  expect(told).toEqual(['exit_codes', 'signals']);
});
