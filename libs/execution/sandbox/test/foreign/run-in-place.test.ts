// Runs that share a place: what they cost in calls, and that none sees what another left.
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExecutionRequest, memoryArtifacts } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createExecutor,
  defaultPolicy,
  type ForeignExecutor,
  type ForeignFile,
  type ForeignSteps,
} from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';
import { childProcessSystem } from './child-process-system.ts';

const artifacts = memoryArtifacts();
const FILES = {
  'a.txt': 'a\n',
  'bin/run': { text: '#!/bin/sh\necho ran\n', mode: 0o100755 },
  link: { text: 'a.txt', mode: 0o120000 },
  'with space/é.txt': 'é\n',
};
type Files = Parameters<typeof treeOf>[1];

let root: string;
let calls: string[];
let open: ForeignExecutor[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-places-'));
  calls = [];
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((executor) => executor.close()));
  expect(
    readdirSync(root).filter((name) => name.startsWith('h-')),
    'every place is dropped',
  ).toEqual([]);
  rmSync(root, { recursive: true });
});

function executorOf(change: (system: ForeignSteps) => Partial<ForeignSteps> = () => ({})): ForeignExecutor {
  const plain = childProcessSystem(root);
  const system = { ...plain, ...change(plain) };
  const counted =
    <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
    (...args: A) => {
      calls.push(name);
      return call(...args);
    };
  const executor = createExecutor(
    {
      ...system,
      put: counted('put', system.put),
      exec: counted('exec', system.exec),
      get: counted('get', system.get),
      drop: counted('drop', async (call) => system.drop?.(call)),
    },
    { artifacts },
  );
  open.push(executor);
  return executor;
}

async function sh(
  executor: ForeignExecutor,
  line: string,
  changes: Partial<ExecutionRequest> = {},
  files: Files = FILES,
) {
  const tree = await treeOf(artifacts, files);
  const policy = defaultPolicy({ wall_ms: 10_000 });
  const request = { mode: 'verdict' as const, argv: ['/bin/sh', '-c', line], cwd: '', policy, tree, ordinal: 0 };
  const result = await executor.run({ ...request, artifact_version: tree, collect: [], ...changes });
  const bytes = await Promise.all(result.files.map(async ({ sha }) => Buffer.from(await artifacts.get(sha))));
  return { ...result, bytes, asked: calls.splice(0).join(' ') };
}

