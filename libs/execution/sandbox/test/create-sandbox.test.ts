import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExecutionResult, IsolationProperty, memoryArtifacts } from '@h/contracts';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateBubblewrap } from '../src/backends/bubblewrap.ts';
import { locateUtilLinux } from '../src/backends/util-linux.ts';
import { createSandbox, defaultPolicy, probeHost } from '../src/index.ts';
import { leftovers, NAMESPACES, type Opened, openSandbox, requireTools } from './open-sandbox.ts';

const CLOCK = { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: true, clock: '2026-01-01T00:00:00Z' };

let opened: Opened;
let root: string;
beforeAll(async () => {
  requireTools();
  root = mkdtempSync(join(tmpdir(), 'h-test-create-'));
  opened = await openSandbox();
});
afterAll(async () => {
  await opened?.sandbox.close();
  if (root) rmSync(root, { recursive: true, force: true });
  expect(leftovers()).toEqual([]);
});

describe('a result', () => {
  it('is a valid record that names its run', async () => {
    const result = await opened.sh('echo out; echo err >&2; mkdir d; echo x > d/x', { request: { collect: ['d/*'] } });
    expect(ExecutionResult.safeParse(JSON.parse(JSON.stringify(result))).error).toBeUndefined();
    expect(result).toMatchObject({
      ended_by: 'exit',
      exit_code: 0,
      files: [{ path: 'd/x', bytes: 2 }],
      stdout: { text: 'out\n' },
      stderr: { text: 'err\n' },
    });
  });
  it('is the same for the same request but for what is measured', async () => {
    const stable = async (ordinal: number) => {
      const { wall_ms, cpu_ms, peak_memory_bytes, ...rest } = await opened.sh('echo x > x; ls -l; id; env', {
        request: { ordinal, collect: ['x'] },
      });
      return rest;
    };
    const [first, again, other] = [await stable(0), await stable(0), await stable(1)];
    const untimed = ({ stdout, ...rest }: typeof first) => ({ ...rest, text: stdout.text.replace(/\d\d:\d\d/g, '') });
    expect(untimed(again)).toEqual(untimed(first));
    expect(other.execution_id).not.toBe(first.execution_id);
  });
  it('has one id for one run in every sandbox, and another in another environment', async () => {
    const artifacts = memoryArtifacts();
    const ids: string[] = [];
    for (const environment of [undefined, undefined, 'a'.repeat(64)]) {
      const other = await openSandbox({
        artifacts,
        backend: 'plain',
        ...(environment === undefined ? {} : { environment }),
      });
      ids.push((await other.sh('true')).execution_id);
      await other.sandbox.close();
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe('requests', () => {
  it.each([
    [{ cwd: '../x' }, /outside the tree/],
    [{ cwd: '/etc' }, /outside the tree/],
    [{ cwd: 'missing' }, /not a folder/],
    [{ cwd: 'a.txt' }, /not a folder/],
    [{ cwd: 'link' }, /not a folder/],
    [{ argv: [''] }, /argv is empty/],
    [{ argv: ['echo', 'a\0b'] }, /NUL/],
    [{ cwd: 'a\0--bind\0/\0/host' }, /outside the tree/],
    [{ policy: defaultPolicy({ env_set: { X: 'a\0--bind\0/\0/host' } }) }, /"X" cannot be set/],
    [{ policy: defaultPolicy({ env_set: { 'A=B': 'x' } }) }, /"A=B" cannot be set/],
    [{ policy: defaultPolicy({ determinism: { tz: 'UTC\0--share-net' } }) }, /"TZ" cannot be set/],
  ])('refuses %j', async (request, message) => {
    const files = { 'a.txt': 'a', link: { text: '/etc', mode: 0o120000 } };
    await expect(opened.run(['true'], { request, files })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(message),
    });
  });
  it('runs in a folder of the tree', async () => {
    const result = await opened.sh('pwd', { request: { cwd: 'src/inner/' }, files: { 'src/inner/a': '' } });
    expect(result.stdout.text).toBe('/h/workspace/src/inner\n');
  });
  it('passes arguments as they are', async () => {
    const strange = ["it's", 'a b', '$HOME', '`x`', '"q"', 'new\nline', '\\', '', '*', 'é€', '-n', '--'];
    const result = await opened.run(['/usr/bin/printf', '[%s]', ...strange]);
    expect(result.stdout.text).toBe(strange.map((word) => `[${word}]`).join(''));
  });
  it('takes a command line as long as the kernel does', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `tests/test_module.py::TestClass::test_number_${index}`);
    const result = await opened.run(['/bin/sh', '-c', 'echo $#', 'sh', ...many]);
    expect(result.stdout.text).toBe('5000\n');
  });
  it('starts nothing when a required property is not met', async () => {
    const result = await opened.sh('echo ran > ran; echo ran', {
      policy: { require: ['network_denied', 'fixed_clock'], determinism: CLOCK },
      request: { collect: ['ran'] },
    });
    expect(result).toMatchObject({
      ended_by: 'policy_unmet',
      files: [],
      stdout: { observed_bytes: 0 },
      receipt: { properties: { fixed_clock: 'unmet', network_denied: 'enforced' } },
    });
    expect((await opened.sh('true', { policy: { require: ['network_denied', 'no_survivors'] } })).ended_by).toBe(
      'exit',
    );
  });
});

describe('the queue', () => {
  it('runs as many at once as it may, in order, and lets the waiting be cancelled', async () => {
    const two = await openSandbox({ backend: 'plain', concurrency: 2 });
    const order: number[] = [];
    const controller = new AbortController();
    const run = async (index: number) => {
      const result = await two.sh(`echo ${index}; sleep 0.2`, index === 3 ? { signal: controller.signal } : {});
      order.push(index);
      return result;
    };
    const all = [0, 1, 2, 3, 4].map(run);
    setTimeout(() => controller.abort(), 50);
    const results = await Promise.all(all);
    expect(results.map(({ ended_by }) => ended_by)).toEqual(['exit', 'exit', 'exit', 'cancelled', 'exit']);
    expect(order[0]).toBe(3);
    await two.sandbox.close();
  });
  it('serves concurrent runs from separate copies', async () => {
    const runs = Array.from({ length: 8 }, (_, index) => opened.sh(`echo ${index} > a.txt; sleep 0.05; cat a.txt`));
    const texts = (await Promise.all(runs)).map(({ stdout }) => stdout.text);
    expect(texts).toEqual(Array.from({ length: 8 }, (_, index) => `${index}\n`));
  });
});

describe('closing', () => {
  it('ends what runs, removes everything, and can be repeated', async () => {
    const scratchRoot = mkdtempSync(join(root, 'scratch-'));
    const other = await openSandbox({ scratchRoot });
    const running = other.sh('sleep 60');
    const waiting = [other.sh('sleep 60'), other.sh('sleep 60')];
    await new Promise((resolve) => setTimeout(resolve, 200));
    await Promise.all([other.sandbox.close(), other.sandbox.close()]);
    expect((await running).ended_by).toBe('cancelled');
    expect((await Promise.all(waiting)).map(({ ended_by }) => ended_by)).toEqual(['cancelled', 'cancelled']);
    expect(readdirSync(scratchRoot)).toEqual([]);
    await expect(other.sh('true')).rejects.toMatchObject({ code: 'closed' });
  });
  it('does not keep a program alive that forgot it', () => {
    const script = new URL('./fixtures/forgotten-sandbox/run.ts', import.meta.url).pathname;
    const result = spawnSync(process.execPath, ['--conditions=@h/source', '--import', 'tsx', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(result).toMatchObject({ status: 0, stdout: 'done\n', stderr: '' });
  });
});

describe('backends', () => {
  const policy = defaultPolicy();
  it('prefers bubblewrap, without a word', () => {
    expect(opened.sandbox.backend).toBe('bubblewrap');
    expect(opened.sandbox.downgrades.filter((sentence) => !sentence.startsWith('control groups'))).toEqual([]);
    expect(opened.sandbox.capabilities).toMatchObject({ concurrency: 2, persistent: false });
    expect(opened.sandbox.capabilities.enforces).toContain('network_denied');
    expect(opened.sandbox.capabilities.enforces).toContain('disk_limit');
    expect(opened.sandbox.capabilities.enforces).not.toContain('fixed_clock');
  });
  it('runs plainly where asked, and claims nothing for it', async () => {
    const sandbox = await createSandbox(policy, { artifacts: opened.artifacts, backend: 'plain' });
    expect(sandbox.backend).toBe('plain');
    expect(sandbox.capabilities.enforces).not.toContain('network_denied');
    await sandbox.close();
  });
  /** What `createSandbox` makes of a host on which these tools do nothing but fail; asked by name for the first of them. */
  const without = (tools: readonly string[], asked: string) => {
    const script = new URL('./fixtures/without-tools/run.ts', import.meta.url).pathname;
    const hide = tools.map((tool) => `mount --bind /bin/false "$(command -v ${tool})"`).join(' && ');
    const node = [process.execPath, '--conditions=@h/source', '--import', 'tsx', script, asked];
    const flags = process.getuid?.() === 0 ? ['-m'] : ['-Urm'];
    const shown = spawnSync('unshare', [...flags, '/bin/sh', '-c', `${hide} && exec "$@"`, 'sh', ...node], {
      encoding: 'utf8',
    });
    expect(shown.stderr).toBe('');
    const seen = JSON.parse(shown.stdout);
    expect(seen).toMatchObject({ stdout: 'ran\n', code: 'backend_unavailable' });
    expect(seen.hint).toMatch(/^either /);
    return seen;
  };
  it('steps down aloud where bubblewrap does not work, and not at all where it was asked for', () => {
    const seen = without(['bwrap'], 'bubblewrap');
    expect(seen).toMatchObject({ backend: 'util-linux', needed: 'exit' });
    expect(seen.downgrades[0]).toMatch(/^bubblewrap is not usable: .*confined by util-linux.*Remedy: /);
    expect(seen.downgrades.join()).not.toMatch(/without a filter/);
    expect(seen.receipt).toMatchObject({
      backend: 'util-linux',
      properties: { network_denied: 'enforced', host_files_hidden: 'enforced' },
    });
  });
  it('gives runs copies where no disk can be made, and says so', () => {
    const seen = without(['mount'], 'util-linux');
    expect(seen.receipt).toMatchObject({
      backend: 'bubblewrap',
      properties: { network_denied: 'enforced', disk_limit: 'unmet', inodes_limit: 'unmet' },
    });
    expect(seen.downgrades[0]).toMatch(
      /^bubblewrap works here only in part, without: disk_limit, inodes_limit\. Remedy: /,
    );
  });
  it('says when there is no filter of system calls', () => {
    const seen = without(['bwrap', 'perl'], 'bubblewrap');
    expect(seen).toMatchObject({ backend: 'util-linux', needed: 'exit' });
    expect(seen.downgrades[1]).toMatch(/^util-linux works here without a filter of system calls.*Remedy: install perl/);
  });
  it('steps down twice, as loudly, where no tool of isolation works', () => {
    const seen = without(['bwrap', 'pivot_root'], 'util-linux');
    expect(seen).toMatchObject({ backend: 'plain', needed: 'policy_unmet' });
    expect(seen.downgrades[0]).toMatch(/^bubblewrap is not usable: .*not confined.*Remedy: /);
    expect(seen.downgrades[1]).toMatch(/^util-linux is not usable: .*not confined.*Remedy: /);
    expect(seen.receipt).toMatchObject({
      backend: 'plain',
      properties: { network_denied: 'unmet', host_files_hidden: 'unmet' },
    });
  });
  it('says how to get bubblewrap', async () => {
    const located = await locateBubblewrap({}, { folder: () => '/nonexistent', slots: 1, disks: true });
    expect(located).toMatchObject({
      missing: 'bwrap was not found',
      remedy: expect.stringContaining('apt-get install bubblewrap'),
    });
  });
  it('says how to get the programs of util-linux', async () => {
    const located = await locateUtilLinux(
      { unshare: '/usr/bin/unshare' },
      { folder: () => '/nonexistent', slots: 1, network: 'deny', disks: true },
    );
    expect(located).toMatchObject({
      missing: 'setpriv, nsenter, mount, umount, pivot_root not found',
      remedy: expect.stringContaining('apt-get install util-linux'),
    });
  });
  it('names host, tools and what each backend showed', async () => {
    const report = await probeHost();
    expect(report.backends.map(({ backend, usable }) => [backend, usable])).toEqual([
      ['bubblewrap', true],
      ['util-linux', true],
      ['plain', true],
    ]);
    expect(report.tools.bwrap).toMatch(/bwrap$/);
    expect(Object.keys(report.properties).sort()).toEqual([...IsolationProperty.options].sort());
    expect(report.properties).toMatchObject({
      disk_limit: 'enforced',
      network_denied: 'enforced',
      fixed_clock: 'unmet',
    });
    expect(['cgroup-v2', 'cgroup-v1', 'polling', 'none']).toContain(report.limits.name);
  });
});

describe.each(NAMESPACES)('private places under %s', (backend) => {
  it('runs with scratch, packages and tools below folders that only this user may enter', async () => {
    const home = mkdtempSync(join(root, 'home-'));
    chmodSync(home, 0o700);
    const packages = join(home, 'repository/node_modules');
    mkdirSync(join(packages, 'tool'), { recursive: true, mode: 0o755 });
    mkdirSync(join(packages, '.bin'));
    writeFileSync(join(packages, 'tool/run'), '#!/bin/sh\necho tool ran\n');
    chmodSync(join(packages, 'tool/run'), 0o755);
    spawnSync('ln', ['-s', '../tool/run', join(packages, '.bin/tool')]);
    mkdirSync(join(home, 'tmp'), { mode: 0o700 });
    const other = await openSandbox({
      backend,
      scratchRoot: join(home, 'tmp'),
      links: [{ at: 'node_modules', target: packages }],
    });
    const result = await other.sh(
      'node_modules/.bin/tool && node_modules/tool/run && mkdir node_modules/.vite-temp && touch node_modules/.vite-temp/x && echo x >> node_modules/tool/run',
    );
    expect(result.stdout.text).toBe('tool ran\ntool ran\n');
    expect(result.exit_code).not.toBe(0);
    expect(existsSync(join(packages, '.vite-temp'))).toBe(false);
    await other.sandbox.close();
  });

  it('gives the payload its rights whatever mask this program has', async () => {
    const before = process.umask(0o077);
    try {
      const other = await openSandbox({ backend });
      const files = { 'a.txt': 'a', 'deep/run': { text: '#!/bin/sh\necho ran', mode: 0o100755 } };
      const result = await other.sh(
        'touch new; stat -c %A /h . deep a.txt deep/run /etc /etc/passwd new; deep/run; id -un',
        {
          files,
        },
      );
      await other.sandbox.close();
      const [folder, file, program] = ['drwxr-xr-x', '-rw-r--r--', '-rwxr-xr-x'];
      const shown = [folder, folder, folder, file, program, folder, file, file, 'ran', 'h'];
      expect(result.stdout.text.trim().split('\n')).toEqual(shown);
    } finally {
      process.umask(before);
    }
  });

  it('works for a user without rights', async () => {
    const home = mkdtempSync(join(root, 'user-'));
    mkdirSync(join(home, 'tmp'), { mode: 0o700 });
    await build({
      entryPoints: [new URL('./fixtures/other-user/run.ts', import.meta.url).pathname],
      outfile: join(home, 'run.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@h/source'],
      logLevel: 'silent',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const asUser =
      process.getuid?.() === 0 ? ['/usr/bin/setpriv', '--reuid=12345', '--regid=12345', '--clear-groups', '--'] : [];
    if (asUser.length > 0)
      for (const path of [home, join(home, 'tmp'), join(home, 'run.mjs')]) chownSync(path, 12345, 12345);
    chmodSync(root, 0o755);
    const [file = '', ...args] = [...asUser, process.execPath, join(home, 'run.mjs'), backend];
    const result = spawnSync(file, args, {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: join(home, 'tmp') },
      cwd: '/',
    });
    expect(result.stderr).toBe('');
    const shown = JSON.parse(result.stdout);
    expect(shown.stdout).toBe('1000\nfrom the host\n');
    expect(shown.stderr).toMatch(/secret: No such file.*\n.*Read-only file system/);
    expect(shown.receipt.properties).toMatchObject({
      network_denied: 'enforced',
      host_files_hidden: 'enforced',
      non_root: 'enforced',
      user_namespace: 'enforced',
    });
    expect(readdirSync(join(home, 'tmp'))).toEqual([]);
  });
});