describe('runs in one place', () => {
  it('put once, then take one call each, also with other files and with files that come back', async () => {
    const executor = executorOf();
    const first = await sh(executor, './bin/run; cat link "with space/é.txt"; echo new > out.txt', {
      collect: ['*.txt'],
    });
    expect(first).toMatchObject({ ended_by: 'exit', exit_code: 0, asked: 'put exec', stdout: { text: 'ran\na\né\n' } });
    expect(first.files.map(({ path }) => path)).toEqual(['a.txt', 'out.txt']);
    const other = { ...FILES, 'a.txt': 'changed\n', 'bin/run': 'no program', 'new/b': 'b\n', link: 'a file\n' };
    const second = await sh(executor, 'cat a.txt new/b link; test -x bin/run || echo plain; ls; exit 3', {}, other);
    expect(second).toMatchObject({ exit_code: 3, asked: 'exec' });
    expect(second.stdout.text).toBe('changed\nb\na file\nplain\na.txt\nbin\nlink\nnew\nwith space\n');
    const third = await sh(executor, 'cat a.txt; find . | sort', {}, { 'a.txt/deep': 'x', bin: 'file' });
    expect(third).toMatchObject({ asked: 'exec', stdout: { text: '.\n./a.txt\n./a.txt/deep\n./bin\n' } });
    expect(await sh(executor, 'cat link; ls')).toMatchObject({
      asked: 'exec',
      stdout: { text: 'a\na.txt\nbin\nlink\nwith space\n' },
    });
  });
  it('see nothing of one another, whatever is done to the place, to the tree that lies there, or to their folder', async () => {
    const executor = executorOf();
    await sh(executor, 'true');
    for (const [harm, spoilt] of [
      ['echo left > new; echo x > a.txt; echo x > "$HOME/left"; echo x > "$TMPDIR/left"', false],
      ['mkdir -p deep/er; chmod 000 deep/er; chmod 000 .', false],
      ['echo evil > ../../base/a.txt', true],
      ['echo evil > ../../base/added', true],
      ['chmod -x ../../base/bin/run', true],
      ['rm ../../base/link; ln -s /etc/passwd ../../base/link', true],
      ['mkdir ../../base/folder', true],
      ['rm -r ../../base', true],
      ['rm -r ../../run; ln -s / ../../run', undefined],
    ] as const) {
      await sh(executor, harm);
      const { stdout, asked } = await sh(executor, 'find . | sort; cat a.txt link; ./bin/run; ls -A "$HOME" "$TMPDIR"');
      expect(stdout.text, harm).toMatch(/^\.\n.\/a.txt\n.\/bin\n.\/bin\/run\n.\/link\n.\/with space\n.*\na\na\nran\n/);
      expect(stdout.text, harm).not.toMatch(/left|evil/);
      if (spoilt !== undefined && process.getuid?.() === 0)
        expect(asked, harm).toBe(spoilt ? 'exec drop put exec' : 'exec');
    }
  });
  it('leave a place of which processes were left, and end these', async () => {
    const executor = executorOf();
    await sh(executor, 'true');
    const left = await sh(executor, 'sleep 321 & (cd /; exec setsid sleep 322) & echo done');
    expect(left).toMatchObject({ ended_by: 'exit', stdout: { text: 'done\n' }, asked: 'exec drop' });
    expect((await sh(executor, 'ps ax 2>/dev/null | grep -c "[s]leep 32[12]" || :')).stdout.text).not.toMatch(/^[12]/);
  });
  it('leave a place at the wall limit, with what they wrote until then', async () => {
    const executor = executorOf();
    await sh(executor, 'true');
    const policy = defaultPolicy({ wall_ms: 800 });
    const late = await sh(executor, 'echo begun; echo x > x; exec sleep 60', { policy, collect: ['x'] });
    expect(late).toMatchObject({ ended_by: 'wall_limit', stdout: { text: 'begun\n' }, files: [{ path: 'x' }] });
    expect(late.exit_code).toBeUndefined();
    expect(await sh(executor, 'ls')).toMatchObject({ exit_code: 0, asked: expect.stringMatching(/put exec$/) });
  });
  it('bring back every byte, fetched where there are many, and count all that is written beside it', async () => {
    const executor = executorOf();
    const line =
      'head -c 40000000 /dev/zero; head -c 500000 /dev/urandom > r; sha256sum r >&2; printf "[h:x:end 0 0 0 -]"';
    const some = await sh(executor, line, { collect: ['r'] });
    expect(some).toMatchObject({
      asked: 'put exec',
      stdout: { observed_bytes: 40_000_017 },
      files: [{ bytes: 500_000 }],
    });
    expect(`${some.files[0]?.sha}  r\n`).toBe(some.stderr.text);
    const much = await sh(executor, 'head -c 9000000 /dev/zero > r', { collect: ['r'] });
    expect(much).toMatchObject({ asked: 'exec get', files: [{ path: 'r', bytes: 9_000_000 }] });
    const odd = await sh(
      executor,
      'echo x > x; ln x y; ln -s /etc/passwd z; mkfifo f',
      { collect: ['**'] },
      { 'a b': 'a' },
    );
    expect(odd.files.map(({ path }) => path)).toEqual(['a b', 'x', 'y']);
    const none = await sh(executor, 'true', { collect: ['nothing/**'] });
    expect(none).toMatchObject({ asked: 'exec', files: [] });
  });
  it('have their input, variables and words as they are, and signals by their names', async () => {
    const executor = executorOf();
    const words = ["it's", '$HOME', '`x`', '', 'new\nline', '*', '\\', '--'];
    const argv = ['printf', '[%s]', ...words];
    expect((await sh(executor, '', { argv })).stdout.text).toBe(words.map((word) => `[${word}]`).join(''));
    const policy = defaultPolicy({ env_set: { PATH: '/usr/bin:/bin', 'odd.name': "a'b\nc", LD_X: '1' } });
    const seen = await sh(executor, '', { argv: ['env', '-0'], policy });
    const variables = new Map(seen.stdout.text.split('\0').map((one) => one.split(/=(.*)/s) as [string, string]));
    expect([...variables.keys()].filter(Boolean).sort()).toEqual(
      ['HOME', 'LANG', 'LC_ALL', 'LD_X', 'PATH', 'PYTHONHASHSEED', 'TMPDIR', 'TZ', 'odd.name'].sort(),
    );
    expect(variables.get('odd.name')).toBe("a'b\nc");
    const fed = await sh(executor, 'cat; umask; kill -SEGV $$', { stdin: 'é\n' });
    expect(fed).toMatchObject({ ended_by: 'signal', signal: 'SIGSEGV', exit_code: 139, stderr: { text: '' } });
    expect(fed.stdout.text).toMatch(/^é\n0\d+\n$/);
    expect(await sh(executor, 'kill -TERM $PPID; exit 4')).toMatchObject({ ended_by: 'exit', exit_code: 4 });
  });
  it('go on at once in places of their own', async () => {
    const executor = executorOf();
    const runs = [1, 2, 3, 4].map((ordinal) => sh(executor, `sleep 0.3; echo ${ordinal}; cat a.txt`, { ordinal }));
    expect((await Promise.all(runs)).map(({ stdout }) => stdout.text)).toEqual(
      [1, 2, 3, 4].map((one) => `${one}\na\n`),
    );
    expect(readdirSync(root).length).toBeLessThanOrEqual(2);
  });
});

describe('a system that lays another tree than it is given', () => {
  const HARM: [string, (files: readonly ForeignFile[]) => readonly ForeignFile[]][] = [
    ['other bytes', (files) => files.map((file) => ({ ...file, bytes: new TextEncoder().encode('EVIL') }))],
    ['a file too few', (files) => files.slice(1)],
    ['no rights to run', (files) => files.map((file) => ({ ...file, mode: 0o100644 }))],
  ];
  it.each(HARM)('runs nothing: %s', async (_, harm) => {
    const executor = executorOf((system) => ({ put: (files, call) => system.put(harm(files), call) }));
    const running = sh(executor, 'echo ran > /dev/stderr');
    await expect(running).rejects.toMatchObject({ code: 'foreign_executor', retryable: false });
    await expect(running).rejects.toThrow('put laid another tree than it was given');
    expect(calls.filter((call) => call === 'exec')).toHaveLength(1);
  });
});

describe('a system on which places cannot be reused', () => {
  const TOOLS = 'cat cp env find grep head ls mkdir readlink rm rmdir sed sha256sum sort tar wc'.split(' ');
  /** Everything but base64. */
  const fewTools = (system: ForeignSteps): Partial<ForeignSteps> => {
    const bin = mkdtempSync(join(root, 'tools-'));
    for (const name of TOOLS) symlinkSync(join('/usr/bin', name), join(bin, name));
    return { exec: (command) => system.exec({ ...command, env: { ...command.env, PATH: bin } }) };
  };
  const CASES: [string, (system: ForeignSteps) => Partial<ForeignSteps>, string][] = [
    ['lacks a tool', fewTools, 'put exec drop put exec get'],
    [
      'gives no input',
      (system) => ({ exec: ({ stdin, ...command }) => system.exec(command) }),
      'put exec drop put exec get',
    ],
    [
      'gives no output',
      (system) => ({
        exec: ({ argv, ...command }) =>
          system.exec({ ...command, argv: argv[1] === '-c' && argv.length > 3 ? ['true'] : argv }),
      }),
      'put exec drop put exec get',
    ],
    ['says that a place is for one run', () => ({ reusePlaces: false }), 'put exec get'],
    [
      'says that its places are private',
      (system) => ({ capabilities: { ...system.capabilities, enforces: ['scratch_private'] } }),
      'put exec get',
    ],
    [
      'cuts output',
      (system) => ({
        exec: (command) => {
          let room = 100;
          return system.exec({
            ...command,
            onStdout: (chunk) => {
              command.onStdout(chunk.slice(0, room));
              room = Math.max(0, room - chunk.length);
            },
          });
        },
      }),
      'put exec get',
    ],
  ];
  it.each(CASES)('because it %s runs as well', async (_, change, expected) => {
    const executor = executorOf(change);
    const run = () =>
      sh(
        executor,
        'cat a.txt; echo x > x; exit 3',
        { collect: ['x'] },
        { 'a.txt': 'a\n', 'b/run': { text: 'x', mode: 0o100755 } },
      );
    const first = await run();
    expect(first).toMatchObject({
      ended_by: 'exit',
      exit_code: 3,
      stdout: { text: 'a\n' },
      files: [{ path: 'x', bytes: 2 }],
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(
      first.asked.concat(
        calls
          .splice(0)
          .map((call) => ` ${call}`)
          .join(''),
      ),
    ).toBe(`${expected} drop`);
    const again = await run();
    expect(again).toMatchObject({ exit_code: 3, stdout: { text: 'a\n' }, files: [{ path: 'x' }] });
    expect(again.asked).toMatch(/^put exec get/);
  });
  it('is asked again in a new place where one fails that served before', async () => {
    let fails = false;
    const executor = executorOf((system) => ({
      exec: (command) => {
        const refuse = fails;
        fails = false;
        return refuse ? Promise.reject(new Error('gone')) : system.exec(command);
      },
    }));
    await sh(executor, 'true');
    fails = true;
    expect(await sh(executor, 'cat a.txt')).toMatchObject({ stdout: { text: 'a\n' }, asked: 'exec drop put exec' });
    expect(await sh(executor, 'true')).toMatchObject({ asked: 'exec' });
  });
  it('is not asked again where it fails with the command begun', async () => {
    const executor = executorOf((system) => ({
      exec: async (command) => {
        await system.exec(command);
        throw new Error('connection lost');
      },
    }));
    await expect(sh(executor, 'true')).rejects.toMatchObject({
      code: 'foreign_executor',
      message: expect.stringContaining('exec failed: connection lost'),
    });
    expect(calls).toEqual(['put', 'exec', 'drop']);
  });
});
